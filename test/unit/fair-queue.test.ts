import * as fc from '../property.js';
import { describe, expect, it } from 'vitest';
import { createFairQueue, type FairQueueOptions, QueueFullError } from '../../shared/fair-queue.js';
import { runs } from '../depth.js';
import { settle } from '../world/fake-clock.js';

/** A queue whose calls end when the test says so. */
function heldQueue(limits: Partial<Omit<FairQueueOptions, 'name'>> = {}) {
  const queue = createFairQueue({
    name: 'work',
    concurrency: 1,
    waitingMax: 1_000,
    waitingPerShareMax: 1_000,
    ...limits,
  });
  const started: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  return {
    queue,
    started,
    refused,
    ask(share: string, name = share): void {
      const work = (): Promise<void> => {
        started.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      };
      queue.run(share, work).catch((error: unknown) => {
        if (!(error instanceof QueueFullError)) throw error;
        refused.push(name);
      });
    },
    /** Ends the call that has run longest. @returns false when none runs */
    async endOne(): Promise<boolean> {
      const end = ends.shift();
      end?.();
      await settle();
      return end !== undefined;
    },
  };
}

describe('a fair queue', () => {
  it('gives the shares turns, and keeps the order within each', async () => {
    const { queue, started, ask, endOne } = heldQueue();
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask('a', name);
    for (const name of ['b1', 'b2']) ask('b', name);
    ask('c', 'c1');
    while (await endOne());
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
    await queue.idle();
  });

  it('has spare places for shares that may have them, which are no places of the others', async () => {
    const spare = { count: 1, isFor: (share: string) => share.startsWith('light') };
    const { started, ask, endOne } = heldQueue({ concurrency: 2, runningPerShareMax: 1, spare });
    for (const name of ['a', 'b', 'c', 'light 1', 'light 2', 'light 3']) ask(name);
    expect(started).toEqual(['a', 'b', 'light 1']);
    await endOne();
    // The place of `a` is free for whoever is next.
    expect(started.slice(3)).toEqual(['c']);
    await endOne();
    await endOne();
    expect(started.slice(4)).toEqual(['light 2', 'light 3']);
    ask('d');
    ask('a');
    await endOne();
    expect(started.slice(6)).toEqual(['d']);
    while (await endOne());
    expect(started.slice(7)).toEqual(['a']);
  });

  it('refuses a share that asks too much, and no other', async () => {
    const { started, refused, ask, endOne } = heldQueue({ waitingPerShareMax: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask('a', name);
    ask('b', 'b1');
    while (await endOne());
    expect(refused).toEqual(['a4']);
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('makes room for who asks little at the cost of who asks most', async () => {
    const { started, refused, ask, endOne } = heldQueue({ waitingMax: 4 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) ask('a', name);
    ask('b', 'b1');
    ask('c', 'c1');
    ask('d', 'd1');
    // Now nothing waits behind another of its own share, and the newcomer is refused.
    ask('e', 'e1');
    await settle();
    while (await endOne());
    expect(refused.toSorted()).toEqual(['a3', 'a4', 'a5', 'a6', 'e1']);
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'd1']);
  });

  it('runs no more of a share at once than it may, and others meanwhile', async () => {
    const { started, ask, endOne, queue } = heldQueue({ concurrency: 3, runningPerShareMax: 1 });
    for (const name of ['a1', 'a2', 'a3']) ask('a', name);
    ask('b', 'b1');
    expect(started).toEqual(['a1', 'b1']);
    ask('b', 'b2');
    ask('c', 'c1');
    expect(started).toEqual(['a1', 'b1', 'c1']);
    while (await endOne());
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    await queue.idle();
  });

  it('lets those leave who do not want to wait any longer', async () => {
    const { queue, started, ask, endOne } = heldQueue({ waitingPerShareMax: 1 });
    ask('a', 'a1');
    const leaving = new AbortController();
    const waiting = queue.run('a', () => Promise.resolve('begun'), leaving.signal);
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    // Its place is free again.
    ask('a', 'a2');
    while (await endOne());
    expect(started).toEqual(['a1', 'a2']);
    await expect(queue.run('a', () => Promise.resolve('begun'), leaving.signal)).rejects.toThrow('left');
    await queue.idle();
  });

  it('goes on after work that fails', async () => {
    const queue = createFairQueue({ name: 'work', concurrency: 1, waitingMax: 9, waitingPerShareMax: 9 });
    const failing = queue.run('a', () => Promise.reject(new Error('fails')));
    const next = queue.run('b', async () => 'done');
    await expect(failing).rejects.toThrow('fails');
    expect(await next).toBe('done');
  });

  it('lets each other share begin at most once before who waits', async () => {
    const step = fc.oneof(
      fc.record({ share: fc.constantFrom('a', 'a', 'a', 'b', 'c') }),
      fc.record({ share: fc.constant(null) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, concurrency) => {
          const { started, ask, endOne, queue } = heldQueue({ concurrency });
          const asked: { name: string; share: string; startedBefore: number; isFirst: boolean }[] = [];
          const shareOf = (name: string): string => name.split(' ')[0] ?? '';
          for (const [index, { share }] of steps.entries()) {
            if (share === null) {
              await endOne();
              continue;
            }
            const isFirst = asked.filter((each) => each.share === share).every(({ name }) => started.includes(name));
            const name = `${share} ${index}`;
            asked.push({ name, share, startedBefore: started.length, isFirst });
            ask(share, name);
          }
          while (await endOne());
          await queue.idle();
          expect(started.toSorted()).toEqual(asked.map(({ name }) => name).toSorted());
          for (const share of ['a', 'b', 'c']) {
            const names = asked.filter((each) => each.share === share).map(({ name }) => name);
            expect(started.filter((name) => shareOf(name) === share)).toEqual(names);
          }
          for (const { name, share, startedBefore, isFirst } of asked) {
            if (!isFirst) continue;
            const before = started.slice(startedBefore, started.indexOf(name)).map(shareOf);
            expect(before).not.toContain(share);
            expect(new Set(before).size).toBe(before.length);
          }
        },
      ),
      { numRuns: runs(100) },
    );
  });
});
