import { describe, expect, it } from 'vitest';
import { createPollingTurns } from '../../../agent/sensor/modbus/polling-turns.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

describe('turns of polling', () => {
  it('are so many at once, in their order, and the next begins when one ends', async () => {
    const clock = new FakeClock();
    const turns = createPollingTurns({ clock, permits: 2 });
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const done = [0, 1, 2, 3].map((index) =>
      turns(() => {
        begun.push(index);
        return new Promise<void>((resolve) => (ends[index] = resolve));
      }),
    );
    await settle();
    expect(begun).toEqual([0, 1]);
    ends[1]?.();
    await settle();
    expect(begun).toEqual([0, 1, 2]);
    for (const index of [0, 2]) ends[index]?.();
    await settle();
    ends[3]?.();
    await Promise.all(done);
    expect([begun, clock.pending]).toEqual([[0, 1, 2, 3], 0]);
  });

  it('are held up for a quarter of a second by servers that do not answer, and no longer', async () => {
    const clock = new FakeClock();
    const turns = createPollingTurns({ clock, permits: 2 });
    for (let dead = 0; dead < 2; dead++) void turns(() => new Promise(() => {}));
    let answer: number | null = null;
    void turns(() => Promise.resolve(7)).then((value) => (answer = value));
    await clock.advance(249);
    expect(answer).toBeNull();
    await clock.advance(1);
    expect(answer).toBe(7);
  });

  it('go on after one that failed', async () => {
    const turns = createPollingTurns({ clock: new FakeClock(), permits: 1 });
    await expect(turns(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    await expect(turns(() => Promise.resolve(1))).resolves.toBe(1);
  });
});
