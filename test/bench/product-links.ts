/**
 * A gateway at many products, over the real radio process and the emulated radio with connection events of 7.5 ms: twenty of them commanded at
 * once, against bare noble cycles one after the other; a plate that opens while others wait; what it costs to listen to two hundred.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { adapterName } from '../../agent/product/hci/hub-codec.js';
import { createJointRadio } from '../../agent/product/joint-radio.js';
import type { CommandOutcome, ProductCommander } from '../../agent/product/product-commander.js';
import { createProductWatch } from '../../agent/product/product-watch.js';
import { createRadioCommander } from '../../agent/product/radio-commander.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';
import { silentLogger } from '../../shared/logger.js';
import { hexToBytes } from '../../shared/product-protocol/bytes.js';
import { systemClock } from '../../shared/system-clock.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { productItem } from '../unit/product/product-item.js';
import { crypto } from '../unit/product-protocol/protocol-fixture.js';
import { childrenOf } from '../unit/radio/processes.js';
import { type BareNoble, startBareNoble } from './bare-noble-client.js';
import { amount, median, newFolder, printFigure, processorMs, startChild, alternate, timed } from './harness.js';
import { childRadio } from '../world/test-radios.js';

const GATEWAY = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const MASTER_KEY = '1a'.repeat(32);
const LATENCY_MS = 7.5;
const AT_ONCE = 20;
const ROUNDS = 8;
const OPENS = 12;
const SCANNED = 200;
const SCANNED_FOR_MS = 10_000;
/** A barrier that takes a moment only: the way there and back is measured, not the motor. */
const MOMENT_MS = 50;
/** About as long as a barrier takes, for a lot that is released. */
const MOVEMENT_MS = 1_500;
const RELEASES = 4;
/** In an emergency the last product has to be open by then. */
const RELEASED_WITHIN_MS = 5_000;

const deviceIdsOf = (count: number): ProductDeviceId[] =>
  Array.from({ length: count }, (_, index) => `a4c138${(index + 1).toString(16).padStart(6, '0')}` as ProductDeviceId);

interface Air {
  radioPath: string;
  deviceIds: ProductDeviceId[];
  /** Takes these out of range, and all others into it. */
  withdraw(deviceIds: readonly ProductDeviceId[]): Promise<void>;
  end(): Promise<void>;
}

async function startAir(count: number, movementMs = MOMENT_MS): Promise<Air> {
  const radioPath = join(newFolder(), 'radio.sock');
  const deviceIds = deviceIdsOf(count);
  const args = [radioPath, deviceIds.join(','), MASTER_KEY, LATENCY_MS, movementMs];
  const child = await startChild('air-server.js', args);
  return { radioPath, deviceIds, withdraw: (away) => child.ask([...away]), end: () => child.end() };
}

interface Gateway {
  commander: ProductCommander;
  /** Process ids of its radio processes. */
  radioPids: number[];
  /** Resolves to the milliseconds it took. */
  open(deviceId: ProductDeviceId, isUrgent?: boolean): Promise<number>;
  /** The same of any command, with a whole movement. */
  move(deviceId: ProductDeviceId, name: 'open' | 'close'): Promise<number>;
  /** An open to which nobody says anything. */
  tryOpen(deviceId: ProductDeviceId): Promise<void>;
  hears(deviceIds: readonly ProductDeviceId[]): Promise<void>;
  close(): Promise<void>;
}

function startGateway(air: Air, adapters: number): Gateway {
  const before = new Set(childrenOf(process.pid));
  const radios = Array.from({ length: adapters }, (_, index) =>
    childRadio({ kind: 'sim', path: air.radioPath, name: adapterName(GATEWAY, index) }),
  );
  const radioPids = childrenOf(process.pid).filter((pid) => !before.has(pid));
  const radio = createJointRadio(radios, { clock: systemClock });
  const watch = createProductWatch({ radio, crypto, clock: systemClock });
  watch.setProducts(
    air.deviceIds.map((deviceId) => productItem(deviceId, { pairing: { masterKey: hexToBytes(MASTER_KEY) } })),
  );
  const commander = createRadioCommander({
    radio,
    watch,
    crypto,
    clock: systemClock,
    randomBytes: (length) => new Uint8Array(randomBytes(length)),
    knownTime: () => systemClock.now(),
    logger: silentLogger,
  });
  const give = (device_id: ProductDeviceId, is_urgent: boolean, name: 'open' | 'close' = 'open') =>
    commander.execute({
      device_id,
      event_id: randomBytes(4).toString('hex') as EventId,
      command: { name },
      deadline_mono_ms: systemClock.monotonic() + 30_000,
      is_urgent,
    });
  return {
    commander,
    radioPids,
    open: (deviceId, isUrgent = false) => obeyed(deviceId, () => give(deviceId, isUrgent)),
    move: (deviceId, name) => obeyed(deviceId, () => give(deviceId, false, name)),
    tryOpen: (deviceId) => give(deviceId, false).then(() => {}),
    async hears(deviceIds) {
      await waitUntil('the products to be heard', () =>
        deviceIds.every((deviceId) => watch.knownAddress(deviceId) !== null),
      );
    },
    async close() {
      watch.close();
      await radio.close();
    },
  };
}

const obeyed = (deviceId: ProductDeviceId, give: () => Promise<CommandOutcome>): Promise<number> =>
  timed(async () => {
    const outcome = await give();
    if (outcome.outcome === 'failed') throw new Error(`${deviceId}: type ${outcome.type}`);
  });

