import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDownloadLimit } from '../../../cloud/equipment/release/release-routes.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'release-share-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

it('lets go of a file that is still being opened when the gateway goes', async () => {
  // A pipe is open for reading as soon as somebody writes to it.
  const path = join(directory, 'pipe');
  execFileSync('mkfifo', [path]);
  const part = createDownloadLimit(new FakeClock()).stream('gateway', path, { start: 0, end: 9 }).getReader();
  const asked = part.read();
  await settle();
  await part.cancel();
  expect(await asked).toMatchObject({ done: true });
  const writer = await open(path, 'w');
  const write = () =>
    writer.write('x').then(
      () => 'somebody reads',
      (error: NodeJS.ErrnoException) => error.code,
    );
  await expect.poll(write).toBe('EPIPE');
  await writer.close();
});
