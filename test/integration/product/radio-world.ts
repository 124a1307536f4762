/**
 * Gateways and products on the emulated radio: the gateway's own code over noble, simulated products over bleno. Time is the test's for
 * gateways and products; only noble and the air have the machine's.
 */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { HciTransport } from '../../../agent/product/hci/hci-transport.js';
import type { RadioIdentity } from '../../../agent/product/hci/hub-codec.js';
import type { CommandCredentials, ProductCommander } from '../../../agent/product/product-commander.js';
import { createProductReporter } from '../../../agent/product/product-reporter.js';
import { createProductWatch, type ProductWatch } from '../../../agent/product/product-watch.js';
import type { Radio, RadioLink } from '../../../agent/product/radio.js';
import { createRadioCommander } from '../../../agent/product/radio-commander.js';
import type { ProductItem } from '../../../shared/gateway-config.js';
import type { EventId, GatewayUuid, ProductDeviceId } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import type { ProtocolCommand } from '../../../shared/product-protocol/commands.js';
import { type GatewayReport, gatewayReportSchema } from '../../../shared/uplink-reports.js';
import type { SimProduct } from '../../../scripts/sim/products/sim-product.js';
import { startProduct } from '../../../scripts/sim/products/start-product.js';
import { createBlenoAir } from '../../../scripts/sim/radio/bleno-air.js';
import { createVirtualRadio, type VirtualRadio } from '../../../scripts/sim/radio/virtual-radio.js';
import { FakeClock } from '../../world/fake-clock.js';
import { type Ending, endingOf } from '../../unit/product/commander-world.js';
import { BARRIER, GATE, productItem } from '../../unit/product/product-item.js';
import { crypto, MASTER_KEY } from '../../unit/product-protocol/protocol-fixture.js';
import { nobleRadio } from '../../world/test-radios.js';

export const NORTH = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01' as GatewayUuid;
export const SOUTH = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02' as GatewayUuid;
export const MOVEMENT_MS = 1_500;

export interface RadioGateway {
  commander: ProductCommander;
  watch: ProductWatch;
  reports: GatewayReport[];
  /** What is done with each link before the commander gets it. */
  onLink: (link: RadioLink) => Promise<RadioLink> | RadioLink;
  connects: number;
  /** How long noble may take for a link, of the machine's time. */
  linkWithinMs: number;
}

interface CommandOptions {
  on?: RadioGateway;
  to?: ProductDeviceId;
  eventId?: string;
  limitMs?: number;
  signal?: AbortSignal;
  credentials?: CommandCredentials;
}

interface GatewayOptions {
  items?: ProductItem[];
  knownTime?: () => number | null;
  /** The radio of the gateway; left out: noble in this process. */
  radio?: Radio;
}

export interface RadioWorld {
  clock: FakeClock;
  air: VirtualRadio;
  barrier: SimProduct;
  gate: SimProduct;
  north: RadioGateway;
  startOnAir(device_id: ProductDeviceId): Promise<SimProduct>;
  startGateway(name: GatewayUuid, options?: GatewayOptions): Promise<RadioGateway>;
  /** Waits until a gateway has heard the product. */
  heard(gateway: RadioGateway, deviceId: ProductDeviceId): Promise<unknown>;
  /** Waits until the barrier, or another product, is in the state. */
  until(state: string, product?: SimProduct): Promise<unknown>;
  command(what: 'open' | 'close' | 'status' | ProtocolCommand, options?: CommandOptions): Promise<Ending>;
  /** A command that moves the barrier: the movement takes its time as soon as it has begun. */
  move(what: 'open' | 'close' | ProtocolCommand, options?: CommandOptions): Promise<Ending>;
  /** Ends with the world. */
  onClose(end: () => Promise<void> | void): void;
  close(): Promise<void>;
}

export interface RadioWorldOptions {
  /** The largest ATT MTU that products agree to. */
  mtuMax?: number;
  /** Opens another controller for each gateway and product. Their range cannot be changed then. */
  openTransport?: (identity: RadioIdentity) => HciTransport;
}

