import { describe, expect, it } from 'vitest';
import { createThreadShare } from '../../../agent/lpr/push/thread-share.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

/** A second of work is far more than a sender may do at once. */
const DEAR_MS = 1_000;

function shareWorld() {
  const clock = new FakeClock();
  /** The time that passed in work, while no timer could fire. */
  let workedMs = 0;
  const share = createThreadShare({
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic() + workedMs,
      setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire),
    },
  });
  const done: string[] = [];
  const work = (name: string, ms: number) => () => {
    workedMs += ms;
    done.push(name);
  };
  return { clock, share, done, work };
}

describe('the share of the thread', () => {
  it('lets who used much wait, in its order, and nobody else', async () => {
    const { clock, share, done, work } = shareWorld();
    share.count('dear', work('first', DEAR_MS));
    void share.inTurn('dear', work('second', 0));
    void share.inTurn('dear', work('third', 0));
    void share.inTurn('other', work('other', 0));
    await settle();
    expect(done).toEqual(['first', 'other']);
    const waitMs = share.waitMs('dear');
    expect([share.waitMs('other'), waitMs]).toEqual([0, expect.toSatisfy((ms: number) => ms > 2 * DEAR_MS)]);
    await clock.advance(waitMs - 1);
    expect(done).toHaveLength(2);
    await clock.advance(1);
    expect(done).toEqual(['first', 'other', 'second', 'third']);
  });

  it('does at once what costs as much as pushes with pictures do', async () => {
    const { clock, share, done, work } = shareWorld();
    for (let push = 0; push < 100; push++) {
      await share.inTurn('camera', work('push', 10));
      expect(share.waitMs('camera')).toBe(0);
      await clock.advance(100);
    }
    expect(done).toHaveLength(100);
  });

  it('holds up nothing while work waits for something else', async () => {
    const { share, done, work } = shareWorld();
    void share.inTurn('camera', () => new Promise<void>(() => {}));
    void share.inTurn('camera', work('next', 0));
    await settle();
    expect(done).toEqual(['next']);
  });

  it('counts what came before in the same turn', async () => {
    const { clock, share, done, work } = shareWorld();
    void share.inTurn('dear', work('first', DEAR_MS));
    void share.inTurn('dear', work('second', 0));
    await settle();
    expect(done).toEqual(['first']);
    await clock.advance(share.waitMs('dear'));
    expect(done).toEqual(['first', 'second']);
  });

  it('counts work that fails', () => {
    const { share, work } = shareWorld();
    const fails = () =>
      share.count('dear', () => {
        work('fails', DEAR_MS)();
        throw new Error('as it must');
      });
    expect(fails).toThrow('as it must');
    expect(share.waitMs('dear')).toBeGreaterThan(0);
  });
});
