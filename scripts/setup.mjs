// The part of the set-up that needs nothing but Node.js itself: compiler, npm packages, build.
// Each step leaves a stamp of its inputs, so that a second run has nothing to do.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const buildStamp = join(root, 'dist', '.build-stamp');
const BUILD_TOOLS = [
  { command: 'python3', debianPackage: 'python3' },
  { command: 'make', debianPackage: 'make' },
  { command: 'g++', debianPackage: 'g++' },
];
const POSTGRES = {
  isThere: hasPostgres,
  debianPackage: 'postgresql',
  service: 'postgresql',
  tests: 'the database on PostgreSQL',
};
const NATS = {
  isThere: () => isOnPath('nats-server'),
  debianPackage: 'nats-server',
  service: 'nats-server',
  tests: 'the broker NATS',
};
const HAPROXY = {
  isThere: () => existsSync('/usr/sbin/haproxy') || isOnPath('haproxy'),
  debianPackage: 'haproxy',
  service: 'haproxy',
  tests: 'the load balancer',
};
/** The programs that only tests need: a browser for the pages, and the servers that an operator may give the cloud. */
const TEST_PROGRAMS = [
  { isThere: () => existsSync('/usr/bin/chromium'), debianPackage: 'chromium', tests: 'pages' },
  POSTGRES,
  {
    isThere: () => existsSync('/usr/sbin/pgbouncer'),
    debianPackage: 'pgbouncer',
    service: 'pgbouncer',
    tests: 'a database behind a pooler',
  },
  { isThere: () => existsSync('/usr/bin/socat'), debianPackage: 'socat', tests: 'sensors on a serial line' },
  {
    isThere: () => existsSync('/usr/include/modbus/modbus.h'),
    debianPackage: 'libmodbus-dev',
    tests: 'a Modbus server of others',
  },
  {
    isThere: () => existsSync('/usr/sbin/mosquitto'),
    debianPackage: 'mosquitto',
    service: 'mosquitto',
    tests: 'the broker Mosquitto',
  },
  {
    isThere: () => isOnPath('btvirt'),
    debianPackage: 'bluez-test-tools',
    tests: 'the radio over controllers of BlueZ',
  },
  { isThere: () => isOnPath('systemd-analyze'), debianPackage: 'systemd', tests: 'the exposure of the units' },
  NATS,
  HAPROXY,
];
/** The programs that `scripts/cluster` runs; it reports missing ones itself. */
const CLUSTER_PROGRAMS = [POSTGRES, NATS, HAPROXY];
/** What makes a card, and starts one in an emulator. */
const imagePrograms = () =>
  readFileSync(join(root, 'scripts/image/tools'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' '))
    .map(([program, debianPackage]) => ({ isThere: () => isOnPath(program), debianPackage }));
const SOURCE_FOLDERS = ['agent', 'cloud', 'shared', 'scripts', 'test'];
const PROGRESS_EVERY_MS = 10_000;
const HISTORY_OLD_MS = 3 * 3_600_000;

function say(text) {
  process.stdout.write(`setup: ${text}\n`);
}

