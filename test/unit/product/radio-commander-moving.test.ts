/** The gateway's commands to a product in motion, and the link that a follow-up finds. */
import { describe, expect, it } from 'vitest';
import { LINK_KEPT_MS } from '../../../agent/product/held-links.js';
import type { EventId } from '../../../shared/ids.js';
import { hexToBytes } from '../../../shared/product-protocol/bytes.js';
import type { ProtocolCommand } from '../../../shared/product-protocol/commands.js';
import { DONE, failed, startWorld } from './commander-world.js';
import { MOVEMENT_MS } from './machine-product.js';
import { BARRIER } from './product-item.js';

const SUPERSEDED = failed(10, true);

const RECORD = hexToBytes('0100000001e903000080c9e8683e297f26a1065e8a9515ac7c96ef5557');
/** What moves nothing, and is the same before or after an opening. */
const PASSED: ProtocolCommand[] = [
  { name: 'status' },
  { name: 'autoclose', on: false, seconds: 30 },
  { name: 'admin', record: RECORD },
];

/** A barrier that is open, and closing for a command of a person. */
async function closingWorld() {
  const world = await startWorld();
  const opened = world.command();
  await world.clock.advance(MOVEMENT_MS);
  expect(opened.now).toEqual(DONE);
  await world.clock.advance(LINK_KEPT_MS);
  world.connects.length = 0;
  const closing = world.command({ command: { name: 'close' } });
  await world.clock.advance(500);
  expect(world.barrier.state.movement?.target).toBe('closed');
  return { ...world, closing };
}

describe('an opening while the product closes', () => {
  it.each(['open', 'stay_open'] as const)('%s goes over the same link, and turns the movement back', async (name) => {
    const { clock, barrier, connects, closing, command } = await closingWorld();
    const opening = command({ command: { name } });
    await clock.advance(0);
    expect([closing.now, opening.now, barrier.state.movement?.target]).toEqual([SUPERSEDED, null, 'opened']);
    await clock.advance(500);
    expect([opening.now, barrier.state.memory.position, barrier.moves]).toEqual([DONE, 'opened', 3]);
    expect(connects).toEqual([BARRIER]);
  });

  it.each(Array.from({ length: 15 }, (_, index) => index * 100))(
    'is open again %i ms after the close was sent',
    async (ms) => {
      const { clock, barrier, closing, command } = await closingWorld();
      await clock.advance(Math.max(0, ms - 500));
      const opening = command();
      await clock.advance(2 * MOVEMENT_MS);
      expect([opening.now, barrier.state.memory.position]).toEqual([DONE, 'opened']);
      expect([DONE, SUPERSEDED]).toContainEqual(closing.now);
    },
  );

  it('does not wait for a close that is on its way either, and keeps its order', async () => {
    const { clock, barrier, connects, command } = await startWorld();
    command();
    await clock.advance(MOVEMENT_MS + LINK_KEPT_MS);
    connects.length = 0;
    const closing = command({ command: { name: 'close' } });
    const opening = command();
    await clock.advance(0);
    expect([closing.now, opening.now]).toEqual([SUPERSEDED, DONE]);
    expect([barrier.state.memory.position, connects]).toEqual(['opened', [BARRIER]]);
  });

  it.each(PASSED)('passes $name, which waits for the end of the movement', async (passed) => {
    const { clock, barrier, connects, closing, command } = await closingWorld();
    barrier.received.length = 0;
    const waiting = [command({ command: passed }), command({ command: { name: 'status' } })];
    await clock.advance(100);
    const opening = command();
    await clock.advance(0);
    expect([closing.now, opening.now, barrier.state.movement?.target]).toEqual([SUPERSEDED, null, 'opened']);
    // Only the opening has asked the product.
    expect([waiting.map(({ now }) => now), barrier.received]).toEqual([
      [null, null],
      ['01', '02'],
    ]);
    const second = command({ command: { name: 'stay_open' } });
    await clock.advance(600);
    expect([opening.now, second.now, barrier.state.memory.position]).toEqual([DONE, DONE, 'opened']);
    await clock.advance(100);
    expect(waiting.map(({ now }) => now)).toEqual([DONE, DONE]);
    expect([barrier.moves, connects.length]).toEqual([3, 1]);
  });

  it('passes no closing that came before it', async () => {
    const { clock, barrier, closing, command } = await closingWorld();
    const second = command({ command: { name: 'force_close' } });
    const opening = command();
    await clock.advance(MOVEMENT_MS);
    expect([closing.now, second.now, opening.now]).toEqual([DONE, DONE, null]);
    await clock.advance(MOVEMENT_MS);
    expect([opening.now, barrier.state.memory.position]).toEqual([DONE, 'opened']);
  });

  it('waits no longer than its deadline for the turn, as before', async () => {
    const { clock, barrier, command } = await closingWorld();
    barrier.radio.setPath({ inRange: false });
    const opening = command({ limitMs: 1_000 });
    await clock.advance(12_000);
    expect(opening.now?.outcome).toBe('failed');
  });
});

