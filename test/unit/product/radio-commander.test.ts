import { afterEach, describe, expect, it } from 'vitest';
import type { CommandOutcome, ProductCommand } from '../../../agent/product/product-commander.js';
import { createProductWatch } from '../../../agent/product/product-watch.js';
import type { Radio, RadioState } from '../../../agent/product/radio.js';
import { createRadioCommander } from '../../../agent/product/radio-commander.js';
import type { EventId } from '../../../shared/ids.js';
import { encodeRefuse } from '../../../shared/product-protocol/message-codec.js';
import { createFakeRadio } from '../../sim/radio/fake-radio.js';
import { FakeClock, settle } from '../../sim/world/fake-clock.js';
import { crypto } from '../product-protocol/protocol-fixture.js';
import { addMachineProduct, MOVEMENT_MS } from './machine-product.js';
import { BARRIER, GATE, productItem } from './product-item.js';

const OPENED = { outcome: 'succeeded' };
const failed = (type: number, authenticated = false) => ({ outcome: 'failed', type, authenticated });

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A gateway with two paired products in memory, everything on a clock that the test moves. `heard` false: they are out of range. */
async function start(
  options: { rtcValid?: boolean; knownTime?: () => number | null; heard?: boolean; state?: RadioState } = {},
) {
  const clock = new FakeClock();
  const fake = createFakeRadio({ clock });
  const connects: string[] = [];
  const radio: Radio = {
    ...fake.radio,
    get state() {
      return options.state ?? fake.radio.state;
    },
    connect(address, given) {
      connects.push(address);
      return fake.radio.connect(address, given);
    },
  };
  const logged: Record<string, unknown>[] = [];
  const keep = (fields: Record<string, unknown>, message: string) => void logged.push({ ...fields, message });
  const watch = createProductWatch({ radio, crypto, clock });
  watch.setProducts([productItem(BARRIER), productItem(GATE)]);
  let nonces = 0;
  const commander = createRadioCommander({
    radio,
    watch,
    crypto,
    clock,
    randomBytes: (length) => Uint8Array.from({ length }, () => (nonces += 1)),
    knownTime: options.knownTime ?? (() => clock.now()),
    logger: { debug() {}, info() {}, warn: keep, error: keep },
  });
  if (options.heard === false) fake.setPower(false);
  const withClock = options.rtcValid === undefined ? {} : { rtcValid: options.rtcValid };
  const barrier = addMachineProduct(fake, clock, { deviceId: BARRIER, ...withClock });
  const gate = addMachineProduct(fake, clock, { deviceId: GATE });
  if (options.heard === false) {
    for (const { radio: path } of [barrier, gate]) path.setPath({ inRange: false });
    fake.setPower(true);
  }
  await clock.advance(100);
  closing.push(() => radio.close());
  let events = 0;
  return {
    clock,
    fake,
    barrier,
    gate,
    watch,
    connects,
    logged,
    /** A command with 30 s; its outcome, once there is one, stands in `now`. */
    command(change: Partial<ProductCommand> & { limitMs?: number } = {}, signal?: AbortSignal) {
      const { limitMs = 30_000, ...rest } = change;
      const event_id = (events += 1).toString(16).padStart(8, '0') as EventId;
      const deadline_mono_ms = clock.monotonic() + limitMs;
      const given = { device_id: BARRIER, event_id, operation: 'open' as const, deadline_mono_ms, ...rest };
      const command: { now: CommandOutcome | null; given: ProductCommand } = { now: null, given };
      void commander.execute(given, signal).then((outcome) => (command.now = outcome));
      return command;
    },
  };
}

