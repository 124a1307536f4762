import { execFile, type ExecFileException } from 'node:child_process';

const WITHIN_MS = 5_000;

/**
 * Switches the kernel's adapter off and on, with BlueZ's own tool, where that is installed and this program may. It frees an adapter that
 * no reset reaches any more. Never rejects.
 * @param tool the program, found by PATH
 * @returns why it was not possible, in words for people; null: it was done
 */
export async function cyclePower(index: number, tool = 'btmgmt'): Promise<string | null> {
  return (await setPower(tool, index, 'off')) ?? (await setPower(tool, index, 'on'));
}

function setPower(tool: string, index: number, power: 'on' | 'off'): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(tool, ['--index', String(index), 'power', power], { timeout: WITHIN_MS }, (error, _stdout, stderr) =>
      resolve(error === null ? null : problemOf(tool, error, stderr)),
    );
  });
}

function problemOf(tool: string, error: ExecFileException, stderr: string): string {
  if (error.code === 'ENOENT') return `${tool} is not installed`;
  if (error.killed === true) return `${tool} did not end within ${WITHIN_MS} ms`;
  const [said = ''] = stderr.trim().split('\n');
  return `${tool} ended with ${error.code ?? error.signal}${said === '' ? '' : `: ${said}`}`;
}