describe('openings while it opens', () => {
  it('share one movement, and have an answer each', async () => {
    const { clock, barrier, connects, command } = await startWorld();
    const [first, second] = [command(), command({ command: { name: 'stay_open' } })];
    await clock.advance(MOVEMENT_MS - 100);
    const third = command();
    await clock.advance(100);
    expect([first.now, second.now, third.now, barrier.moves]).toEqual([DONE, DONE, DONE, 1]);
    expect(barrier.state.memory.permanentPosition).toBe('stay_open');
    expect(connects).toEqual([BARRIER]);
  });

  it('all fail when the link is lost, and move once when they are tried again', async () => {
    const { clock, barrier, command } = await startWorld();
    const event_id = 'deadbeef' as EventId;
    const [first, second] = [command(), command({ event_id })];
    await clock.advance(500);
    barrier.radio.disconnect();
    await clock.advance(0);
    expect([first.now, second.now]).toEqual([failed(2), failed(2)]);
    const again = command({ event_id });
    await clock.advance(MOVEMENT_MS);
    expect([again.now, barrier.moves]).toEqual([DONE, 1]);
  });
});

describe('a product that is busy', () => {
  it('is asked again every second until it is free', async () => {
    const { clock, barrier, command } = await startWorld();
    barrier.movementMs = 3_500;
    barrier.give({ type: 'sensorsChanged', sensors: {} });
    const other = command();
    await clock.advance(100);
    barrier.radio.disconnect();
    await clock.advance(0);
    expect(other.now).toEqual(failed(2));
    barrier.received.length = 0;
    const closing = command({ command: { name: 'close' } });
    await clock.advance(3_000);
    expect([closing.now, barrier.received]).toEqual([null, ['01', '02', '01', '02', '01', '02', '01', '02']]);
    await clock.advance(1_000);
    expect(barrier.state.movement?.target).toBe('closed');
    await clock.advance(3_500);
    expect([closing.now, barrier.moves]).toEqual([DONE, 2]);
  });

  it('is type 10 of its own when the wait is over, a moment before the deadline', async () => {
    const { clock, barrier, command } = await startWorld();
    barrier.movementMs = 60_000;
    command();
    await clock.advance(100);
    barrier.radio.disconnect();
    await clock.advance(0);
    const closing = command({ command: { name: 'close' }, limitMs: 5_000 });
    await clock.advance(3_900);
    expect(closing.now).toBeNull();
    await clock.advance(1_000);
    expect(closing.now).toEqual(SUPERSEDED);
  });

  it('takes settings meanwhile', async () => {
    const { clock, barrier, command } = await startWorld();
    command();
    await clock.advance(100);
    barrier.radio.disconnect();
    const setting = command({ command: { name: 'autoclose', on: true, seconds: 30 } });
    await clock.advance(0);
    expect([setting.now, barrier.state.movement?.target]).toEqual([DONE, 'opened']);
  });
});

describe('a close that was turned back', () => {
  it('is told so when it is asked again, once the product rests, and is not asked for longer', async () => {
    const { clock, barrier, command } = await startWorld();
    const event_id = '000000cc' as EventId;
    command();
    await clock.advance(MOVEMENT_MS + LINK_KEPT_MS);
    const closing = command({ command: { name: 'close' }, event_id });
    await clock.advance(1_000);
    const opening = command();
    await clock.advance(100);
    expect(closing.now).toEqual(SUPERSEDED);
    // As the next gateway would.
    const handedOver = command({ command: { name: 'close' }, event_id });
    await clock.advance(2_000);
    expect([handedOver.now, opening.now]).toEqual([SUPERSEDED, DONE]);
    expect([barrier.state.memory.position, barrier.moves]).toEqual(['opened', 3]);
  });
});

describe('a link', () => {
  it('is kept for a follow-up, no longer than a product bears', async () => {
    const { clock, barrier, connects, command } = await startWorld();
    command();
    await clock.advance(MOVEMENT_MS + LINK_KEPT_MS - 1);
    const follow = command({ command: { name: 'status' } });
    await clock.advance(0);
    expect([follow.now, connects]).toEqual([DONE, [BARRIER]]);
    expect([barrier.radio.connected, LINK_KEPT_MS < 2_000]).toEqual([true, true]);
    // Others have to hear the product, too, however many commands follow.
    await clock.advance(1);
    expect(barrier.radio.connected).toBe(false);
  });

  it('is not kept after a failure of the link', async () => {
    const { clock, barrier, command } = await startWorld();
    barrier.isSilent = true;
    const given = command();
    await clock.advance(5_000);
    expect([given.now, barrier.radio.connected]).toEqual([failed(3), false]);
  });

  it('is made anew when it ended just then, and the product moves once', async () => {
    const { clock, barrier, connects, command } = await startWorld();
    command({ command: { name: 'status' } });
    await clock.advance(100);
    expect(barrier.radio.connected).toBe(true);
    const given = command();
    barrier.radio.disconnect();
    await clock.advance(MOVEMENT_MS + 100);
    expect([given.now, barrier.moves, connects]).toEqual([DONE, 1, [BARRIER, BARRIER]]);
  });
});