function fail(text) {
  process.stderr.write(`setup: ${text}\n`);
  process.exit(1);
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Runs a command; its output is kept back and shown only when it fails, with a sign of life every ten seconds. */
function run(title, command, args) {
  return new Promise((resolve) => {
    const startedMs = Date.now();
    const seconds = () => Math.round((Date.now() - startedMs) / 1000);
    say(`${title} ...`);
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    const progress = setInterval(() => say(`${title}: ${seconds()} s so far`), PROGRESS_EVERY_MS);
    child.on('error', (error) => {
      clearInterval(progress);
      fail(`${title} could not start: ${error.message}`);
    });
    child.on('close', (code) => {
      clearInterval(progress);
      if (code !== 0) {
        process.stderr.write(Buffer.concat(output));
        fail(`${title} failed (exit code ${code}). What it printed stands above.`);
      }
      say(`${title}: done in ${seconds()} s`);
      resolve();
    });
  });
}

const isOnPath = (command) => spawnSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' }).status === 0;

async function ensureBuildTools() {
  const missing = BUILD_TOOLS.filter((tool) => !isOnPath(tool.command)).map((tool) => tool.debianPackage);
  if (missing.length === 0) return;
  if (!canInstall()) {
    fail(
      `the native modules are compiled here and need: ${missing.join(', ')}. Install them (as root: ${installLine(missing)}), then run this again.`,
    );
  }
  await installDebianPackages(missing);
}

/** Debian keeps the server's programs of each version in a folder that is not on the path. */
function hasPostgres() {
  const folder = '/usr/lib/postgresql';
  return (
    existsSync(folder) && readdirSync(folder).some((version) => existsSync(join(folder, version, 'bin', 'initdb')))
  );
}

/** Installs what is missing, where it may. @returns what is still missing */
async function ensurePrograms(programs) {
  const missing = programs.filter(({ isThere }) => !isThere());
  if (missing.length === 0 || !canInstall()) return missing;
  await installDebianPackages(missing.map(({ debianPackage }) => debianPackage));
  stopServices(missing.flatMap(({ service }) => service ?? []));
  return [];
}

/** Without them their tests are skipped, but in CI. */
async function ensureTestPrograms() {
  const missing = await ensurePrograms(TEST_PROGRAMS);
  if (missing.length === 0) return;
  const packages = missing.map(({ debianPackage }) => debianPackage);
  const names = missing.map(({ tests }) => tests).join(', ');
  const text = `programs are missing to test ${names} with. Install them (as root: ${installLine(packages)}).`;
  if (process.env.CI !== undefined) fail(text);
  say(`THEIR TESTS WILL BE SKIPPED: ${text}`);
}

/** Debian starts a server with its package. The tests start their own, and this one would hold a port that the product may want. */
function stopServices(services) {
  if (!existsSync('/run/systemd/system')) return;
  for (const service of services) spawnSync('systemctl', ['disable', '--now', service], { stdio: 'ignore' });
}

const canInstall = () => process.getuid?.() === 0 && isOnPath('apt-get');

const installLine = (packages) => `apt-get install -y --no-install-recommends ${packages.join(' ')}`;

function installDebianPackages(packages) {
  const command = `apt-get update -qq && DEBIAN_FRONTEND=noninteractive ${installLine(packages)}`;
  return run(`installing ${packages.join(', ')}`, 'sh', ['-c', command]);
}

/** npm packages are tied to the lock file and to the Node.js they were compiled for. */
async function ensurePackages() {
  const stampPath = join(root, 'node_modules', '.setup-stamp');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.versions.modules} ${process.platform} ${process.arch}`)
    .digest('hex');
  if (readStamp(stampPath) === wanted) return;
  // npm ci first empties the folder: through a link it would empty another checkout's.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    fail(
      'node_modules is a link to packages that do not fit this lock file: run scripts/setup where they are, or remove the link.',
    );
  }
  await ensureBuildTools();
  // The lock file names exact versions, so a package in the cache is as good as one of the registry, and there without
  // a network.
  await run('installing npm packages (native modules compile; about two minutes on two cores)', 'npm', [
    'ci',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
  ]);
  writeFileSync(stampPath, wanted);
}

function sourceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return /\.(tsx?|mjs|css|html|svg)$/.test(entry.name) ? [path] : [];
  });
}

async function ensureBuild() {
  const hash = createHash('sha256');
  // The build depends on these besides its sources: its command stands in package.json.
  for (const file of ['tsconfig.json', 'package.json']) hash.update(readFileSync(join(root, file)));
  for (const folder of SOURCE_FOLDERS) {
    for (const path of sourceFiles(join(root, folder)).sort()) {
      const { mtimeMs, size } = statSync(path);
      hash.update(`${path} ${mtimeMs} ${size}\n`);
    }
  }
  const wanted = hash.digest('hex');
  if (readStamp(buildStamp) === wanted) return;
  await run('building', 'npm', ['run', '--silent', 'build']);
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(buildStamp, wanted);
}

/** `npm start` begins with a copy of it, made by this build. It ends when it was made, so that it is made anew before a gap shows. */
async function ensureDemoHistory() {
  const folder = join(root, 'node_modules', '.cache', 'demo-history');
  const madeMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (madeMs > Math.max(Date.now() - HISTORY_OLD_MS, statSync(buildStamp).mtimeMs)) return;
  const making = `${folder}.new`;
  for (const old of [folder, making]) rmSync(old, { recursive: true, force: true });
  await run('making four weeks of history for the demo', 'env', [
    '--unset=DATABASE_URL',
    '--unset=SERVER_KEY',
    `DATA_DIR=${making}`,
    process.execPath,
    'dist/scripts/make-history.js',
    'scripts/demo-site.yaml',
  ]);
  renameSync(making, folder);
}

await ensurePackages();
if (process.argv.includes('--test')) await ensureTestPrograms();
if (process.argv.includes('--cluster')) await ensurePrograms(CLUSTER_PROGRAMS);
if (process.argv.includes('--image')) {
  const missing = (await ensurePrograms(imagePrograms())).map(({ debianPackage }) => debianPackage);
  if (missing.length > 0) fail(`programs that make a card or try it are missing (as root: ${installLine(missing)}).`);
}
await ensureBuild();
if (!['--test', '--cluster', '--image'].some((option) => process.argv.includes(option))) await ensureDemoHistory();
