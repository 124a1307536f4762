// Replaces the agent's compiled entry points by bundles of themselves: less memory and a quicker start on a Pi. rolldown bundles,
// because it leaves out the unused parts of zod. onvif stays outside: only gateways with such a camera load it. Native modules stay outside, and so does noble, which gets its HCI socket through
// Node's own module cache.
import { build } from 'rolldown';
import { OUTSIDE } from './agent-packages.mjs';

const ENTRIES = [
  { source: 'dist/agent/main.js', bundle: 'dist/agent/main.js' },
  { source: 'dist/agent/store/sqlite-agent-worker.js', bundle: 'dist/agent/sqlite-agent-worker.js' },
  { source: 'dist/agent/product/radio-process/radio-process.js', bundle: 'dist/agent/radio-process.js' },
  { source: 'dist/agent/lpr/pictures/picture-process.js', bundle: 'dist/agent/picture-process.js' },
  { source: 'dist/agent/process/confine.cjs', bundle: 'dist/agent/confine.cjs', format: 'cjs' },
];

for (const { source, bundle, format = 'esm' } of ENTRIES) {
  await build({
    input: source,
    platform: 'node',
    external: (id) => OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`)),
    logLevel: 'warn',
    // `ascii`: V8 stores a source with one other character at two bytes each. Modules that are imported lazily still run only when needed.
    output: { file: bundle, format, minify: true, charset: 'ascii', sourcemap: true, codeSplitting: false },
  });
}