describe('commands over the radio', () => {
  it('begin to connect before the call returns, and tell of the end at once', async () => {
    const { clock, barrier, connects, command } = await start();
    const opening = command();
    expect(connects).toEqual([BARRIER]);
    await clock.advance(MOVEMENT_MS - 1);
    expect([opening.now, barrier.state.movement?.target]).toEqual([null, 'opened']);
    await clock.advance(1);
    expect(opening.now).toEqual(OPENED);
    expect([barrier.moves, barrier.radio.connected]).toEqual([1, false]);
  });

  it('tell what the product said to the watch', async () => {
    const { clock, watch, command } = await start();
    command();
    await clock.advance(MOVEMENT_MS);
    expect(watch.reports()[0]).toMatchObject({ device_id: BARRIER, state: 'opened', autoclose_time: 10 });
  });

  it('wait for a product that was not heard yet, but not for ever', async () => {
    const { clock, barrier, connects, command } = await start({ heard: false });
    const given = command();
    await clock.advance(4_999);
    expect([given.now, connects]).toEqual([null, []]);
    await clock.advance(1);
    expect([given.now, connects]).toEqual([failed(4), []]);

    const later = command();
    await clock.advance(3_000);
    barrier.radio.setPath({ inRange: true });
    await clock.advance(100 + MOVEMENT_MS);
    expect(later.now).toEqual(OPENED);
  });

  it('are 3, not 4, where the radio is what is missing', async () => {
    const { clock, fake, connects, command } = await start({ heard: false });
    fake.setPower(false);
    const unheard = command();
    await clock.advance(5_000);
    expect([unheard.now, connects]).toEqual([failed(3), []]);

    const known = await start();
    known.fake.setPower(false);
    const given = known.command();
    await settle();
    expect([given.now, known.connects]).toEqual([failed(3), [BARRIER]]);
  });

  it('are 3 at once where the radio is switched off', async () => {
    const { clock, connects, command } = await start({ state: 'off', heard: false });
    const given = command();
    await settle();
    expect([given.now, connects, clock.pending]).toEqual([failed(3), [], 2]);
  });

  it('are 4 for an unknown product, 8 for one that is not paired, without any radio', async () => {
    const { clock, watch, connects, command } = await start();
    watch.setProducts([productItem(GATE, { pairing: null })]);
    const given = [command(), command({ device_id: GATE })];
    await settle();
    expect(given.map(({ now }) => now)).toEqual([failed(4), failed(8)]);
    expect([connects, clock.pending]).toEqual([[], 2]);
  });

  it('give a product that has gone 10 s', async () => {
    const { clock, barrier, logged, command } = await start();
    barrier.radio.setPath({ inRange: false });
    const given = command();
    await clock.advance(9_999);
    expect(given.now).toBeNull();
    await clock.advance(1);
    expect(given.now).toEqual(failed(4));
    expect(logged).toEqual([
      expect.objectContaining({
        device_id: BARRIER,
        operation: 'open',
        took_ms: 10_000,
        type: 4,
        reason: `Product ${BARRIER} did not answer in time`,
        message: 'product did not: Device not found',
      }),
    ]);
  });

  it('never move anything late: no REQUEST leaves after the deadline', async () => {
    const { clock, barrier, connects, command } = await start();
    const late = command({ limitMs: 0 });
    await clock.advance(0);
    expect([late.now, connects]).toEqual([failed(3), []]);

    barrier.isSilent = true;
    const unanswered = command({ limitMs: 1_000 });
    await clock.advance(1_000);
    expect([unanswered.now, barrier.received]).toEqual([failed(3), ['01']]);
    expect(barrier.radio.connected).toBe(false);
    expect(barrier.moves).toBe(0);
  });

  it('wait long for the answer to a REQUEST, for the product may be moving', async () => {
    const { clock, barrier, command } = await start();
    barrier.movementMs = 119_000;
    const slow = command({ limitMs: 1_000 });
    await clock.advance(118_999);
    expect(slow.now).toBeNull();
    await clock.advance(1);
    expect(slow.now).toEqual(OPENED);

    const stuck = command({ operation: 'close' });
    await clock.advance(1_000);
    barrier.isSilent = true;
    await clock.advance(123_999);
    expect(stuck.now).toBeNull();
    await clock.advance(1);
    expect(stuck.now).toEqual(failed(3));
  });

  it('are 2 when the link is lost, before the REQUEST as after it', async () => {
    const { clock, barrier, command } = await start();
    barrier.isSilent = true;
    const before = command();
    await clock.advance(10);
    barrier.radio.disconnect();
    await settle();
    expect(before.now).toEqual(failed(2));

    barrier.isSilent = false;
    const during = command();
    await clock.advance(500);
    expect(barrier.state.movement).not.toBeNull();
    barrier.radio.disconnect();
    await settle();
    expect([during.now, barrier.moves]).toEqual([failed(2), 1]);
  });

  it('set the clock of a product that lost it, and are given once more', async () => {
    const { clock, barrier, command } = await start({ rtcValid: false });
    const given = command();
    await clock.advance(MOVEMENT_MS);
    expect(given.now).toEqual(OPENED);
    expect([barrier.moves, barrier.received]).toEqual([1, ['01', '02', '01', '02', '01', '02']]);
    expect(barrier.state.rtc?.timeS).toBe(Math.floor(Date.UTC(2026, 0, 15, 12) / 1000));
  });

  it('are 9 where the gateway does not know the time either', async () => {
    const { clock, barrier, command } = await start({ rtcValid: false, knownTime: () => null });
    const given = command();
    await clock.advance(100);
    expect([given.now, barrier.received, barrier.moves]).toEqual([failed(9, true), ['01', '02'], 0]);
  });

  it('are 9 when the product does not take the time, but the link’s own failure when that is lost meanwhile', async () => {
    const early = await start({ rtcValid: false, knownTime: () => Date.UTC(2020, 0, 1) });
    // The floor of its clock is later than what it is told.
    early.barrier.give({ type: 'rtcChanged', timeS: Math.floor(early.clock.now() / 1000) });
    early.barrier.give({ type: 'rtcChanged', timeS: null });
    const refused = early.command();
    await early.clock.advance(100);
    expect(refused.now).toEqual(failed(9, true));

    const { clock, barrier, command } = await start({
      rtcValid: false,
      knownTime() {
        barrier.isSilent = true;
        return Date.UTC(2026, 0, 15, 12);
      },
    });
    const lost = command();
    await clock.advance(5_000);
    expect(lost.now).toEqual(failed(3));
  });

  it('take nobody’s hint for the product’s own word', async () => {
    const { clock, barrier, command } = await start({ rtcValid: false });
    barrier.isSilent = true;
    const given = command();
    await clock.advance(0);
    barrier.isSilent = false;
    barrier.sendRaw(encodeRefuse({ type: 9, rtcS: 0 }));
    await clock.advance(100);
    expect([given.now, barrier.received]).toEqual([failed(9), ['01']]);
  });

  it('have no credentials that cannot be read', async () => {
    const { clock, watch, barrier, command } = await start();
    const item = productItem(BARRIER);
    const { pairing } = item;
    if (pairing === null) expect.fail('it is paired');
    watch.setProducts([{ ...item, pairing: { ...pairing, token_open: { ...pairing.token_open, token: 'AAAA' } } }]);
    const given = command();
    await clock.advance(100);
    expect([given.now, barrier.received]).toEqual([failed(1), []]);
  });
});

