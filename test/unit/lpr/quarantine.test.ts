import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createQuarantine, listQuarantine } from '../../../agent/lpr/push/quarantine.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../sim/world/fake-clock.js';

function push(body: string, reason = 'no XML part') {
  return {
    camera_device_id: 'cam-in',
    driver: 'hikvision',
    reason,
    content_type: 'text/plain',
    body: Buffer.from(body),
  };
}

describe('quarantine', () => {
  let directory: string;
  const clock = new FakeClock();

  beforeEach(async () => {
    directory = join(await mkdtemp(join(tmpdir(), 'quarantine-')), 'pushes');
  });
  afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }));

  it('keeps a push with what is known of it', async () => {
    const quarantine = createQuarantine({ directory, clock, logger: silentLogger });
    await quarantine.add(push('hello'));
    const [entry] = await listQuarantine(directory);
    expect(entry).toEqual({
      at_ms: clock.now(),
      camera_device_id: 'cam-in',
      driver: 'hikvision',
      reason: 'no XML part',
      content_type: 'text/plain',
      bytes: 5,
      body_file: expect.stringContaining(directory),
    });
    expect(await readFile(entry!.body_file, 'utf8')).toBe('hello');
  });

  it('keeps the last ones only, by number and by bytes', async () => {
    const limits = { pushesMax: 3, bytesMax: 100 };
    const quarantine = createQuarantine({ directory, clock, logger: silentLogger, limits });
    await Promise.all(['a', 'b', 'c', 'd'].map((body) => quarantine.add(push(body, body))));
    expect((await listQuarantine(directory)).map(({ reason }) => reason)).toEqual(['b', 'c', 'd']);
    await quarantine.add(push('x'.repeat(99), 'large'));
    expect((await listQuarantine(directory)).map(({ reason }) => reason)).toEqual(['d', 'large']);
    expect(await readdir(directory)).toHaveLength(4);
  });

  it('clears away what a stop left half written', async () => {
    const quarantine = createQuarantine({ directory, clock, logger: silentLogger });
    await quarantine.add(push('first'));
    await writeFile(join(directory, 'half.bin'), 'no entry');
    await writeFile(join(directory, 'torn.json'), '{"at_ms":');
    expect(await listQuarantine(directory)).toHaveLength(1);
    await quarantine.add(push('second'));
    expect(await readdir(directory)).toHaveLength(4);
  });

  it('is empty without a folder, and lets nothing fail', async () => {
    expect(await listQuarantine(directory)).toEqual([]);
    const file = join(directory, '..', 'file');
    await writeFile(file, '');
    const errors: string[] = [];
    const logger = { ...silentLogger, error: (_: object, message: string) => void errors.push(message) };
    await createQuarantine({ directory: file, clock, logger }).add(push('x'));
    expect(errors).toEqual(['malformed push could not be kept']);
  });
});
