/** A serial device without a wire: a program opens its path, and this process is at the other end. */
import { spawn } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { waitUntil } from '../wait-until.js';
import { SOCAT } from './serial-pair.js';
import { errorText } from '../../../shared/error-text.js';

const SAID_MAX = 2_000;
/** Others, such as a comma, are of the language in which socat is told what to do. */
const PATH = /^\/[\w/.+-]+$/;

export interface SerialDevice {
  write(bytes: Buffer): void;
  close(): Promise<void>;
}

/**
 * Makes a pseudo-terminal that is found at a path. socat holds it, and goes with this process, however that ends: with it goes the path.
 * @param program socat
 * @throws when something is there already, the path cannot be made, or socat is not installed
 */
export async function openSerialDevice(
  { path, program = SOCAT }: { path: string; program?: string },
  onBytes: (bytes: Buffer) => void,
): Promise<SerialDevice> {
  if (!PATH.test(path)) throw new Error('a path is letters, digits and /._+- here, such as /tmp/parking-serial');
  if (isUsed(path)) throw new Error('something is there already: remove it, or choose another path');
  // Between two pseudo-terminals it would outlive a process that was killed; a pipe ends with the process.
  const socat = spawn(program, [`pty,raw,echo=0,link=${path}`, 'stdio'], { stdio: 'pipe' });
  let said = '';
  let isEnded = false;
  const ended = new Promise<void>((resolve) => {
    // After `error` there is no `close`, if it could not be started.
    socat.once('error', (error: NodeJS.ErrnoException) => {
      said = error.code === 'ENOENT' ? missing(program) : errorText(error);
      isEnded = true;
      resolve();
    });
    socat.once('close', () => {
      isEnded = true;
      resolve();
    });
  });
  socat.stderr.on('data', (bytes: Buffer) => (said = `${said}${bytes.toString()}`.slice(-SAID_MAX)));
  // Bytes written after its end are lost, as on a wire.
  socat.stdin.on('error', () => {});
  socat.stdout.on('data', onBytes);
  await waitUntil(`the serial device ${path}`, () => isEnded || existsSync(path));
  if (isEnded) throw new Error(reasonOf(said));
  return {
    write: (bytes) => void socat.stdin.write(bytes),
    close() {
      socat.stdin.end();
      socat.kill();
      return ended;
    },
  };
}

const missing = (program: string) =>
  `${program} is not installed: install Debian's package socat (scripts/setup --test does)`;

/** A link that leads nowhere is what was left of a device whose end was violent. */
const isUsed = (path: string): boolean =>
  existsSync(path) || lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;

/** The last of its errors without its date, name and process id. */
function reasonOf(said: string): string {
  const last = said.trimEnd().split('\n').at(-1) ?? '';
  return last.replace(/^.* E /, '');
}
