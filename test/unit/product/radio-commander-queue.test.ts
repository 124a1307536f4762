import { describe, expect, it } from 'vitest';
import { LINK_KEPT_MS } from '../../../agent/product/held-links.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import type { EventId } from '../../../shared/ids.js';
import { settle } from '../../world/fake-clock.js';
import { DONE, failed, startWorld } from './commander-world.js';
import { MOVEMENT_MS } from './machine-product.js';
import { BARRIER, GATE } from './product-item.js';

describe('an abort', () => {
  it('ends the wait for a product, for its turn, and for a connection', async () => {
    const { clock, barrier, gate, connects, signals, command } = await startWorld();
    barrier.radio.setPath({ inRange: false });
    gate.radio.setPath({ inRange: false });
    const abort = new AbortController();
    const connecting = command({}, abort.signal);
    const queued = command({}, abort.signal);
    await clock.advance(1_000);
    expect([connecting.now, queued.now]).toEqual([null, null]);
    abort.abort(new Error('another vehicle stands there'));
    await settle();
    expect([connecting.now, queued.now]).toEqual([failed(3), failed(3)]);

    const aborted = command({}, abort.signal);
    await settle();
    expect([aborted.now, connects, signals[0]?.aborted]).toEqual([failed(3), [BARRIER], true]);
    barrier.radio.setPath({ inRange: true });
    const next = command();
    await clock.advance(MOVEMENT_MS + 100);
    expect([next.now, barrier.moves]).toEqual([DONE, 1]);
  });

  it('keeps a REQUEST from leaving, and waits for the answer to one that has left', async () => {
    const { clock, barrier, command } = await startWorld();
    barrier.isSilent = true;
    const before = new AbortController();
    const greeted = command({}, before.signal);
    await clock.advance(100);
    expect(barrier.received).toEqual(['01']);
    before.abort();
    await settle();
    expect([greeted.now, barrier.received, barrier.radio.connected]).toEqual([failed(3), ['01'], false]);

    barrier.isSilent = false;
    const after = new AbortController();
    const asked = command({}, after.signal);
    await clock.advance(100);
    expect(barrier.state.movement).not.toBeNull();
    after.abort();
    await settle();
    expect(asked.now).toBeNull();
    await clock.advance(MOVEMENT_MS);
    expect([asked.now, barrier.moves]).toEqual([DONE, 1]);
  });
});

describe('the queue of a product', () => {
  it('lets one command after the other in, in their order; other products do not wait', async () => {
    const { clock, barrier, gate, connects, command } = await startWorld();
    const opening = command();
    const closed = command({ command: { name: 'close' } });
    const status = command({ command: { name: 'status' } });
    const other = command({ device_id: GATE });
    expect(connects).toEqual([BARRIER, GATE]);
    await clock.advance(MOVEMENT_MS);
    expect([opening.now, closed.now, other.now]).toEqual([DONE, null, DONE]);
    await clock.advance(MOVEMENT_MS);
    expect([closed.now, status.now]).toEqual([DONE, DONE]);
    // The link that was kept for the second one is too old for the third.
    expect([barrier.moves, gate.moves, connects]).toEqual([2, 1, [BARRIER, GATE, BARRIER]]);
  });

  it('moves once for one event_id', async () => {
    const { clock, barrier, command } = await startWorld();
    const event_id = 'deadbeef' as EventId;
    const given = [command({ event_id }), command({ event_id })];
    await clock.advance(MOVEMENT_MS + 100);
    expect(given.map(({ now }) => now)).toEqual([DONE, DONE]);
    expect(barrier.moves).toBe(1);
  });

  it('lets the next one in when a link that failed is gone; the outcome is told before', async () => {
    const world = await startWorld();
    const { clock, barrier, connects, command } = world;
    const gone = deferred<void>();
    world.onLink = (link) => ({ ...link, close: () => link.close().then(() => gone.promise) });
    barrier.isSilent = true;
    const first = command();
    const second = command({ command: { name: 'status' } });
    await clock.advance(5_000);
    expect([first.now, second.now, connects]).toEqual([failed(3), null, [BARRIER]]);
    barrier.isSilent = false;
    gone.resolve();
    await clock.advance(100);
    expect([second.now, connects]).toEqual([DONE, [BARRIER, BARRIER]]);
  });

  it('is 10 when the turn does not come before the deadline, and lets nobody past meanwhile', async () => {
    const { clock, barrier, connects, command } = await startWorld();
    barrier.movementMs = 60_000;
    const first = command();
    const second = command({ command: { name: 'close' }, limitMs: 5_000 });
    await clock.advance(5_000);
    expect([first.now, second.now]).toEqual([null, failed(10)]);
    const third = command({ command: { name: 'status' }, limitMs: 90_000 });
    await clock.advance(54_000);
    expect([first.now, third.now, connects]).toEqual([null, null, [BARRIER]]);
    await clock.advance(1_100);
    expect([first.now, third.now, barrier.moves]).toEqual([DONE, DONE, 1]);
  });

  it('does not wait for the turn of a busy radio longer than the deadline', async () => {
    const { clock, barrier, gate, signals, command } = await startWorld();
    barrier.radio.setPath({ inRange: false });
    const absent = command();
    const behind = command({ device_id: GATE, limitMs: 2_000 });
    await clock.advance(2_500);
    expect([absent.now, behind.now]).toEqual([null, failed(3)]);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, true]);
    await clock.advance(30_000);
    expect([absent.now, gate.received]).toEqual([failed(4), []]);
  });
});

