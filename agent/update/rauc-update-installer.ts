/**
 * The slots by RAUC, through its own program, which asks its service over D-Bus. The service runs as root and checks every bundle against the
 * keyring of the device; the agent runs as nobody in particular.
 */
import { type ExecFileException, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseRaucInfo, parseRaucReason, parseRaucStatus, parseRaucWritten } from './rauc-output-parser.js';
import { BundleRefused, type UpdateInstaller } from './update-installer.js';

const ANSWER_WITHIN_MS = 60_000;
/** A system is written to a slow card. */
const INSTALL_WITHIN_MS = 60 * 60_000;
const OUTPUT_BYTES_MAX = 1024 * 1024;
const CONFIGURATION = '/etc/rauc/system.conf';
const SAID_LINES = 20;
/** For `env`. The output of RAUC is judged: its libraries would print it in the language of the device. */
const RAUC = ['LC_ALL=C', 'LANGUAGE=', 'rauc'];
/** `env` finds no such program. */
const NOT_FOUND = 127;

/**
 * RAUC's words about a bundle that no other try would install. A certificate that is not valid yet or any more may be
 * the clock's fault.
 */
const REFUSAL =
  /signature|invalid bundle|not a (valid )?bundle|compatible|verif|does not appear|bundle format|older than|min(imum)?[- ]bundle[- ]version/i;
const NO_REFUSAL = /CA file|keyring|not yet valid|expired|D-Bus|proxy/i;

/**
 * @param options.restartFile a file whose appearance has the system restart the device (`systemd/parking-restart.path`): the agent may not
 * @param options.movingFile is there, and written just now, while something moves (`parking-trial.service` waits then); null: nobody looks
 * @param options.configuration of RAUC; left out: that of the device
 * @param options.environment of its program; left out: the agent's own
 */
export function createRaucUpdateInstaller(options: {
  restartFile: string;
  movingFile: string | null;
  configuration?: string;
  environment?: NodeJS.ProcessEnv;
}): UpdateInstaller {
  const { restartFile, movingFile, configuration = CONFIGURATION, environment } = options;
  const own = options.configuration === undefined ? [] : [`--conf=${configuration}`];

  function rauc(args: string[]): Promise<string> {
    const limits = { timeout: ANSWER_WITHIN_MS, maxBuffer: OUTPUT_BYTES_MAX, env: environment };
    return new Promise((resolve, reject) => {
      execFile('env', [...RAUC, ...own, ...args], limits, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(failureOf(error, `${stdout}\n${stderr}`));
      });
    });
  }

  const status = () => rauc(['status', '--detailed', '--output-format=json']);

  return {
    streams: true,
    async look() {
      if (!existsSync(configuration)) return null;
      const found = parseRaucStatus(await status());
      return { ...found, version: found.version ?? (await imageVersion()) };
    },
    async check(path) {
      return parseRaucInfo(await rauc(['info', '--output-format=json', path]));
    },
    written: async () => parseRaucWritten(await status()),
    install: (path, onProgress) => install([...own, 'install', path], environment, onProgress),
    choose: () => rauc(['status', 'mark-active', 'other']).then(() => undefined),
    restart: () => writeFile(restartFile, ''),
    async noteMoving(why) {
      if (movingFile === null) return;
      if (why === null) await rm(movingFile, { force: true });
      else await writeFile(movingFile, `${why}\n`);
    },
    markGood: () => rauc(['status', 'mark-good', 'booted']).then(() => undefined),
    markBad: () => rauc(['status', 'mark-bad', 'booted']).then(() => undefined),
  };
}

/** A card that was flashed has its version from the image. */
async function imageVersion(): Promise<string | null> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^IMAGE_VERSION="?([^"\n]+)"?$/m.exec(text)?.[1] ?? null;
}

function install(
  args: string[],
  env: NodeJS.ProcessEnv | undefined,
  onProgress: (percent: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('env', [...RAUC, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: INSTALL_WITHIN_MS,
      env,
    });
    const said: string[] = [];
    const hear = (line: string) => {
      const percent = /^\s*(\d{1,3})%/.exec(line)?.[1];
      if (percent === undefined) said.push(line);
      else onProgress(Math.min(100, Number(percent)));
      if (said.length > SAID_LINES) said.shift();
    };
    createInterface({ input: child.stdout }).on('line', hear);
    createInterface({ input: child.stderr }).on('line', hear);
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(failure(said.join('\n'), `exit code ${code}`))));
  });
}

function failureOf(error: ExecFileException, said: string): Error {
  if (error.code === NOT_FOUND) return new Error('rauc is not installed', { cause: error });
  if (error.killed === true)
    return new Error(`rauc did not end within ${ANSWER_WITHIN_MS / 1_000} s`, { cause: error });
  return failure(said, `exit code ${error.code ?? error.signal}`);
}

function failure(said: string, how: string): Error {
  const why = parseRaucReason(said) ?? how;
  const isRefusal = REFUSAL.test(why) && !NO_REFUSAL.test(why);
  return isRefusal ? new BundleRefused(why) : new Error(`rauc: ${why}`);
}
