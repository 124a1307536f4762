/**
 * The server that libmodbus tests its own clients with. Debian's `libmodbus-dev` has it in source among its examples: it is compiled in a
 * temporary folder, for the port or the serial line of the test, and nothing of it is kept. It knows faults that we would not think of.
 */
import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endServer, startServer } from '../world/server-program.js';

const exec = promisify(execFile);
const EXAMPLES = 'usr/share/doc/libmodbus-dev/examples';
const PACKAGES = ['libmodbus5', 'libmodbus-dev'];
const DOWNLOAD_WITHIN_MS = 60_000;

/** What it is and answers, as its source says. */
export const LIBMODBUS = {
  unit: 17,
  /** 22 bits from here: ac db 35, the lowest first. */
  inputBits: 0x1c4,
  /** One register, which holds 10. */
  inputRegister: 0x108,
  /** 32 registers, all 0, and no more. */
  registers: 0x160,
  /** Function 3 from these addresses is answered wrongly. */
  busy: 0x170,
  wrongTransaction: 0x171,
  halfASecond: 0x172,
  byteByByte: 0x173,
} as const;

export interface LibmodbusServer {
  /** Runs it; it serves one connection and ends with that. */
  serve(): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** Where the package's files are: the machine's, or those of a folder that they were unpacked into. null: they cannot be had. */
async function findPackage(directory: string): Promise<string | null> {
  if (existsSync(`/${EXAMPLES}/unit-test-server.c`) && existsSync('/usr/include/modbus/modbus.h')) return '/';
  try {
    // Where documentation is left out of packages, and where nobody may install any.
    await exec('apt-get', ['download', ...PACKAGES], { cwd: directory, timeout: DOWNLOAD_WITHIN_MS });
    const files = readdirSync(directory).filter((name) => name.endsWith('.deb'));
    for (const file of files) await exec('dpkg', ['-x', file, 'root'], { cwd: directory });
    return join(directory, 'root');
  } catch {
    return null;
  }
}

/**
 * Compiles it. null: there is no compiler, or the package can neither be found nor downloaded.
 * @param at the port, or the path of a serial line
 * @throws under CI where it cannot be had
 */
export async function buildLibmodbusServer(at: number | string): Promise<LibmodbusServer | null> {
  const directory = mkdtempSync(join(tmpdir(), 'libmodbus-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const root = await findPackage(directory);
  if (root === null) {
    remove();
    if (process.env.CI !== undefined) throw new Error('libmodbus-dev is missing: scripts/setup --test installs it');
    process.stderr.write('SKIPPED: the server of libmodbus: libmodbus-dev is neither installed nor to be downloaded\n');
    return null;
  }
  const examples = join(root, EXAMPLES);
  const source = readFileSync(join(examples, 'unit-test-server.c'), 'utf8')
    .replace('modbus_new_tcp("127.0.0.1", 1502)', `modbus_new_tcp("127.0.0.1", ${typeof at === 'number' ? at : 0})`)
    .replace('modbus_new_rtu("/dev/ttyUSB0", 115200', `modbus_new_rtu(${JSON.stringify(String(at))}, 9600`);
  writeFileSync(join(directory, 'server.c'), source);
  const library = readdirSync(join(root, 'usr/lib')).map((name) => join(root, 'usr/lib', name));
  const folder = library.find((path) => existsSync(join(path, 'libmodbus.so'))) ?? '';
  const program = join(directory, 'server');
  const flags = [`-I${examples}`, `-I${join(root, 'usr/include/modbus')}`, `-L${folder}`, `-Wl,-rpath,${folder}`];
  await exec('gcc', ['-w', '-o', program, join(directory, 'server.c'), ...flags, '-lmodbus']);
  let child: ChildProcess | undefined;
  const stop = () => endServer(child, 'SIGKILL');
  return {
    async serve() {
      await stop();
      // It says nothing until somebody connects, and takes one connection only: whoever connects tries until it listens.
      child = await startServer({
        name: 'libmodbus',
        program,
        args: [typeof at === 'number' ? 'tcp' : 'rtu'],
        answers,
      });
    },
    stop,
    async remove() {
      await stop();
      remove();
    },
  };
}

const answers = () => Promise.resolve(true);
