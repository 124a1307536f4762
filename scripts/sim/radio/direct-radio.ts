/** A radio without Bluetooth: the gateways' Radio port on one side, products on the other, and paths between each two of them. */
import type { Beacon, BeaconData, WantedBeacons } from '../../../agent/sensor/beacons.js';
import { isWantedBeacon } from '../../../agent/sensor/decide-wanted-beacon.js';
import type { Advertisement, Radio, RadioLink, RadioState } from '../../../agent/product/radio.js';
import { RadioError } from '../../../agent/product/radio.js';
import { createListeners, type Listeners } from '../../../agent/waiting/listeners.js';
import { createSemaphore } from '../../../shared/flow/semaphore.js';
import { waitFor } from '../../../agent/waiting/wait-for.js';
import type { Clock } from '../../../shared/clock.js';
import { type DirectLink, NOTIFICATION_HEADER_BYTES, openDirectLink } from './direct-link.js';
import { createPaths, type PathSettings } from './paths.js';
import type { AirBeacon, Peripheral, ProductAir, ProductSide } from './product-air.js';

const ADVERTISING_PERIOD_MS = 100;
const WRITE_TIMEOUT_MS = 5_000;
const ATT_MTU = 256;

export interface DirectRadio extends ProductAir {
  /** Puts a product on the air. `mtu`: of its connections. */
  addPeripheral(address: string, side: ProductSide, mtu?: number): Peripheral;
  /** The radio of one gateway, whose name is its UUID. */
  radioOf(gateway: string): Radio;
  /** The adapter of a gateway, which has a radio. */
  setPower(gateway: string, up: boolean): void;
}

interface Central {
  name: string;
  state: RadioState;
  states: Listeners<RadioState>;
  advertisements: Listeners<Advertisement>;
  wanted: readonly WantedBeacons[];
  beacons: Listeners<Beacon>;
  closing: AbortController;
}

/** The part of a product that a link and a connect need. */
interface Product extends ProductSide {
  address: string;
  mtu: number;
  link: DirectLink | undefined;
  isOff: boolean;
}

interface Air {
  clock: Clock;
  random: () => number;
  writeTimeoutMs: number;
  centrals: Map<string, Central>;
  products: Map<string, Product>;
  /** Notified when a product comes or its paths change. */
  changes: Listeners<void>;
  pathBetween(product: { address: string }, central: Central): PathSettings;
}

/**
 * @param options.random numbers in [0, 1): which packets are lost
 * @param options.writeTimeoutMs after this time an unconfirmed write fails
 */
export function createDirectRadio(options: {
  clock: Clock;
  random: () => number;
  writeTimeoutMs?: number;
  /** How long one packet takes on paths that were never set; 0 when left out. */
  latencyMs?: number;
}): DirectRadio {
  const changes = createListeners<void>();
  const { latencyMs = 0 } = options;
  const paths = createPaths({ defaults: { latencyMs }, onChange: () => changes.notify() });
  const air: Air = {
    writeTimeoutMs: WRITE_TIMEOUT_MS,
    ...options,
    centrals: new Map(),
    products: new Map(),
    changes,
    pathBetween: (product, central) => paths.path({ product: product.address, central: central.name }),
  };
  const addPeripheral: DirectRadio['addPeripheral'] = (address, side, mtu = ATT_MTU) =>
    addProduct(air, { ...side, address, mtu, link: undefined, isOff: false });
  return {
    ...paths,
    addPeripheral,
    startPeripheral: async (address, side) => addPeripheral(address, side),
    startBeacon: async (address, data) => addBeacon(air, { address, ...data }),
    radioOf(gateway) {
      const central: Central = {
        name: gateway,
        state: 'on',
        states: createListeners(),
        advertisements: createListeners(),
        wanted: [],
        beacons: createListeners(),
        closing: new AbortController(),
      };
      air.centrals.set(gateway, central);
      return createRadio(air, central);
    },
    setPower(gateway, up) {
      const central = air.centrals.get(gateway);
      if (central === undefined) throw new Error(`there is no radio of gateway ${gateway}`);
      setState(air, central, up ? 'on' : 'unavailable');
    },
  };
}

function createRadio(air: Air, central: Central): Radio {
  const { closing, states, advertisements } = central;
  const turns = createSemaphore({ name: 'connections', permits: 1, waitingMax: Number.POSITIVE_INFINITY });
  return {
    get state() {
      return central.state;
    },
    onStateChange: states.add,
    onAdvertisement: advertisements.add,
    // This radio has no limit of connections.
    onSlotWanted: () => () => {},
    onBeacon: central.beacons.add,
    wantBeacons(wanted) {
      central.wanted = wanted;
    },
    async connect(address, { timeoutMs, signal, channel = 'commands' }) {
      const signals = signal === undefined ? [closing.signal] : [closing.signal, signal];
      const endTurn = await turns.enter('', { signals });
      return connectTo(air, central, { address, timeoutMs, signals, channel }).finally(endTurn);
    },
    async close() {
      closing.abort(new RadioError(3, 'The radio is closed'));
      setState(air, central, 'unavailable');
    },
  };
}

function setState(air: Air, central: Central, next: RadioState): void {
  if (central.state === next) return;
  central.state = next;
  if (next !== 'on') {
    for (const { link } of air.products.values()) if (link?.central === central.name) link.end();
  }
  central.states.notify(next);
}

