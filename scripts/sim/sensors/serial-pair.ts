/** A serial line without a wire: two pseudo-terminals, of which one reads what is written to the other. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { waitUntil } from '../wait-until.js';

export const SOCAT = '/usr/bin/socat';

/** Says whether tests can use a serial line. @throws under CI when socat is not installed */
export function hasSerialLine(): boolean {
  if (existsSync(SOCAT)) return true;
  if (process.env.CI !== undefined) throw new Error('socat is not installed: scripts/setup --test installs it');
  return false;
}

/** Makes the line with its two ends; it breaks when it is closed. */
export async function openSerialPair(near: string, far: string): Promise<{ close(): Promise<void> }> {
  const line = spawn(SOCAT, [`pty,raw,echo=0,link=${near}`, `pty,raw,echo=0,link=${far}`], { stdio: 'ignore' });
  const ended = new Promise((resolve) => line.once('exit', resolve));
  await waitUntil('the pseudo-terminals', () => existsSync(near) && existsSync(far));
  return {
    async close() {
      line.kill();
      await ended;
    },
  };
}