/** No link is kept any longer, and nobody is in step with the products' advertisements. */
const anyMoment = () => pause(1_500 + Math.random() * 200);

const atOnce = (gateway: Gateway, deviceIds: readonly ProductDeviceId[]): Promise<number> =>
  timed(() => Promise.all(deviceIds.map((deviceId) => gateway.open(deviceId))));

async function serially(bare: BareNoble, count: number): Promise<number> {
  let sumMs = 0;
  for (let index = 0; index < count; index++) sumMs += await bare.cycle(index);
  return sumMs;
}

/** Runs the benchmark of many commands at once. */
export async function benchProductLinks(): Promise<void> {
  const air = await startAir(AT_ONCE + 1);
  const [plate, ...others] = air.deviceIds;
  if (plate === undefined) throw new Error('there is no product');
  const bare = await startBareNoble({ radioPath: air.radioPath, deviceIds: others, masterKey: MASTER_KEY });
  try {
    for (const [adapters, reach] of [
      [1, 1.1],
      [2, 0.6],
    ] as const) {
      const gateway = startGateway(air, adapters);
      await gateway.hears(air.deviceIds);
      await gateway.open(plate);
      const runs = {
        serial: () => anyMoment().then(() => serially(bare, AT_ONCE)),
        once: () => anyMoment().then(() => atOnce(gateway, others)),
      };
      // The first time the products move, and nobody knows their handles.
      const { serial, once } = await alternate(ROUNDS, runs, 1);
      printFigure(
        `${AT_ONCE} products commanded at once by ${adapters} adapter${adapters === 1 ? '' : 's'}, p50`,
        amount(median(once), '{} ms'),
        amount(median(serial), 'bare cycles one after the other {} ms'),
        reach,
      );
      if (adapters === 1) await measurePlate(gateway, air, { plate, others });
      await gateway.close();
    }
  } finally {
    await bare.end();
    await air.end();
  }
}

/** From the decision about a plate to the barrier's word that it is open, while twenty commands wait that nobody stands before. */
async function measurePlate(
  gateway: Gateway,
  air: Air,
  { plate, others }: { plate: ProductDeviceId; others: readonly ProductDeviceId[] },
): Promise<void> {
  for (const [name, away] of [
    ['', []],
    [', eight of them for products that are not there', others.slice(0, 8)],
  ] as const) {
    const tookMs: number[] = [];
    for (let round = 0; round < OPENS; round++) {
      await air.withdraw(away);
      await anyMoment();
      const waiting = others.map((deviceId) => gateway.tryOpen(deviceId));
      await pause(Math.random() * 300);
      tookMs.push(await gateway.open(plate, true));
      await air.withdraw([]);
      await Promise.all(waiting);
    }
    printFigure(
      `open of a plate while ${AT_ONCE} commands wait${name}, worst of ${OPENS}`,
      amount(Math.max(...tookMs), '{} ms until it is open'),
      amount(1_000, '{} ms'),
      1,
    );
  }
}

/** Twenty products that take their time to open, as in an emergency: until the last one says that it is open. */
export async function benchLotRelease(): Promise<void> {
  const air = await startAir(AT_ONCE, MOVEMENT_MS);
  const bare = await startBareNoble({ radioPath: air.radioPath, deviceIds: air.deviceIds, masterKey: MASTER_KEY });
  try {
    for (const adapters of [1, 2]) {
      const gateway = startGateway(air, adapters);
      await gateway.hears(air.deviceIds);
      const all = async (name: 'open' | 'close') =>
        Math.max(...(await Promise.all(air.deviceIds.map((deviceId) => gateway.move(deviceId, name)))));
      const measured: number[] = [];
      const reference: number[] = [];
      for (let round = 0; round < RELEASES; round++) {
        measured.push(await all('open'));
        await anyMoment();
        // They are open: it is the way there and back.
        reference.push(await serially(bare, AT_ONCE));
        await all('close');
        await anyMoment();
      }
      const by = `by ${adapters} adapter${adapters === 1 ? '' : 's'}`;
      printFigure(
        `release of ${AT_ONCE} products that take ${MOVEMENT_MS} ms ${by}, worst of ${RELEASES}`,
        amount(Math.max(...measured), '{} ms until the last one is open'),
        amount(RELEASED_WITHIN_MS, '{} ms'),
        1,
      );
      printFigure(
        `release of ${AT_ONCE} products that take ${MOVEMENT_MS} ms ${by}, p50`,
        amount(median(measured), '{} ms'),
        amount(MOVEMENT_MS + median(reference), 'one movement and bare cycles one after the other {} ms'),
        1,
      );
      await gateway.close();
    }
  } finally {
    await bare.end();
    await air.end();
  }
}

/** Runs the benchmark of listening. */
export async function benchRadioScan(): Promise<void> {
  const air = await startAir(SCANNED);
  const gateway = startGateway(air, 1);
  try {
    await gateway.hears(air.deviceIds);
    await pause(2_000);
    const all = () => gateway.radioPids.reduce((sum, pid) => sum + processorMs(pid), processorMs(process.pid));
    const [beforeMs, startedMs] = [all(), performance.now()];
    await pause(SCANNED_FOR_MS);
    const [usedMs, tookMs] = [all() - beforeMs, performance.now() - startedMs];
    printFigure(
      `scan of ${SCANNED} products that advertise ten times a second, radio process and gateway`,
      amount((100 * usedMs) / tookMs, '{} % of a core', 1),
      amount(10, '{} %'),
      1,
    );
  } finally {
    await gateway.close();
    await air.end();
  }
}