describe('an abort', () => {
  it('ends the wait for a product, for its turn, and for a connection', async () => {
    const { clock, barrier, gate, command } = await start();
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
    expect(aborted.now).toEqual(failed(3));
    barrier.radio.setPath({ inRange: true });
    const next = command();
    await clock.advance(MOVEMENT_MS + 100);
    expect([next.now, barrier.moves]).toEqual([OPENED, 1]);
  });

  it('keeps a REQUEST from leaving, and waits for the answer to one that has left', async () => {
    const { clock, barrier, command } = await start();
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
    expect([asked.now, barrier.moves]).toEqual([OPENED, 1]);
  });
});

describe('the queue of a product', () => {
  it('lets one command after the other in, in their order; other products do not wait', async () => {
    const { clock, barrier, gate, connects, command } = await start();
    const opening = command();
    const closed = command({ operation: 'close' });
    const status = command({ operation: 'status' });
    const other = command({ device_id: GATE });
    expect(connects).toEqual([BARRIER, GATE]);
    await clock.advance(MOVEMENT_MS);
    expect([opening.now, closed.now, other.now]).toEqual([OPENED, null, OPENED]);
    await clock.advance(MOVEMENT_MS);
    expect([closed.now, status.now]).toEqual([OPENED, OPENED]);
    expect([barrier.moves, gate.moves, connects]).toEqual([2, 1, [BARRIER, GATE, BARRIER, BARRIER]]);
  });

  it('moves once for one event_id', async () => {
    const { clock, barrier, command } = await start();
    const event_id = 'deadbeef' as EventId;
    const given = [command({ event_id }), command({ event_id })];
    await clock.advance(MOVEMENT_MS + 100);
    expect(given.map(({ now }) => now)).toEqual([OPENED, OPENED]);
    expect(barrier.moves).toBe(1);
  });

  it('is 10 when the turn does not come before the deadline, and lets nobody past meanwhile', async () => {
    const { clock, barrier, connects, command } = await start();
    barrier.movementMs = 60_000;
    const first = command();
    const second = command({ operation: 'close', limitMs: 5_000 });
    await clock.advance(5_000);
    expect([first.now, second.now]).toEqual([null, failed(10)]);
    const third = command({ operation: 'status', limitMs: 90_000 });
    await clock.advance(54_000);
    expect([first.now, third.now, connects]).toEqual([null, null, [BARRIER]]);
    await clock.advance(1_100);
    expect([first.now, third.now, barrier.moves]).toEqual([OPENED, OPENED, 1]);
  });

  it('does not wait for the turn of a busy radio longer than the deadline', async () => {
    const { clock, barrier, gate, command } = await start();
    barrier.radio.setPath({ inRange: false });
    const absent = command();
    const behind = command({ device_id: GATE, limitMs: 2_000 });
    await clock.advance(2_500);
    expect([absent.now, behind.now]).toEqual([null, failed(3)]);
    await clock.advance(30_000);
    expect([absent.now, gate.received]).toEqual([failed(4), []]);
  });
});

