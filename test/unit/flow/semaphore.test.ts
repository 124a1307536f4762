import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { createSemaphore, type SemaphoreOptions, QueueFullError } from '../../../shared/flow/semaphore.js';
import { runs } from '../../depth.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

/** A semaphore whose calls end when the test says so. */
function heldTurns(limits: Partial<Omit<SemaphoreOptions, 'name'>> = {}) {
  const turns = createSemaphore({
    name: 'work',
    permits: 1,
    waitingMax: 1_000,
    ...limits,
  });
  const started: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  return {
    turns,
    started,
    refused,
    ask(owner: string, name = owner): void {
      const work = (): Promise<void> => {
        started.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      };
      turns.run(owner, work).catch((error: unknown) => {
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

describe('a semaphore', () => {
  it('gives the owners turns, and keeps the order within each', async () => {
    const { turns, started, ask, endOne } = heldTurns();
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask('a', name);
    for (const name of ['b1', 'b2']) ask('b', name);
    ask('c', 'c1');
    while (await endOne());
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
    await turns.idle();
  });

  it('has spare permits for owners that may have them, which are no permits of the others', async () => {
    const spare = { count: 1, isFor: (owner: string) => owner.startsWith('light') };
    const { started, ask, endOne } = heldTurns({ permits: 2, permitsPerOwner: 1, spare });
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

  it('refuses an owner that asks too much, and no other', async () => {
    const { started, refused, ask, endOne } = heldTurns({ waitingPerOwnerMax: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask('a', name);
    ask('b', 'b1');
    while (await endOne());
    expect(refused).toEqual(['a4']);
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('makes room for who asks little at the cost of who asks most', async () => {
    const { started, refused, ask, endOne } = heldTurns({ waitingMax: 4 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) ask('a', name);
    ask('b', 'b1');
    ask('c', 'c1');
    ask('d', 'd1');
    // Now nothing waits behind another of its own owner, and the newcomer is refused.
    ask('e', 'e1');
    await settle();
    while (await endOne());
    expect(refused.toSorted()).toEqual(['a3', 'a4', 'a5', 'a6', 'e1']);
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'd1']);
  });

  it('runs no more of an owner at once than it may, and others meanwhile', async () => {
    const { started, ask, endOne, turns } = heldTurns({ permits: 3, permitsPerOwner: 1 });
    for (const name of ['a1', 'a2', 'a3']) ask('a', name);
    ask('b', 'b1');
    expect(started).toEqual(['a1', 'b1']);
    ask('b', 'b2');
    ask('c', 'c1');
    expect(started).toEqual(['a1', 'b1', 'c1']);
    while (await endOne());
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    await turns.idle();
  });

  it('lets those leave who do not want to wait any longer', async () => {
    const { turns, started, ask, endOne } = heldTurns({ waitingPerOwnerMax: 1 });
    ask('a', 'a1');
    const leaving = new AbortController();
    const waiting = turns.run('a', () => Promise.resolve('begun'), leaving.signal);
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    // Its place is free again.
    ask('a', 'a2');
    while (await endOne());
    expect(started).toEqual(['a1', 'a2']);
    await expect(turns.run('a', () => Promise.resolve('begun'), leaving.signal)).rejects.toThrow('left');
    await turns.idle();
  });

  it('goes on after work that fails', async () => {
    const turns = createSemaphore({ name: 'work', permits: 1, waitingMax: 9, waitingPerOwnerMax: 9 });
    const failing = turns.run('a', () => Promise.reject(new Error('fails')));
    const next = turns.run('b', async () => 'done');
    await expect(failing).rejects.toThrow('fails');
    expect(await next).toBe('done');
  });

  it('refuses what would wait when nothing may, and ends a turn once, however often it is told', async () => {
    const turns = createSemaphore({ name: 'password checks', permits: 1, waitingMax: 0 });
    const leave = await turns.enter('a');
    await expect(turns.enter('a')).rejects.toThrow(QueueFullError);
    await expect(turns.enter('b')).rejects.toThrow('password checks: 0 already wait; try again later');
    leave();
    leave();
    await turns.enter('b');
    await expect(turns.enter('a')).rejects.toThrow(QueueFullError);
  });

  it('lets a lower rank begin before, also of one owner, and refuses the highest', async () => {
    const turns = createSemaphore({ name: 'work', permits: 1, waitingMax: 4 });
    const order: string[] = [];
    const gone = new AbortController();
    const enter = (owner: string, rank: number[]) =>
      turns.enter(owner, { rank, signals: [new AbortController().signal, gone.signal] }).then(
        (leave) => {
          order.push(`${owner} ${rank}`);
          leave();
        },
        (error: unknown) => order.push(`${owner} ${rank} ${error instanceof QueueFullError ? 'full' : 'gone'}`),
      );
    const leave = await turns.enter('a');
    const asked = [enter('a', [1, 1]), enter('a', [1, 0]), enter('b', [2, 0]), enter('a', [0, 0])];
    // `b` has the highest rank of those that wait; then the newcomer has.
    asked.push(enter('c', [0, 5]), enter('d', [3, 0]));
    await settle();
    expect(order.splice(0).toSorted()).toEqual(['b 2,0 full', 'd 3,0 full']);
    leave();
    await Promise.all(asked);
    expect(order.splice(0)).toEqual(['a 0,0', 'c 0,5', 'a 1,0', 'a 1,1']);
    const again = await turns.enter('a');
    const leaving = enter('a', [0, 0]);
    gone.abort();
    await leaving;
    expect(order).toEqual(['a 0,0 gone']);
    again();
    await turns.idle();
  });

  it('begins as fast as its pace allows, the lowest rank of that moment first', async () => {
    const clock = new FakeClock();
    let nextAt = 100;
    const begin = () => {
      const waitMs = Math.max(0, nextAt - clock.monotonic());
      if (waitMs === 0) nextAt += 100;
      return waitMs;
    };
    const turns = createSemaphore({ name: 'work', permits: 9, waitingMax: 9, pace: { clock, begin } });
    const begun: string[] = [];
    const enter = (owner: string, rank: number) =>
      turns.enter(owner, { rank: [rank] }).then(() => begun.push(`${owner} ${clock.monotonic()}`));
    void enter('a', 2);
    void enter('b', 1);
    await clock.advance(99);
    void enter('c', 0);
    expect(begun).toEqual([]);
    await clock.advance(201);
    expect(begun).toEqual(['c 100', 'b 200', 'a 300']);
    expect(clock.pending).toBe(0);
  });

  it('lets each other owner begin at most once before who waits', async () => {
    const step = fc.oneof(
      fc.record({ owner: fc.constantFrom('a', 'a', 'a', 'b', 'c') }),
      fc.record({ owner: fc.constant(null) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), async (steps, permits) => {
        const { started, ask, endOne, turns } = heldTurns({ permits });
        const asked: { name: string; owner: string; startedBefore: number; isFirst: boolean }[] = [];
        const ownerOf = (name: string): string => name.split(' ')[0] ?? '';
        for (const [index, { owner }] of steps.entries()) {
          if (owner === null) {
            await endOne();
            continue;
          }
          const isFirst = asked.filter((each) => each.owner === owner).every(({ name }) => started.includes(name));
          const name = `${owner} ${index}`;
          asked.push({ name, owner, startedBefore: started.length, isFirst });
          ask(owner, name);
        }
        while (await endOne());
        await turns.idle();
        expect(started.toSorted()).toEqual(asked.map(({ name }) => name).toSorted());
        for (const owner of ['a', 'b', 'c']) {
          const names = asked.filter((each) => each.owner === owner).map(({ name }) => name);
          expect(started.filter((name) => ownerOf(name) === owner)).toEqual(names);
        }
        for (const { name, owner, startedBefore, isFirst } of asked) {
          if (!isFirst) continue;
          const before = started.slice(startedBefore, started.indexOf(name)).map(ownerOf);
          expect(before).not.toContain(owner);
          expect(new Set(before).size).toBe(before.length);
        }
      }),
      { numRuns: runs(100) },
    );
  });
});