export async function startRadioWorld(options: RadioWorldOptions = {}): Promise<RadioWorld> {
  const clock = new FakeClock();
  const emulated = createVirtualRadio({ random: Math.random });
  const air: VirtualRadio = { ...emulated, openTransport: options.openTransport ?? emulated.openTransport };
  const mtu = options.mtuMax === undefined ? {} : { mtuMax: options.mtuMax };
  const closing: (() => Promise<void> | void)[] = [];
  let events = 0;

  function startOnAir(device_id: ProductDeviceId): Promise<SimProduct> {
    const config = {
      device_id,
      name: device_id,
      type: 'barrier' as const,
      power_type: 'mains',
      master_key: MASTER_KEY,
      autoclose: { on: false, seconds: 10 },
    };
    return startProduct(config, {
      crypto,
      air: createBlenoAir(air, mtu),
      gateways: [NORTH, SOUTH],
      clock,
      randomBytes,
      logger: silentLogger,
      movementMs: MOVEMENT_MS,
    });
  }

  async function startGateway(name: GatewayUuid, given: GatewayOptions = {}): Promise<RadioGateway> {
    const { items = [productItem(BARRIER), productItem(GATE)], knownTime = () => clock.now() } = given;
    const hci = { kind: 'transport' as const, open: () => air.openTransport({ role: 'central', name }) };
    const own = given.radio ?? nobleRadio(hci);
    closing.push(() => own.close());
    const radio: Radio = {
      onStateChange: own.onStateChange,
      onAdvertisement: own.onAdvertisement,
      onSlotWanted: own.onSlotWanted,
      onBeacon: own.onBeacon,
      wantBeacons: own.wantBeacons,
      get state() {
        return own.state;
      },
      async connect(address, how) {
        gateway.connects += 1;
        return gateway.onLink(await own.connect(address, { ...how, timeoutMs: gateway.linkWithinMs }));
      },
      close: () => own.close(),
    };
    const watch = createProductWatch({ radio, crypto, clock });
    watch.setProducts(items);
    const logger = silentLogger;
    const commander = createRadioCommander({ radio, watch, crypto, clock, randomBytes, knownTime, logger });
    const reports: GatewayReport[] = [];
    const publish = (report: GatewayReport) => void reports.push(gatewayReportSchema.parse(report));
    const reporter = createProductReporter({ watch, clock, logger, intervalMs: 3_600_000, publish });
    closing.push(reporter.close, watch.close);
    const gateway: RadioGateway = {
      commander,
      watch,
      reports,
      onLink: (link) => link,
      connects: 0,
      linkWithinMs: 30_000,
    };
    return gateway;
  }

  const [barrier, gate] = await Promise.all([startOnAir(BARRIER), startOnAir(GATE)]);
  const north = await startGateway(NORTH);
  const world: RadioWorld = {
    clock,
    air,
    barrier,
    gate,
    north,
    startOnAir,
    startGateway,
    heard: (gateway, deviceId) =>
      expect.poll(() => gateway.watch.knownAddress(deviceId), { interval: 5 }).not.toBeNull(),
    until: (state, product = barrier) => expect.poll(() => product.view().state, { interval: 5 }).toBe(state),
    async command(what, { on = north, to = BARRIER, limitMs = 30_000, signal, ...given } = {}) {
      const event_id = (given.eventId ?? (events += 1).toString(16).padStart(8, '0')) as EventId;
      const deadline_mono_ms = clock.monotonic() + limitMs;
      const command: ProtocolCommand = typeof what === 'string' ? { name: what } : what;
      const { credentials } = given;
      const order = { device_id: to, event_id, command, deadline_mono_ms, ...(credentials && { credentials }) };
      return endingOf(await on.commander.execute(order, signal));
    },
    async move(what, given = {}) {
      const outcome = world.command(what, given);
      await Promise.race([world.until('moving'), outcome]);
      await clock.advance(MOVEMENT_MS);
      return await outcome;
    },
    onClose: (end) => void closing.push(end),
    async close() {
      for (const end of closing.splice(0)) await end();
      await Promise.all([barrier.close(), gate.close()]);
      air.close();
    },
  };
  await Promise.all([world.heard(north, BARRIER), world.heard(north, GATE)]);
  return world;
}