async function connectTo(
  air: Air,
  central: Central,
  options: {
    address: string;
    timeoutMs: number;
    signals: readonly AbortSignal[];
    channel: 'commands' | 'pairing';
  },
): Promise<RadioLink> {
  const { clock, changes, products } = air;
  const { address } = options;
  const unavailable = () => new RadioError(3, 'The Bluetooth radio is unavailable');
  if (central.state !== 'on') throw unavailable();
  return waitFor<RadioLink>({
    ...options,
    clock,
    timedOut: () => new RadioError(4, `Product ${address} did not answer in time`),
    listen(done, fail) {
      const tryToConnect = () => {
        const product = products.get(address);
        if (product === undefined || product.link !== undefined || !isReached(air, product, central)) return;
        done(linkTo(air, central, { product, channel: options.channel }));
      };
      const soon = clock.setTimer(0, tryToConnect);
      const stops = [changes.add(tryToConnect), central.states.add(() => fail(unavailable()))];
      return () => {
        soon.cancel();
        for (const stop of stops) stop();
      };
    },
  });
}

function isReached(air: Air, product: Product, central: Central): boolean {
  const { inRange, loss } = air.pathBetween(product, central);
  return !product.isOff && inRange && loss < 1;
}

function linkTo(air: Air, central: Central, to: { product: Product; channel: 'commands' | 'pairing' }): RadioLink {
  const { product, channel } = to;
  const { clock, random, writeTimeoutMs } = air;
  const { link, radioLink } = openDirectLink({
    clock,
    random,
    writeTimeoutMs,
    central: central.name,
    address: product.address,
    mtu: product.mtu,
    channel,
    isReached: () => isReached(air, product, central),
    path: () => air.pathBetween(product, central),
    onPathChange: air.changes.add,
    receive(fragment) {
      if (channel === 'commands') product.onWrite(fragment);
      else if (product.onPairWrite === undefined) throw new Error('the product has no PAIR');
      else product.onPairWrite(fragment);
    },
    onEnd() {
      product.link = undefined;
      product.onDisconnect?.();
      // Another central may wait for the product.
      air.changes.notify();
    },
  });
  product.link = link;
  product.onConnect?.();
  // Later, so that the caller has its link first, as with a real subscription.
  if (channel === 'pairing') clock.setTimer(0, () => product.link === link && product.onPairSubscribe?.());
  return radioLink;
}

function advertise(air: Air, product: Product): void {
  if (product.link !== undefined || product.isOff) return;
  const { address, manufacturerData } = product;
  for (const { central, rssi } of hearing(air, product)) {
    central.advertisements.notify({ address, rssi, manufacturerData });
  }
}

/** The centrals that hear one advertisement. */
function* hearing(air: Air, from: { address: string }): Iterable<{ central: Central; rssi: number }> {
  for (const central of air.centrals.values()) {
    const { inRange, loss, rssi } = air.pathBetween(from, central);
    if (central.state !== 'on' || !inRange || (loss > 0 && air.random() < loss)) continue;
    yield { central, rssi };
  }
}

function addBeacon(air: Air, { address, kind, bytes: first }: Beacon): AirBeacon {
  let bytes: BeaconData['bytes'] = first;
  let isOff = false;
  const advertiseBeacon = () => {
    for (const { central } of hearing(air, { address })) {
      const beacon = { address, kind, bytes };
      if (isWantedBeacon(central.wanted, beacon)) central.beacons.notify(beacon);
    }
  };
  const goOn = () => {
    if (isOff) return;
    advertiseBeacon();
    air.clock.setTimer(ADVERTISING_PERIOD_MS, goOn);
  };
  goOn();
  return {
    setData(next) {
      bytes = next;
      if (!isOff) advertiseBeacon();
    },
    close() {
      isOff = true;
    },
  };
}

function advertiseForEver(air: Air, product: Product): void {
  if (product.isOff) return;
  advertise(air, product);
  air.clock.setTimer(ADVERTISING_PERIOD_MS, () => advertiseForEver(air, product));
}

function addProduct(air: Air, product: Product): Peripheral {
  air.products.set(product.address, product);
  air.changes.notify();
  advertiseForEver(air, product);
  const notify = async (channel: 'commands' | 'pairing', fragment: Uint8Array) => {
    if (product.link?.channel !== channel) throw new Error('Cannot notify: no client has subscribed');
    const bytesMax = product.mtu - NOTIFICATION_HEADER_BYTES;
    if (fragment.length > bytesMax)
      throw new RangeError(`Fragment of ${fragment.length} bytes exceeds MTU - 3, ${bytesMax}`);
    product.link.notify(fragment);
  };
  return {
    get connected() {
      return product.link !== undefined;
    },
    mtu: product.mtu,
    notify: (fragment) => notify('commands', fragment),
    notifyPair: (fragment) => notify('pairing', fragment),
    setAdvertisement(manufacturerData) {
      product.manufacturerData = manufacturerData;
      advertise(air, product);
    },
    disconnect: () => product.link?.finish(),
    close() {
      product.isOff = true;
      air.products.delete(product.address);
      air.changes.notify();
    },
  };
}