describe('a radio that breaks its word', () => {
  it('cannot hold a product for ever', async () => {
    const { clock, fake, barrier, command } = await startWorld();
    fake.misbehave('connect-never-answers');
    const given = command({ limitMs: 2_000 });
    await clock.advance(2_500);
    expect(given.now).toEqual(failed(3));
    const next = command();
    await clock.advance(MOVEMENT_MS);
    expect([next.now, barrier.moves]).toEqual([DONE, 1]);
  });

  it('is rid of a link that it brings when nobody waits for it any more', async () => {
    const world = await startWorld();
    const { clock, barrier, command } = world;
    const late = deferred<void>();
    world.onLink = (link) => late.promise.then(() => link);
    const given = command({ limitMs: 2_000 });
    await clock.advance(2_500);
    expect([given.now, barrier.radio.connected]).toEqual([failed(3), true]);
    late.resolve();
    await settle();
    expect([barrier.radio.connected, barrier.received]).toEqual([false, []]);
  });

  it('does not keep the next command for ever when it closes no link', async () => {
    const world = await startWorld();
    const { clock, logged, command } = world;
    const never = new Promise<void>(() => {});
    world.onLink = (link) => ({ ...link, closed: never, close: () => link.close().then(() => never) });
    const given = command();
    await clock.advance(MOVEMENT_MS + LINK_KEPT_MS);
    const next = command({ command: { name: 'status' } });
    await clock.advance(9_999);
    expect([given.now, next.now]).toEqual([DONE, null]);
    await clock.advance(101);
    expect(next.now).toEqual(DONE);
    expect(logged).toEqual([{ message: 'a link did not close within 10000 ms' }]);

    world.onLink = (link) => ({
      ...link,
      closed: never,
      close: () => link.close().then(() => Promise.reject(new Error('no'))),
    });
    await clock.advance(LINK_KEPT_MS + 10_000);
    const failing = command({ command: { name: 'status' } });
    await clock.advance(10_100 + LINK_KEPT_MS);
    expect([failing.now, logged.at(-1)?.message]).toEqual([DONE, 'a link could not be closed']);
  });

  it.each([
    ['connect-fails-in-same-tick', 0],
    ['write-unconfirmed', 5_000],
    ['write-lost', 5_000],
  ] as const)('%s is an outcome', async (habit, withinMs) => {
    const { clock, fake, barrier, command } = await startWorld();
    fake.misbehave(habit);
    barrier.isSilent = true;
    const given = command();
    await clock.advance(withinMs);
    expect([given.now, barrier.radio.connected]).toEqual([failed(3), false]);
    barrier.isSilent = false;
    const next = command();
    await clock.advance(MOVEMENT_MS + 100);
    expect(next.now).toEqual(DONE);
  });

  it('costs patience, no more, when it tells no end of a link', async () => {
    const { clock, fake, barrier, command } = await startWorld();
    const given = command();
    await clock.advance(100);
    fake.misbehave('disconnect-without-event');
    barrier.radio.disconnect();
    await clock.advance(125_000);
    expect([given.now, barrier.moves]).toEqual([failed(3), 1]);
  });
});
