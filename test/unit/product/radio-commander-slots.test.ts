/** The links of a gateway whose adapter has no connection left: which it gives up, and how it comes to its results nevertheless. */
import { describe, expect, it } from 'vitest';
import { DONE, failed, startWorld } from './commander-world.js';
import { MOVEMENT_MS } from './machine-product.js';
import { BARRIER, GATE } from './product-item.js';

/** Both products move for a command each. */
async function movingWorld(change: { is_urgent?: boolean; limitMs?: number } = {}) {
  const world = await startWorld();
  const opening = world.command(change);
  const second = world.command({ device_id: GATE });
  await world.clock.advance(200);
  expect([world.barrier.radio.connected, world.gate.radio.connected]).toEqual([true, true]);
  return { ...world, opening, second };
}

describe('where the adapter has no connection left, the commander', () => {
  it('gives up the oldest link of a product that moves, one at a time, and asks for the result when it rests', async () => {
    const { clock, barrier, gate, connects, opening, second, wantSlot } = await movingWorld();
    wantSlot([BARRIER, GATE]);
    await clock.advance(50);
    expect([barrier.radio.connected, gate.radio.connected, opening.now]).toEqual([false, true, null]);
    await clock.advance(MOVEMENT_MS + 500);
    expect([opening.now, second.now, barrier.moves, gate.moves]).toEqual([DONE, DONE, 1, 1]);
    expect(connects).toEqual([BARRIER, GATE, BARRIER]);
  });

  it('gives up a link that is only kept before', async () => {
    const { clock, barrier, gate, command, wantSlot } = await startWorld();
    const opening = command();
    await clock.advance(200);
    const asked = command({ device_id: GATE, command: { name: 'status' } });
    await clock.advance(100);
    expect([asked.now, gate.radio.connected]).toEqual([DONE, true]);
    wantSlot([BARRIER, GATE]);
    await clock.advance(50);
    expect([barrier.radio.connected, gate.radio.connected, opening.now]).toEqual([true, false, null]);
  });

  it('gives up the link of a product that begins to move later, for somebody who still waits', async () => {
    const { clock, barrier, connects, command, wantSlot } = await startWorld();
    wantSlot([BARRIER]);
    const opening = command();
    await clock.advance(100);
    expect([barrier.moves, barrier.radio.connected, opening.now]).toEqual([1, false, null]);
    await clock.advance(MOVEMENT_MS + 500);
    expect([opening.now, barrier.moves, connects]).toEqual([DONE, 1, [BARRIER, BARRIER]]);
  });

  it.each([
    ['an urgent command', { is_urgent: true }],
    ['a command whose deadline is near', { limitMs: 6_000 }],
  ])('keeps the link of %s', async (_what, change) => {
    const { clock, barrier, connects, opening, wantSlot } = await movingWorld(change);
    wantSlot([BARRIER]);
    await clock.advance(50);
    expect(barrier.radio.connected).toBe(true);
    await clock.advance(MOVEMENT_MS);
    expect([opening.now, connects]).toEqual([DONE, [BARRIER, GATE]]);
  });

  it('comes back after 10 s to a product that nobody hears at rest', async () => {
    const { clock, barrier, connects, command, wantSlot } = await startWorld();
    barrier.movementMs = 20_000;
    const opening = command();
    await clock.advance(200);
    wantSlot([BARRIER]);
    await clock.advance(9_000);
    expect(connects).toEqual([BARRIER]);
    await clock.advance(1_500);
    expect([connects, opening.now]).toEqual([[BARRIER, BARRIER], null]);
    await clock.advance(10_000);
    expect([opening.now, barrier.moves]).toEqual([DONE, 1]);
  });

  it('tells of a product that is gone when it comes back', async () => {
    const { clock, barrier, command, wantSlot } = await startWorld();
    const opening = command({ limitMs: 20_000 });
    await clock.advance(200);
    wantSlot([BARRIER]);
    await clock.advance(50);
    barrier.radio.setPath({ inRange: false });
    await clock.advance(20_000);
    expect([opening.now, barrier.moves]).toEqual([failed(4), 1]);
  });

  it('shares a link that another opening made meanwhile', async () => {
    const { clock, barrier, connects, command, wantSlot } = await startWorld();
    const first = command();
    await clock.advance(200);
    wantSlot([BARRIER]);
    await clock.advance(50);
    const second = command({ command: { name: 'stay_open' } });
    await clock.advance(50);
    expect([barrier.radio.connected, first.now, second.now]).toEqual([true, null, null]);
    await clock.advance(MOVEMENT_MS);
    expect([first.now, second.now, barrier.moves, connects]).toEqual([DONE, DONE, 1, [BARRIER, BARRIER]]);
  });

  it('waits for one as long as it has, unless another gateway can be asked', async () => {
    const { clock, slotWaitsMs, command } = await startWorld();
    command({ device_id: GATE });
    command({ can_hand_over: true });
    await clock.advance(100);
    expect(slotWaitsMs).toEqual([undefined, 1_500]);
  });
});
