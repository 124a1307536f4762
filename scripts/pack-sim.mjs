// `npm run pack:sim`: makes dist/parking-sim-VERSION.tgz, the test double for integrators. Everything of ours and all plain JavaScript is
// in its bundles, so that `npx` installs little; outside are the native modules alone, which come compiled for the usual machines.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';

const FOLDER = 'dist/parking-sim';
// Each worker thread is found beside the program that starts it.
const ENTRIES = {
  'parking-sim.js': 'dist/scripts/sim/double/main.js',
  'sqlite-worker.js': 'dist/cloud/kernel/store/sqlite/sqlite-worker.js',
  'sqlite-agent-worker.js': 'dist/agent/store/sqlite-agent-worker.js',
};
const OUTSIDE = ['@node-rs/argon2', 'better-sqlite3', 'sharp'];
// modbus-serial reads a serial line with it only when it is asked for one, and ws is quicker with the others.
const NEVER_ASKED_FOR = ['serialport', 'bufferutil', 'utf-8-validate'];

const { version, engines, license, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const [name, input] of Object.entries(ENTRIES)) {
  await build({
    input,
    platform: 'node',
    external: (id) => [...OUTSIDE, ...NEVER_ASKED_FOR].some((each) => id === each || id.startsWith(`${each}/`)),
    logLevel: 'warn',
    output: { file: `${FOLDER}/${name}`, format: 'esm', minify: true, charset: 'ascii', codeSplitting: false },
  });
}
chmodSync(`${FOLDER}/parking-sim.js`, 0o755);
for (const name of ['reference-viewer.js.gz', 'guides.json'])
  copyFileSync(`dist/cloud/rest/document/${name}`, `${FOLDER}/${name}`);
cpSync('dist/cloud/console/console-files', `${FOLDER}/console-files`, { recursive: true });
copyFileSync('dist/THIRD-PARTY-LICENCES.txt', `${FOLDER}/THIRD-PARTY-LICENCES.txt`);
copyFileSync('scripts/demo-site.yaml', `${FOLDER}/example-site.yml`);
copyFileSync('scripts/sim/double/README.md', `${FOLDER}/README.md`);
const manifest = {
  name: 'parking-sim',
  version,
  description: 'The parking service with a simulated car park in one process: a test double for integrators.',
  license,
  type: 'module',
  engines,
  bin: { 'parking-sim': 'parking-sim.js' },
  dependencies: Object.fromEntries(OUTSIDE.map((name) => [name, dependencies[name]])),
};
writeFileSync(`${FOLDER}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
execFileSync('npm', ['pack', '--silent', '--pack-destination', '..'], { cwd: FOLDER, stdio: 'inherit' });
