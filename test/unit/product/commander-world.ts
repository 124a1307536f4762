/** The commander on the radio in memory, with products that are the pure machine: everything on a clock that the test moves. */
import type { CommandOutcome, ProductCommand } from '../../../agent/product/product-commander.js';
import { createProductWatch } from '../../../agent/product/product-watch.js';
import type { Radio, RadioLink, RadioState } from '../../../agent/product/radio.js';
import { createRadioCommander } from '../../../agent/product/radio-commander.js';
import { createListeners } from '../../../agent/waiting/listeners.js';
import type { EventId } from '../../../shared/ids.js';
import { createFakeRadio } from '../../devices/fake-radio.js';
import { FakeClock } from '../../world/fake-clock.js';
import { crypto } from '../product-protocol/protocol-fixture.js';
import { addMachineProduct } from './machine-product.js';
import { BARRIER, GATE, productItem } from './product-item.js';

/** The end of a command, without the product's own words. */
export type Ending = { outcome: 'succeeded' } | { outcome: 'failed'; type: number; authenticated: boolean };

export const DONE: Ending = { outcome: 'succeeded' };

export function endingOf(of: CommandOutcome): Ending {
  return of.outcome === 'succeeded' ? DONE : failed(of.type, of.authenticated);
}

export function failed(type: number, authenticated = false): Ending {
  return { outcome: 'failed', type, authenticated };
}

/** Two paired products, heard once. `heard` false: they are out of range. `state`: what the radio says of itself. */
export async function startWorld(
  options: {
    rtcValid?: boolean;
    clockOffS?: number;
    knownTime?: () => number | null;
    heard?: boolean;
    state?: RadioState;
  } = {},
) {
  const clock = new FakeClock();
  const fake = createFakeRadio({ clock });
  const connects: string[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const slotWaitsMs: (number | undefined)[] = [];
  const slotsWanted = createListeners<readonly string[]>();
  const radio: Radio = {
    ...fake.radio,
    onSlotWanted: slotsWanted.add,
    get state() {
      return options.state ?? fake.radio.state;
    },
    async connect(address, given) {
      connects.push(address);
      signals.push(given.signal);
      slotWaitsMs.push(given.slotWithinMs);
      return world.onLink(await fake.radio.connect(address, given));
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
  const withClock = {
    ...(options.rtcValid === undefined ? {} : { rtcValid: options.rtcValid }),
    ...(options.clockOffS === undefined ? {} : { clockOffS: options.clockOffS }),
  };
  const barrier = addMachineProduct(fake, clock, { deviceId: BARRIER, ...withClock });
  const gate = addMachineProduct(fake, clock, { deviceId: GATE });
  if (options.heard === false) {
    for (const { radio: path } of [barrier, gate]) path.setPath({ inRange: false });
    fake.setPower(true);
  }
  await clock.advance(100);
  let events = 0;
  const world = {
    clock,
    fake,
    barrier,
    gate,
    watch,
    /** The address of each connect that was asked for, its signal, and how long it may wait for a connection. */
    connects,
    signals,
    slotWaitsMs,
    logged,
    /** Somebody waits for the connection to one of these addresses. */
    wantSlot: slotsWanted.notify,
    /** What is done with each link before the commander gets it. */
    onLink: (link: RadioLink): RadioLink | Promise<RadioLink> => link,
    /** A command with 30 s; its outcome, once there is one, stands in `now`. */
    command(change: Partial<ProductCommand> & { limitMs?: number } = {}, signal?: AbortSignal) {
      const { limitMs = 30_000, ...rest } = change;
      const event_id = (events += 1).toString(16).padStart(8, '0') as EventId;
      const deadline_mono_ms = clock.monotonic() + limitMs;
      const given = { device_id: BARRIER, event_id, command: { name: 'open' as const }, deadline_mono_ms, ...rest };
      const command: { now: Ending | null } = { now: null };
      void commander.execute(given, signal).then((outcome) => (command.now = endingOf(outcome)));
      return command;
    },
  };
  return world;
}
