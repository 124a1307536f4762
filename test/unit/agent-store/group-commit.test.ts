import { describe, expect, it } from 'vitest';
import { type RecordStamp, StoreError } from '../../../agent/store/agent-store.js';
import { createGroupCommit, type SendGroup } from '../../../agent/store/group-commit.js';
import type { StoreCall } from '../../../agent/store/sqlite-agent-protocol.js';
import { stampOf } from '../../world/agent-records.js';
import { FakeClock } from '../../world/fake-clock.js';

/** Calls are told apart by their wall time. */
const callOf = (wall_ms: number): StoreCall => ({ op: 'clock', wall_ms });

function createWorld(pendingBytesMax = 1_000_000_000) {
  const clock = new FakeClock();
  const sent: { calls: number[]; stamp: RecordStamp | null }[] = [];
  const group = createGroupCommit({ clock, pendingBytesMax });
  const send: SendGroup = (calls, stamp) =>
    sent.push({ calls: calls.map((call) => (call.op === 'clock' ? call.wall_ms : -1)), stamp });
  const outcomes: string[] = [];
  return {
    clock,
    sent,
    group,
    resume: () => group.resume(send),
    outcomes,
    submit(
      id: number,
      urgent: boolean,
      { bytes = 10, stamp = null }: { bytes?: number; stamp?: RecordStamp | null } = {},
    ) {
      group.submit(callOf(id), { urgent, bytes, stamp }).then(
        (value) => outcomes.push(`${id}: ${String(value)}`),
        (error: Error) => outcomes.push(`${id}: ${error.message}`),
      );
    },
    settle: () => group.settle(sent.at(-1)?.calls.map((id) => ({ ok: true, value: id })) ?? []),
  };
}

describe('group commit', () => {
  it('lets calls that are not urgent wait for company until 100 ms after the last commit, and not after a quiet time', async () => {
    const world = createWorld();
    const calls = () => world.sent.map((group) => group.calls);
    world.resume();
    world.submit(1, false);
    world.submit(2, false);
    await world.clock.advance(0);
    expect(calls()).toEqual([[1, 2]]);
    world.settle();
    await world.clock.advance(20);
    world.submit(3, false);
    await world.clock.advance(60);
    world.submit(4, false);
    await world.clock.advance(19);
    expect(calls()).toEqual([[1, 2]]);
    await world.clock.advance(1);
    expect(calls()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    world.settle();
    await world.clock.advance(99);
    world.submit(5, false);
    await world.clock.advance(0);
    expect(calls()).toHaveLength(2);
    await world.clock.advance(1);
    expect(calls()[2]).toEqual([5]);
  });

  it('commits no more than ten times a second while nothing is urgent', async () => {
    const world = createWorld();
    world.resume();
    for (let id = 0; id < 1_000; id++) {
      world.submit(id, false);
      await world.clock.advance(1);
      world.settle();
    }
    expect(world.sent.length).toBeLessThanOrEqual(11);
  });

  it('sends urgent calls at the end of the turn, first, and takes the waiting ones along', async () => {
    const world = createWorld();
    world.resume();
    world.submit(1, false);
    world.submit(2, true);
    world.submit(3, true);
    await world.clock.advance(0);
    expect(world.sent.map((group) => group.calls)).toEqual([[2, 3, 1]]);
    world.settle();
    await world.clock.advance(1_000);
    expect(world.sent).toHaveLength(1);
    expect(world.outcomes).toEqual(['2: 2', '3: 3', '1: 1']);
  });

  it('has one group under way, and gathers the next meanwhile', async () => {
    const world = createWorld();
    world.resume();
    world.submit(1, true);
    await world.clock.advance(0);
    for (const id of [2, 3]) world.submit(id, true);
    world.submit(4, false);
    await world.clock.advance(500);
    expect(world.sent).toHaveLength(1);
    world.settle();
    expect(world.sent.map((group) => group.calls)).toEqual([[1], [2, 3, 4]]);
  });

  it('bounds a group by calls and bytes, so that an urgent call does not wait behind a long one', async () => {
    const world = createWorld();
    world.resume();
    for (let id = 0; id < 4_500; id++) world.submit(id, false);
    await world.clock.advance(0);
    world.submit(9_999, true);
    await world.clock.advance(0);
    world.settle();
    expect(world.sent[1]?.calls[0]).toBe(9_999);
    world.settle();
    expect(world.sent.map((group) => group.calls.length)).toEqual([2_000, 2_000, 501]);
    world.settle();
    for (const id of [1, 2, 3]) world.submit(id, true, { bytes: 3_000_000 });
    await world.clock.advance(0);
    expect(world.sent.at(-1)?.calls).toEqual([1]);
  });

  it('passes on the stamp of the newest record of the group', async () => {
    const world = createWorld();
    world.resume();
    const [older, newer] = [stampOf(), stampOf()];
    world.submit(1, true, { stamp: older });
    world.submit(2, true, { stamp: newer });
    world.submit(3, true);
    await world.clock.advance(0);
    expect(world.sent[0]?.stamp).toBe(newer);
  });

  it('waits while it is paused, and fails everything when it is told to', async () => {
    const world = createWorld();
    world.submit(1, true);
    world.submit(2, false);
    await world.clock.advance(1_000);
    expect(world.sent).toEqual([]);
    world.resume();
    await world.clock.advance(0);
    world.submit(3, true);
    world.group.failAll(new StoreError('io', 'gone'));
    await world.clock.advance(1_000);
    expect(world.outcomes).toEqual(['1: gone', '2: gone', '3: gone']);
  });

  it('refuses what memory may not hold, until there is room', async () => {
    const world = createWorld(425);
    world.resume();
    for (const id of [1, 2, 3]) world.submit(id, true);
    await world.clock.advance(0);
    world.settle();
    world.submit(4, true);
    await world.clock.advance(0);
    world.settle();
    await world.clock.advance(0);
    expect(world.outcomes).toEqual([expect.stringMatching(/^3: the disk does not keep up/), '1: 1', '2: 2', '4: 4']);
  });

  it('drains at once what waits', async () => {
    const world = createWorld();
    world.resume();
    world.submit(1, false);
    let isDrained = false;
    void world.group.drain().then(() => {
      isDrained = true;
    });
    await world.clock.advance(0);
    expect(world.sent.map((group) => group.calls)).toEqual([[1]]);
    expect(isDrained).toBe(false);
    world.settle();
    await world.clock.advance(0);
    expect(isDrained).toBe(true);
  });
});
