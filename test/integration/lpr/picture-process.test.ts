import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { createChildPictureMaker } from '../../../agent/lpr/pictures/child-picture-maker.js';
import type { PictureMaker } from '../../../agent/lpr/pictures/picture-maker.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { FakeClock } from '../../world/fake-clock.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { MINUTE_MS } from '../../../shared/durations.js';

const clock = new FakeClock();
let maker: PictureMaker | null = null;

afterEach(async () => {
  await maker?.close();
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The processes whose parent this one is. */
const childrenOf = (): number[] =>
  readdirSync(`/proc/${process.pid}/task`).flatMap((tid) =>
    readFileSync(`/proc/${process.pid}/task/${tid}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );

const isGone = (pid: number) => waitUntil('the picture process to be gone', () => !isAlive(pid));

function createServed(): PictureMaker {
  const program = new URL('./picture-servant.js', import.meta.url);
  maker = createChildPictureMaker({ clock, logger: silentLogger, program });
  return maker;
}

const wish = (made: PictureMaker, what: string) => made.scale(Buffer.from(what), null);
const pidOf = async (made: PictureMaker) => Number(Buffer.from(await wish(made, 'pid')).toString());

describe('the picture process', () => {
  it('makes a picture small, cuts a part out, and says why it cannot', async () => {
    maker = createChildPictureMaker({ clock: systemClock, logger: silentLogger });
    const background = { r: 200, g: 10, b: 10 };
    const big = await sharp({ create: { width: 2000, height: 1000, channels: 3, background } })
      .jpeg()
      .toBuffer();
    const sizeOf = async (jpeg: Uint8Array) => {
      const { width, height, format } = await sharp(jpeg).metadata();
      return { width, height, format };
    };
    expect(await sizeOf(await maker.scale(big, null))).toEqual({ width: 1280, height: 640, format: 'jpeg' });
    const box = { left: 1900, top: 900, width: 100, height: 100 };
    expect(await sizeOf(await maker.scale(big, box))).toEqual({ width: 100, height: 100, format: 'jpeg' });
    await expect(maker.scale(big.subarray(0, big.length / 2), null)).rejects.toThrow(/VipsJpeg|premature/i);
    expect(await sizeOf(await maker.scale(big, box))).toMatchObject({ width: 100 });
  });

  it('decodes nothing that says it has more pixels than any camera', async () => {
    maker = createChildPictureMaker({ clock: systemClock, logger: silentLogger });
    const bomb = await sharp({ create: { width: 30_000, height: 800, channels: 3, background: '#345' } })
      .jpeg()
      .toBuffer();
    const frame = bomb.indexOf(Buffer.from([0xff, 0xc0]));
    bomb.writeUInt16BE(30_000, frame + 5);
    await expect(maker.scale(bomb, null)).rejects.toThrow(/pixel limit/);
  });

  it('stays while pictures come, and goes when none came for a minute', async () => {
    const served = createServed();
    const pid = await pidOf(served);
    await clock.advance(MINUTE_MS - 1);
    expect(await pidOf(served)).toBe(pid);
    await clock.advance(MINUTE_MS - 1);
    expect(isAlive(pid)).toBe(true);
    await clock.advance(1);
    await isGone(pid);
    expect(await pidOf(served)).not.toBe(pid);
  });

  it('costs the picture it had when it dies, and no other', async () => {
    const served = createServed();
    await expect(wish(served, 'die')).rejects.toThrow('it ended (exit code 3)');
    const pid = await pidOf(served);
    process.kill(pid, 'SIGKILL');
    await isGone(pid);
    expect(await waitUntil('another one', () => pidOf(served).catch(() => null))).not.toBe(pid);
  });

  it('is ended when it hangs', async () => {
    const served = createServed();
    const pid = await pidOf(served);
    const hanging = expect(wish(served, 'hang')).rejects.toThrow('not made within 20 s');
    await clock.advance(20_000);
    await hanging;
    await isGone(pid);
    expect(await pidOf(served)).not.toBe(pid);
  });

  it('gives way to the gateway with every thread that it has', async () => {
    maker = createChildPictureMaker({ clock: systemClock, logger: silentLogger });
    const before = new Set(childrenOf());
    const big = await sharp({ create: { width: 2000, height: 1000, channels: 3, background: '#345' } })
      .jpeg()
      .toBuffer();
    await maker.scale(big, null);
    const pid = childrenOf().find((each) => !before.has(each)) ?? 0;
    const threads = readdirSync(`/proc/${pid}/task`);
    expect(threads.length).toBeGreaterThan(1);
    const names = threads.map((tid) => [
      readFileSync(`/proc/${pid}/task/${tid}/comm`, 'utf8').trim(),
      getPriority(Number(tid)),
    ]);
    expect(names.filter(([, priority]) => priority !== constants.priority.PRIORITY_BELOW_NORMAL)).toEqual([]);
  });

  it('cannot open a file of the gateway, and has none of its rights', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
    const secret = join(folder, 'identity.json');
    writeFileSync(secret, 'the key of the gateway');
    const served = createServed();
    const pid = await pidOf(served);
    for (const path of [secret, '/etc/passwd', `/proc/${process.pid}/environ`])
      await expect(wish(served, path)).rejects.toThrow(/EACCES|EPERM/);
    const own = Buffer.from(await wish(served, fileURLToPath(import.meta.url))).toString();
    expect(own).toContain('cannot open a file of the gateway');
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^CapAmb:\t0+$/m);
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^NoNewPrivs:\t1$/m);
    rmSync(folder, { recursive: true });
  });

  it('is gone when the gateway stops, and makes no more', async () => {
    const served = createServed();
    const pid = await pidOf(served);
    const hanging = expect(wish(served, 'hang')).rejects.toThrow('it ended (SIGKILL)');
    await served.close();
    await hanging;
    expect(isAlive(pid)).toBe(false);
    await expect(wish(served, 'pid')).rejects.toThrow('the gateway is stopping');
  });
});
