import { execFile } from 'node:child_process';

const WITHIN_MS = 5_000;

/**
 * Switches the kernel's adapter off and on, with BlueZ's own tool, where that is installed and this program may. It frees an adapter that
 * no reset reaches any more.
 * @returns whether it was possible; never rejects
 */
export async function cyclePower(index: number): Promise<boolean> {
  return (await setPower(index, 'off')) && (await setPower(index, 'on'));
}

function setPower(index: number, power: 'on' | 'off'): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('btmgmt', ['--index', String(index), 'power', power], { timeout: WITHIN_MS }, (error) =>
      resolve(error === null),
    );
  });
}
