import { expect, it } from 'vitest';
import type { CloudStore } from '../../../cloud/store/cloud-store.js';
import { createGroupedChanges } from '../../../cloud/store/grouped-changes.js';
import { settle } from '../../sim/world/fake-clock.js';

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
