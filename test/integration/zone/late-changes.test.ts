/** The history of a zone or a place is the same in whatever order its changes come, and a late change costs what a live one costs. */
import * as fc from '../../property.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CommittedChange } from '../../../cloud/kernel/store/transaction.js';
import { QUARTER_MS, quarterOf } from '../../../cloud/traffic/occupancy/decide-quarter.js';
import { noteCountChange, readQuarters } from '../../../cloud/traffic/occupancy/occupancy-history-queries.js';
import { groupBy } from '../../../shared/grouping.js';
import { runs } from '../../depth.js';
import { createStoreWorld, type StoreWorld } from '../gateway/link-world.js';

let world: StoreWorld;
let committed: CommittedChange[] = [];
beforeAll(async () => {
  world = await createStoreWorld({ onCommitted: (change) => void committed.push(change) });
});
afterAll(() => world.close());

let owners = 0;
const QUARTERS = 40;
const RANGE = { from: 0, to: QUARTERS * QUARTER_MS };

interface Change {
  at: number;
  delta: number;
}

/** Keeps the changes in the order given. @returns the history of all quarters, and of the last half of them */
async function historyOf(changes: readonly Change[]) {
  const owner = { owner: 'zone', owner_id: ++owners } as const;
  let count = 0;
  await world.store.change(async (tx) => {
    for (const change of changes) await noteCountChange(tx, owner, { ...change, count: (count += change.delta) });
  });
  const { reader } = world.store;
  const half = await readQuarters(reader, owner, { ...RANGE, from: RANGE.to / 2 });
  return { all: await readQuarters(reader, owner, RANGE), half };
}

/** Draws one of the lists of changes that are not empty yet, again and again: each stays in its order. */
function mixed(lists: readonly (readonly Change[])[], draws: readonly number[]): Change[] {
  const left = lists.map((list) => [...list]);
  const order: Change[] = [];
  for (let draw = 0; left.some((list) => list.length > 0); draw++) {
    const open = left.filter((list) => list.length > 0);
    const [next] = open[(draws[draw % draws.length] ?? 0) % open.length]?.splice(0, 1) ?? [];
    if (next !== undefined) order.push(next);
  }
  return order;
}

const change = fc.record({ at: fc.integer({ min: 1, max: RANGE.to - 1 }), delta: fc.constantFrom(1, -1, 2) });

it('is the same when changes of different quarters come in any order', async () => {
  const draws = fc.array(fc.nat(QUARTERS), { minLength: 1, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 60 }), draws, async (changes, drawn) => {
      const inOrder = changes.toSorted((a, b) => a.at - b.at);
      const ofQuarters = groupBy(inOrder, ({ at }) => quarterOf(at));
      expect(await historyOf(mixed([...ofQuarters.values()], drawn))).toEqual(await historyOf(inOrder));
    }),
    { numRuns: runs(20) },
  );
});

it('has exact counts and sums, and true bounds, when changes of one quarter come in any order too', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 60 }), async (changes) => {
      const { all: asTheyCame } = await historyOf(changes);
      const { all: inOrder } = await historyOf(changes.toSorted((a, b) => a.at - b.at));
      expect(asTheyCame).toHaveLength(inOrder.length);
      for (const [index, right] of inOrder.entries()) {
        const { quarter, first_count, last_count, area, last_at } = right;
        const came = asTheyCame[index];
        expect(came).toMatchObject({ quarter, first_count, last_count, area, last_at });
        expect(came?.min_count).toBeLessThanOrEqual(right.min_count);
        expect(came?.max_count).toBeGreaterThanOrEqual(right.max_count);
      }
    }),
    { numRuns: runs(20) },
  );
});

it('costs as much for a change before all others as for one after them', async () => {
  const owner = { owner: 'place', owner_id: ++owners } as const;
  const note = async (at: number) => {
    committed = [];
    await world.store.change((tx) => noteCountChange(tx, owner, { at, delta: 1, count: 1 }));
    return committed.map(({ statements }) => statements);
  };
  await world.store.change(async (tx) => {
    for (let quarter = 1; quarter <= 100; quarter++) {
      await noteCountChange(tx, owner, { at: quarter * QUARTER_MS, delta: 1, count: quarter });
    }
  });
  const rows = () =>
    world.store.reader.selectFrom('occupancy_quarters').selectAll().where('owner', '=', 'place').orderBy('quarter');
  const before = await rows().where('quarter', '>', 0).execute();
  expect(await note(5)).toEqual(await note(101 * QUARTER_MS));
  // No later quarter was touched.
  expect((await rows().where('quarter', '>', 0).execute()).slice(0, before.length)).toEqual(before);
});
