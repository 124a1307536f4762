import { describe, expect, it } from 'vitest';
import { createRequestTurns } from '../../../cloud/kernel/limit/request-turns.js';
import { createThreadShare } from '../../../cloud/kernel/limit/thread-share.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

const ONE = { account_id: 1, token: 'api:1' };
const ONE_TOO = { account_id: 1, token: 'api:2' };
const OTHER = { account_id: 2, token: 'api:3' };

/** A piece of work that takes so long by the clock. */
function shareOf() {
  const clock = new FakeClock();
  const done: string[] = [];
  const share = createThreadShare({ clock });
  const work = (of: typeof ONE, name: string, tookMs: number) =>
    share.run(of, () => {
      clock.pass(tookMs);
      done.push(name);
    });
  return { clock, done, share, work };
}

describe('the share of the thread', () => {
  it('makes an account that used it up wait, with all its tokens, and nobody else', async () => {
    const { clock, done, share, work } = shareOf();
    await work(ONE, 'long', 150);
    await settle();
    // A quarter of the thread: 100 ms too many are paid in 400.
    const waiting = [work(ONE, 'again', 1), work(ONE_TOO, 'another token', 1)];
    await work(OTHER, 'other', 1);
    await settle();
    expect(share.turn(OTHER)).toBeNull();
    expect(share.turn(ONE_TOO)).not.toBeNull();
    expect(done).toEqual(['long', 'other']);
    await clock.advance(390);
    expect(done).toEqual(['long', 'other']);
    await clock.advance(20);
    await Promise.all(waiting);
    expect(done.slice(2).toSorted()).toEqual(['again', 'another token']);
  });

  it('tells a piece when it took long enough', async () => {
    const { clock, share } = shareOf();
    const items = await share.run(ONE, (isLong) => {
      let made = 0;
      while (!isLong()) {
        clock.pass(1);
        made += 1;
      }
      return made;
    });
    expect(items).toBe(4);
  });

  it('counts a piece that fails', async () => {
    const { clock, share } = shareOf();
    const failed = share.run(ONE, () => {
      clock.pass(100);
      throw new Error('broken');
    });
    await expect(failed).rejects.toThrow('broken');
    await settle();
    expect(share.turn(ONE)).not.toBeNull();
    await clock.advance(200);
    expect(share.turn(ONE)).toBeNull();
  });
});

describe('the requests of a token', () => {
  it('are under way 16 at a time, and make no other token wait', async () => {
    const { share } = shareOf();
    const turns = createRequestTurns({ share });
    const ends: (() => void)[] = [];
    const begun: string[] = [];
    const request = (of: typeof ONE) =>
      turns.run(of, async () => {
        begun.push(of.token);
        await new Promise<void>((resolve) => ends.push(resolve));
      });
    const all = Array.from({ length: 20 }, () => request(ONE));
    all.push(request(ONE_TOO));
    expect(begun.filter((token) => token === ONE.token)).toHaveLength(16);
    expect(begun).toContain(ONE_TOO.token);
    for (let at = 0; at < all.length; at++) {
      await expect.poll(() => ends.length).toBeGreaterThan(at);
      ends[at]?.();
    }
    await Promise.all(all);
    expect(begun).toHaveLength(21);
  });
});
