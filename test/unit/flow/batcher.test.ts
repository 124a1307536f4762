import { describe, expect, it } from 'vitest';
import { createBatcher } from '../../../shared/flow/batcher.js';
import { FakeClock } from '../../world/fake-clock.js';

function batcherOf(onError?: (error: unknown) => void) {
  const clock = new FakeClock();
  const sent: number[][] = [];
  const state = { delayMs: 100, isBroken: false };
  const batcher = createBatcher<number>({
    clock,
    delayMs: () => state.delayMs,
    send(items) {
      if (state.isBroken) throw new Error('broken');
      sent.push([...items]);
    },
    ...(onError === undefined ? {} : { onError }),
  });
  return { clock, sent, state, batcher };
}

describe('a batcher', () => {
  it('sends together, in their order, what came within the time after the first', async () => {
    const { clock, sent, batcher } = batcherOf();
    batcher.add([1]);
    await clock.advance(99);
    batcher.add([2, 3]);
    expect([sent, batcher.size]).toEqual([[], 3]);
    await clock.advance(1);
    expect([sent, batcher.size, clock.pending]).toEqual([[[1, 2, 3]], 0, 0]);
    batcher.add([4]);
    batcher.flush();
    batcher.flush();
    batcher.add([5]);
    batcher.close();
    await clock.advance(1_000);
    expect(sent).toEqual([[1, 2, 3], [4]]);
  });

  it('sends at once without a delay, but nothing before what waits', async () => {
    const { clock, sent, state, batcher } = batcherOf();
    state.delayMs = 0;
    batcher.add([1]);
    expect(sent.splice(0)).toEqual([[1]]);
    state.delayMs = 100;
    batcher.add([2]);
    state.delayMs = 0;
    batcher.add([3]);
    expect(sent).toEqual([]);
    await clock.advance(100);
    expect(sent).toEqual([[2, 3]]);
  });

  it('tells who adds of a failure at once, and the listener of one after a wait', async () => {
    const errors: unknown[] = [];
    const { clock, state, batcher } = batcherOf((error) => errors.push(error));
    state.isBroken = true;
    batcher.add([1]);
    await clock.advance(100);
    expect(errors).toEqual([new Error('broken')]);
    state.delayMs = 0;
    expect(() => batcher.add([2])).toThrow('broken');
  });
});
