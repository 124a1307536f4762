import { describe, expect, it } from 'vitest';
import { createPacedPush } from '../../../cloud/doors/realtime/paced-push.js';
import { FakeClock } from '../../world/fake-clock.js';

/** Pushes that need as long as `setDuration` says; `sent` holds the items of each. */
function bench() {
  const clock = new FakeClock();
  const sent: number[][] = [];
  const errors: unknown[] = [];
  let durationMs = 0;
  let busyMs = 0;
  let failure: Error | undefined;
  const paced = createPacedPush<number>({
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic() + busyMs,
      setTimer: (...args) => clock.setTimer(...args),
    },
    send(items) {
      sent.push([...items]);
      busyMs += durationMs;
      if (failure !== undefined) throw failure;
    },
    onError: (error) => errors.push(error),
  });
  return {
    clock,
    paced,
    sent,
    errors,
    setDuration: (ms: number) => (durationMs = ms),
    fails: (error: Error | undefined) => (failure = error),
  };
}

describe('a paced push', () => {
  it('pushes at once what needs no time', () => {
    const { paced, sent, setDuration, clock } = bench();
    setDuration(1);
    paced.push([1]);
    paced.push([2, 3]);
    expect(sent).toEqual([[1], [2, 3]]);
    expect(clock.pending).toBe(0);
  });

  it('pauses for as long as a push took, and then pushes all that came, in its order', async () => {
    const { paced, sent, setDuration, clock } = bench();
    setDuration(10);
    paced.push([1]);
    paced.push([2]);
    paced.push([3, 4]);
    await clock.advance(9);
    expect(sent).toEqual([[1]]);
    await clock.advance(1);
    expect(sent).toEqual([[1], [2, 3, 4]]);
    paced.push([5]);
    await clock.advance(10);
    expect(sent).toEqual([[1], [2, 3, 4], [5]]);
  });

  it('does not keep back what comes when the pause is over', async () => {
    const { paced, sent, setDuration, clock } = bench();
    setDuration(10);
    paced.push([1]);
    await clock.advance(10);
    expect(clock.pending).toBe(0);
    paced.push([2]);
    expect(sent).toEqual([[1], [2]]);
  });

  it('goes on after a push that failed, and reports each failure once', async () => {
    const { paced, sent, setDuration, fails, errors, clock } = bench();
    setDuration(10);
    fails(new Error('at once'));
    expect(() => paced.push([1])).toThrow('at once');
    paced.push([2]);
    fails(new Error('later'));
    await clock.advance(10);
    paced.push([3]);
    fails(undefined);
    await clock.advance(10);
    expect(sent).toEqual([[1], [2], [3]]);
    expect(errors).toEqual([new Error('later')]);
  });

  it('pushes what waits when it is closed, and leaves no timer', () => {
    const { paced, sent, setDuration, clock } = bench();
    setDuration(10);
    paced.push([1]);
    paced.push([2]);
    paced.close();
    paced.push([3]);
    expect(sent).toEqual([[1], [2], [3]]);
    expect(clock.pending).toBe(0);
  });
});
