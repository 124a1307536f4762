import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BodyReservation, createBodyBudget } from '../../../agent/lpr/push/body-budget.js';
import { FakeClock, settle } from '../../sim/world/fake-clock.js';

const MIB = 1024 * 1024;

function budgetWorld() {
  const clock = new FakeClock();
  const budget = createBodyBudget({ clock });
  /** Asks, and says how it went; `undefined`: it waits. */
  const ask = (camera: string, bytes: number) => {
    const asked: { got: BodyReservation | null | undefined } = { got: undefined };
    void budget.reserve(camera, bytes).then((got) => {
      asked.got = got;
    });
    return asked;
  };
  return { clock, budget, ask };
}

describe('the budget of bodies', () => {
  it('gives a camera so much, and lets it wait for its own while others go on', async () => {
    const { budget, ask } = budgetWorld();
    const first = ask('a', 8 * MIB);
    const second = ask('a', 1 * MIB);
    const other = ask('b', 8 * MIB);
    await settle();
    expect([first.got, second.got, other.got]).toEqual([expect.anything(), undefined, expect.anything()]);
    first.got?.release();
    first.got?.release();
    await settle();
    expect(second.got).toEqual(expect.anything());
    expect(budget.bytesInFlight()).toBe(9 * MIB);
  });

  it('refuses after 5 s, and at once when too many wait', async () => {
    const { clock, ask, budget } = budgetWorld();
    const cameras = ['a', 'b', 'c', 'd'];
    for (const camera of cameras) ask(camera, 8 * MIB);
    const waiting = Array.from({ length: 40 }, (_, at) => ask(`other ${at % 10}`, 1 * MIB));
    const greedy = Array.from({ length: 10 }, () => ask('greedy', 1 * MIB));
    await settle();
    expect(waiting.filter(({ got }) => got === undefined)).toHaveLength(32);
    expect(greedy.filter(({ got }) => got === undefined)).toHaveLength(0);
    await clock.advance(5_000);
    expect(waiting.every(({ got }) => got === null)).toBe(true);
    expect(budget.bytesInFlight()).toBe(32 * MIB);
    expect(clock.pending).toBe(0);
  });

  it('lets no more than four of a camera wait', async () => {
    const { ask } = budgetWorld();
    const asked = Array.from({ length: 10 }, () => ask('a', 8 * MIB));
    await settle();
    expect(asked.map(({ got }) => got === undefined)).toEqual([false, true, true, true, true, ...Array(5).fill(false)]);
  });

  it('lets nobody pass by who waits for the others', async () => {
    const { ask } = budgetWorld();
    const held = ['a', 'b', 'c'].map((camera) => ask(camera, 8 * MIB));
    ask('d', 4 * MIB);
    const large = ask('e', 8 * MIB);
    const small = ask('f', 1 * MIB);
    await settle();
    expect([large.got, small.got]).toEqual([undefined, undefined]);
    held[0]?.got?.release();
    await settle();
    expect([large.got, small.got]).toEqual([expect.anything(), expect.anything()]);
  });

  it('never has more in flight than its bounds, and loses none', async () => {
    const step = fc.record({
      camera: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      mib: fc.integer({ min: 0, max: 8 }),
      kind: fc.constantFrom('ask', 'ask', 'grow', 'release', 'wait'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { clock, budget, ask } = budgetWorld();
        const asked: ReturnType<typeof ask>[] = [];
        for (const { camera, mib, kind } of steps) {
          const one = asked[mib % Math.max(1, asked.length)]?.got;
          if (kind === 'ask') asked.push(ask(camera, mib * MIB));
          if (kind === 'grow') one?.growTo(mib * MIB);
          if (kind === 'release') one?.release();
          if (kind === 'wait') await clock.advance(2_000);
          await Promise.resolve();
          expect(budget.bytesInFlight()).toBeLessThanOrEqual(32 * MIB);
        }
        await clock.advance(10_000);
        for (const { got } of asked) got?.release();
        await clock.advance(10_000);
        for (const { got } of asked) got?.release();
        expect([budget.bytesInFlight(), clock.pending]).toEqual([0, 0]);
      }),
      { numRuns: 50 },
    );
  });
});