describe('a radio that breaks its word', () => {
  it('cannot hold a product for ever', async () => {
    const { clock, fake, barrier, command } = await start();
    fake.misbehave('connect-never-answers');
    const given = command({ limitMs: 2_000 });
    await clock.advance(2_500);
    expect(given.now).toEqual(failed(3));
    const next = command();
    await clock.advance(MOVEMENT_MS);
    expect([next.now, barrier.moves]).toEqual([OPENED, 1]);
  });

  it.each([
    ['connect-fails-in-same-tick', 0],
    ['write-unconfirmed', 5_000],
    ['write-lost', 5_000],
  ] as const)('%s is an outcome', async (habit, withinMs) => {
    const { clock, fake, barrier, command } = await start();
    fake.misbehave(habit);
    barrier.isSilent = true;
    const given = command();
    await clock.advance(withinMs);
    expect([given.now, barrier.radio.connected]).toEqual([failed(3), false]);
    barrier.isSilent = false;
    const next = command();
    await clock.advance(MOVEMENT_MS + 100);
    expect(next.now).toEqual(OPENED);
  });

  it('that tells no end of a link costs patience, no more', async () => {
    const { clock, fake, barrier, command } = await start();
    const given = command();
    await clock.advance(100);
    fake.misbehave('disconnect-without-event');
    barrier.radio.disconnect();
    await clock.advance(125_000);
    expect([given.now, barrier.moves]).toEqual([failed(3), 1]);
  });
});
