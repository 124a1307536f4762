// Replaces the gateway's compiled entry points by bundles of themselves: less memory and a quicker start on a Pi. rolldown, as it
// leaves out what is not used of zod. Native modules stay outside, and noble, which is given its HCI socket through Node's own
// module cache.
import { build } from 'rolldown';

const ENTRIES = [
  { source: 'dist/agent/main.js', bundle: 'dist/agent/main.js' },
  { source: 'dist/agent/store/sqlite-agent-worker.js', bundle: 'dist/agent/sqlite-agent-worker.js' },
  { source: 'dist/agent/product/radio-process.js', bundle: 'dist/agent/radio-process.js' },
  { source: 'dist/agent/lpr/picture-process.js', bundle: 'dist/agent/picture-process.js' },
];
const OUTSIDE = ['better-sqlite3', 'sharp', 'modbus-serial', '@abandonware/noble', '@abandonware/bluetooth-hci-socket'];

for (const { source, bundle } of ENTRIES) {
  await build({
    input: source,
    platform: 'node',
    external: (id) => OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`)),
    logLevel: 'warn',
    // V8 keeps a source with one other character at two bytes each. What is loaded when it is needed still is: it stays a function of the one file.
    output: { file: bundle, format: 'esm', minify: true, charset: 'ascii', sourcemap: true, codeSplitting: false },
  });
}
