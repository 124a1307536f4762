import { expect, it } from 'vitest';
import type { CloudStore } from '../../../cloud/kernel/store/cloud-store.js';
import { createGroupedChanges, createGroupedWork } from '../../../cloud/kernel/store/grouped-changes.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

/** Counts its transactions; each waits until it is let go. */
function createStore() {
  const begun: (() => void)[] = [];
  const change: CloudStore['change'] = async (work) => {
    await new Promise<void>((resolve) => begun.push(resolve));
    return work(undefined as never);
  };
  return { change, begun };
}

it('share a transaction with what came while another was under way, in order', async () => {
  const { change, begun } = createStore();
  const changes = createGroupedChanges({ change });
  const order: number[] = [];
  const results = [1, 2, 3, 4].map((n) => changes.change(async () => order.push(n)));
  await settle();
  expect(begun).toHaveLength(1);
  begun[0]?.();
  expect(await results[0]).toBe(1);
  await settle();
  expect(begun).toHaveLength(2);
  begun[1]?.();
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
  expect(order).toEqual([1, 2, 3, 4]);
});

it('fail alone', async () => {
  const changes = createGroupedChanges({ change: (work) => work(undefined as never) });
  const results = await Promise.allSettled([
    changes.change(async () => 'first'),
    changes.change(async () => 'second'),
    changes.change(() => Promise.reject(new Error('no'))),
    changes.change(async () => 'fourth'),
  ]);
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason)))).toEqual([
    'first',
    'second',
    'Error: no',
    'fourth',
  ]);
});

it('are bounded: one transaction does not grow without end', async () => {
  const { change, begun } = createStore();
  const changes = createGroupedChanges({ change });
  const results = Array.from({ length: 130 }, (_, n) => changes.change(async () => n));
  for (let transaction = 0; transaction < 4; transaction++) {
    await settle();
    expect(begun).toHaveLength(transaction + 1);
    begun[transaction]?.();
  }
  expect(await Promise.all(results)).toHaveLength(130);
});

it('changes of several rooms are under way at one time where the database allows it, those of one room in order', async () => {
  const { change, begun } = createStore();
  const order: string[] = [];
  const add = createGroupedWork<string, number>(
    { change, writersMax: 2 },
    { run: async (_tx, names) => names.map((name) => order.push(name)), roomOf: ([room = '']) => room },
  );
  const results = [add('a1'), add('a2'), add('b1'), add('c1'), add('b2')];
  await settle();
  expect(begun).toHaveLength(2);
  begun[1]?.();
  await results[2];
  await settle();
  // What waits for its room leaves the place to others.
  expect(begun).toHaveLength(3);
  begun[2]?.();
  await Promise.all([results[3], results[4]]);
  expect(order).toEqual(['b1', 'c1', 'b2']);
  begun[0]?.();
  await results[0];
  await settle();
  begun[3]?.();
  await Promise.all(results);
  expect(order).toEqual(['b1', 'c1', 'b2', 'a1', 'a2']);
});

it('leave time between their beginnings where they are told to, unless there is enough or nothing came for so long', async () => {
  const clock = new FakeClock();
  const groups: string[][] = [];
  const add = createGroupedWork<string, string>(
    { change: (work) => work(undefined as never), writersMax: 3 },
    {
      run: async (_tx, names) => (groups.push([...names]), [...names]),
      roomOf: (name) => name,
      pace: { clock, everyMs: 100, shareOf: (name) => (name === 'urgent' ? 1 : 0.25) },
    },
  );
  await add('first');
  const results = [add('a'), add('b'), add('c')];
  await clock.advance(99);
  expect(groups).toEqual([['first']]);
  await clock.advance(1);
  await Promise.all(results);
  expect(groups).toEqual([['first'], ['a', 'b', 'c']]);

  const waits = add('waits');
  await settle();
  expect(groups).toHaveLength(2);
  await Promise.all([add('urgent'), waits]);
  expect(groups.at(-1)).toEqual(['waits', 'urgent']);

  await Promise.all(['1', '2', '3', '4'].map((name) => add(name)));
  expect(groups.at(-1)).toEqual(['1', '2', '3', '4']);

  // The timer of what has begun before finds nothing.
  await clock.advance(100);
  expect(groups).toHaveLength(4);
  await add('late');
  expect(groups.at(-1)).toEqual(['late']);
});

it('leave no time where a database has one writer', async () => {
  const add = createGroupedWork<string, string>(
    { change: (work) => work(undefined as never), writersMax: 1 },
    {
      run: async (_tx, names) => [...names],
      roomOf: (name) => name,
      pace: { clock: new FakeClock(), everyMs: 100, shareOf: () => 0 },
    },
  );
  expect(await add('one')).toBe('one');
  expect(await add('two')).toBe('two');
});

it('without rooms are one group at a time, however many the database allows', async () => {
  const { change, begun } = createStore();
  const changes = createGroupedChanges({ change, writersMax: 2 });
  const results = [1, 2, 3].map((n) => changes.change(async () => n));
  await settle();
  expect(begun).toHaveLength(1);
  begun[0]?.();
  await results[0];
  await settle();
  expect(begun).toHaveLength(2);
  begun[1]?.();
  expect(await Promise.all(results)).toEqual([1, 2, 3]);
});
