import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { type BodyReservation, createBodyBudget } from '../../../agent/lpr/push/body-budget.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

const MIB = 1024 * 1024;

function budgetWorld() {
  const clock = new FakeClock();
  const budget = createBodyBudget({ clock });
  /** Asks, and says how it went; `undefined`: it waits. */
  const ask = (camera: string, bytes: number) => {
    const asked: { got: BodyReservation | null | undefined; isCut: boolean } = { got: undefined, isCut: false };
    const cut = () => {
      asked.isCut = true;
      asked.got?.release();
    };
    void Promise.resolve(budget.reserve(camera, bytes, cut)).then((got) => {
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
    const held = cameras.map((camera) => ask(camera, 8 * MIB));
    await settle();
    for (const { got } of held) got?.isWhole();
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

  it('cuts a body that comes too slowly, in time for all of its camera that wait', async () => {
    const { clock, budget, ask } = budgetWorld();
    const slow = Array.from({ length: 4 }, () => ask('a', 8 * MIB));
    const push = ask('a', 1 * MIB);
    await clock.advance(5_000);
    expect(slow.map(({ isCut }) => isCut)).toEqual([true, true, true, true]);
    expect([push.got, push.isCut]).toEqual([expect.anything(), false]);
    push.got?.release();
    expect([budget.bytesInFlight(), clock.pending]).toEqual([0, 0]);
  });

  it('cuts no more slow bodies than the one that waits needs, whichever camera it is of', async () => {
    const { clock, ask } = budgetWorld();
    const slow = ['a', 'b', 'c', 'd'].map((camera) => ask(camera, 8 * MIB));
    const other = ask('e', 8 * MIB);
    await clock.advance(2_000);
    expect([slow.map(({ isCut }) => isCut), other.got]).toEqual([[true, false, false, false], expect.anything()]);
  });

  it('cuts nobody while nobody waits, nor who comes over a bad link, nor what is whole', async () => {
    const { clock, ask } = budgetWorld();
    const alone = ask('a', 8 * MIB);
    await clock.advance(60_000);
    expect(alone.isCut).toBe(false);
    alone.got?.release();
    const [bad, whole, ...others] = ['a', 'b', 'c', 'd'].map((camera) => ask(camera, 8 * MIB));
    await settle();
    for (const { got } of others) got?.isWhole();
    whole?.got?.isWhole();
    ask('e', 8 * MIB);
    for (let second = 1; second <= 4; second++) {
      await clock.advance(1_000);
      bad?.got?.arrived(second * 64 * 1024);
    }
    expect([bad?.isCut, whole?.isCut]).toEqual([false, false]);
  });

  it('never has more in flight than its bounds, and loses none', async () => {
    const step = fc.record({
      camera: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      mib: fc.integer({ min: 0, max: 8 }),
      kind: fc.constantFrom('ask', 'ask', 'grow', 'arrive', 'release', 'wait'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { clock, budget, ask } = budgetWorld();
        const asked: ReturnType<typeof ask>[] = [];
        for (const { camera, mib, kind } of steps) {
          const one = asked[mib % Math.max(1, asked.length)]?.got;
          if (kind === 'ask') asked.push(ask(camera, mib * MIB));
          if (kind === 'grow') one?.growTo(mib * MIB);
          if (kind === 'arrive') one?.arrived(mib * MIB);
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
