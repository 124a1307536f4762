import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createQuarantine, listQuarantine } from '../../../agent/lpr/push/quarantine.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';

function push(body: string, reason = 'no XML part') {
  return {
    camera_device_id: 'cam-in',
    driver: 'hikvision',
    reason,
    content_type: 'text/plain',
    timezone: 'Europe/Zagreb',
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
      timezone: 'Europe/Zagreb',
      bytes: 5,
      kept_bytes: 5,
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

  it('keeps the last ones also after a clock that was ten years ahead', async () => {
    const limits = { pushesMax: 3, bytesMax: 100 };
    const jumping = new FakeClock();
    const start = () => createQuarantine({ directory, clock: jumping, logger: silentLogger, limits });
    jumping.jumpWall(10 * 365 * 86_400_000);
    for (const body of ['a', 'b', 'c']) await start().add(push(body, body));
    jumping.jumpWall(-10 * 365 * 86_400_000);
    for (const body of ['d', 'e']) await start().add(push(body, body));
    const kept = await listQuarantine(directory);
    expect(kept.map(({ reason }) => reason)).toEqual(['c', 'd', 'e']);
    expect(kept.at(-1)?.at_ms).toBe(jumping.now());
  });

  it('never lets a noisy camera push out what others sent', async () => {
    const limits = { pushesMax: 8, pushesPerCameraMax: 4 };
    const minutes = new FakeClock();
    const quarantine = createQuarantine({ directory, clock: minutes, logger: silentLogger, limits });
    await quarantine.add({ ...push('quiet'), camera_device_id: 'quiet' });
    for (let at = 0; at < 10; at++) {
      for (const camera_device_id of ['noisy', 'loud', 'busy'])
        await quarantine.add({ ...push('x'.repeat(300_000), `${at}`), camera_device_id });
      await minutes.advance(10_000);
    }
    const kept = await listQuarantine(directory);
    const ofCamera = (camera: string) => kept.filter(({ camera_device_id }) => camera_device_id === camera);
    expect(ofCamera('quiet')).toHaveLength(1);
    expect(ofCamera('noisy').length).toBeLessThanOrEqual(4);
    expect(kept).toHaveLength(8);
    expect(kept.at(-1)).toMatchObject({ bytes: 300_000, kept_bytes: 256 * 1024 });
  });

  it('makes room in the camera that holds most, by bytes too', async () => {
    const limits = { pushesMax: 4, bytesMax: 100, bytesPerCameraMax: 90 };
    const quarantine = createQuarantine({ directory, clock: new FakeClock(), logger: silentLogger, limits });
    const add = (camera_device_id: string, body: string) => quarantine.add({ ...push(body, body), camera_device_id });
    for (const body of ['a1', 'a2', 'a3']) await add('a', body);
    await add('b', 'b1');
    await add('b', 'b2');
    expect((await listQuarantine(directory)).map(({ reason }) => reason)).toEqual(['a2', 'a3', 'b1', 'b2']);
    await add('c', 'c'.repeat(90));
    await add('b', 'b3'.repeat(10));
    expect((await listQuarantine(directory)).map(({ camera_device_id }) => camera_device_id)).not.toContain('c');
  });

  it('writes so often within a minute and no more, for each camera and in all', async () => {
    const writes = new FakeClock();
    const quarantine = createQuarantine({ directory, clock: writes, logger: silentLogger });
    const addAll = async (count: number) => {
      const kept = { noisy: 0, all: 0 };
      for (let at = 0; at < count; at++) {
        if (await quarantine.add({ ...push('x'), camera_device_id: 'noisy' })) kept.noisy += 1;
        if (await quarantine.add({ ...push('x'), camera_device_id: `camera ${at}` })) kept.all += 1;
      }
      return kept;
    };
    expect(await addAll(50)).toEqual({ noisy: 6, all: 18 });
    await writes.advance(60_000);
    expect(await quarantine.add({ ...push('x'), camera_device_id: 'noisy' })).toBe(true);
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
