import { createListeners, type Listeners } from '../../../agent/waiting/listeners.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import { createNotificationFeed } from '../../../agent/product/notification-feed.js';
import {
  type Advertisement,
  type Radio,
  RadioError,
  type RadioLink,
  type RadioState,
} from '../../../agent/product/radio.js';
import { createTurns } from '../../../agent/waiting/turns.js';
import { waitFor } from '../../../agent/waiting/wait-for.js';
import type { Clock } from '../../../shared/clock.js';

/** What real Bluetooth libraries do wrong. Each habit shows once, at the next connect, write or link end. */
export type BadHabit =
  /** connect never settles, whatever its time limit is */
  | 'connect-never-answers'
  /** connect has failed before it returns */
  | 'connect-fails-in-same-tick'
  /** the fragment does not reach the product, and write never settles */
  | 'write-lost'
  /** the fragment reaches the product, and write never settles */
  | 'write-unconfirmed'
  /** the product ends the link, and `closed` never settles */
  | 'disconnect-without-event';

const SUPERVISION_TIMEOUT_MS = 420;
const ADVERTISING_PERIOD_MS = 100;

export interface FakeProductOptions {
  /** device_id */
  address: string;
  manufacturerData: Uint8Array;
  /** ATT MTU of its connections, 256 by default. */
  mtu?: number;
  /** A fragment came. A throw refuses it: the write then fails after its time limit, as with noble. */
  onWrite?: (fragment: Uint8Array) => void;
}

export interface FakeProduct {
  readonly connected: boolean;
  /** Rejects without a client, or when the fragment exceeds MTU - 3. */
  notify(fragment: Uint8Array): Promise<void>;
  setAdvertisement(manufacturerData: Uint8Array): void;
  setPath(path: { inRange?: boolean; rssi?: number }): void;
  /** Ends the link from the product's side. */
  disconnect(): void;
}

export interface FakeRadio {
  readonly radio: Radio;
  addProduct(options: FakeProductOptions): FakeProduct;
  /** The gateway's adapter. */
  setPower(up: boolean): void;
  misbehave(habit: BadHabit): void;
}

interface Product extends FakeProductOptions {
  inRange: boolean;
  rssi: number;
  link: { end: () => void; notify: (fragment: Uint8Array) => void } | undefined;
}

/** What the parts of the fake share. */
interface Air {
  clock: Clock;
  writeTimeoutMs: number;
  state: RadioState;
  products: Map<string, Product>;
  states: Listeners<RadioState>;
  advertisements: Listeners<Advertisement>;
  /** Notified when a product is added or its path changes. */
  pathChanges: Listeners<void>;
  closing: AbortController;
  /** Whether the fake has to show this habit now; then it is used up. */
  hasHabit(habit: BadHabit): boolean;
}

/** An in-memory radio for tests of what is built on the port. It behaves well unless `misbehave` is called. */
export function createFakeRadio(options: { clock: Clock; writeTimeoutMs?: number }): FakeRadio {
  const { clock, writeTimeoutMs = 5_000 } = options;
  const habits: BadHabit[] = [];
  const air: Air = {
    clock,
    writeTimeoutMs,
    state: 'on',
    products: new Map(),
    states: createListeners(),
    advertisements: createListeners(),
    pathChanges: createListeners(),
    closing: new AbortController(),
    hasHabit(habit) {
      const at = habits.indexOf(habit);
      if (at >= 0) habits.splice(at, 1);
      return at >= 0;
    },
  };
  return {
    radio: createRadio(air),
    addProduct: (added) => addProduct(air, added),
    setPower: (up) => setState(air, up ? 'on' : 'unavailable'),
    misbehave: (habit) => void habits.push(habit),
  };
}

function createRadio(air: Air): Radio {
  const { closing, states, advertisements } = air;
  const turns = createTurns(air.clock);
  const connect = async (address: string, timeoutMs: number, signals: readonly AbortSignal[]) => {
    const endTurn = await turns.enter(signals);
    return connectTo(air, { address, timeoutMs, signals }).finally(endTurn);
  };
  return {
    get state() {
      return air.state;
    },
    onStateChange: states.add,
    onAdvertisement: advertisements.add,
    connect(address, { timeoutMs, signal }) {
      if (air.hasHabit('connect-never-answers')) return new Promise(() => {});
      if (air.hasHabit('connect-fails-in-same-tick')) return Promise.reject(new RadioError(3, 'Refused at once'));
      return connect(address, timeoutMs, signal === undefined ? [closing.signal] : [closing.signal, signal]);
    },
    async close() {
      closing.abort(new RadioError(3, 'The radio is closed'));
      setState(air, 'unavailable');
    },
  };
}

function setState(air: Air, next: RadioState): void {
  if (air.state === next) return;
  air.state = next;
  if (next !== 'on') for (const { link } of air.products.values()) link?.end();
  air.states.notify(next);
}

async function connectTo(
  air: Air,
  options: { address: string; timeoutMs: number; signals: readonly AbortSignal[] },
): Promise<RadioLink> {
  const { clock, states, pathChanges, products } = air;
  const { address } = options;
  if (air.state !== 'on') throw new RadioError(3, 'The Bluetooth radio is unavailable');
  return waitFor<RadioLink>({
    ...options,
    clock,
    timedOut: () => new RadioError(4, `Product ${address} did not answer in time`),
    listen(done, fail) {
      const tryToConnect = () => {
        const product = products.get(address);
        if (product?.inRange && product.link === undefined) done(createFakeLink(air, product));
      };
      const soon = clock.setTimer(0, tryToConnect);
      const stops = [
        pathChanges.add(tryToConnect),
        states.add(() => fail(new RadioError(3, 'The Bluetooth radio is unavailable'))),
      ];
      return () => {
        soon.cancel();
        for (const stop of stops) stop();
      };
    },
  });
}

function advertise(air: Air, product: Product): void {
  if (air.state !== 'on' || !product.inRange || product.link !== undefined) return;
  const { address, rssi, manufacturerData } = product;
  air.advertisements.notify({ address, rssi, manufacturerData });
}

function advertiseForEver(air: Air, product: Product): void {
  if (air.closing.signal.aborted) return;
  advertise(air, product);
  air.clock.setTimer(ADVERTISING_PERIOD_MS, () => advertiseForEver(air, product));
}

function addProduct(air: Air, added: FakeProductOptions): FakeProduct {
  const product: Product = { ...added, inRange: true, rssi: -55, link: undefined };
  air.products.set(product.address, product);
  air.pathChanges.notify();
  advertiseForEver(air, product);
  return {
    get connected() {
      return product.link !== undefined;
    },
    async notify(fragment) {
      if (product.link === undefined) throw new Error('Cannot notify: no client has subscribed');
      product.link.notify(fragment);
    },
    setAdvertisement(manufacturerData) {
      product.manufacturerData = manufacturerData;
      advertise(air, product);
    },
    setPath(path) {
      Object.assign(product, path);
      air.pathChanges.notify();
    },
    disconnect: () => product.link?.end(),
  };
}

function createFakeLink(air: Air, product: Product): RadioLink {
  const { clock, writeTimeoutMs, pathChanges, hasHabit } = air;
  const mtu = product.mtu ?? 256;
  const closed = deferred<void>();
  const gone = new AbortController();
  const feed = createNotificationFeed();
  const turns = createTurns(clock);
  let supervision: { cancel(): void } | undefined;

  const end = () => {
    if (product.link !== link) return;
    product.link = undefined;
    supervision?.cancel();
    stopWatching();
    if (!hasHabit('disconnect-without-event')) notifyEnd();
  };
  const notifyEnd = () => {
    gone.abort(new RadioError(2, `The connection to ${product.address} is gone`));
    closed.resolve();
  };
  const link = {
    end,
    notify(fragment: Uint8Array) {
      if (fragment.length > mtu - 3)
        throw new RangeError(`Fragment of ${fragment.length} bytes exceeds MTU - 3, ${mtu - 3}`);
      if (product.inRange) clock.setTimer(0, () => feed.push(fragment));
    },
  };
  product.link = link;
  const stopWatching = pathChanges.add(() => {
    supervision?.cancel();
    if (!product.inRange) supervision = clock.setTimer(SUPERVISION_TIMEOUT_MS, end);
  });

  return {
    mtu,
    closed: closed.promise,
    async write(fragment) {
      if (hasHabit('write-lost')) return new Promise(() => {});
      const endTurn = await turns.enter([gone.signal]);
      const isUnconfirmed = hasHabit('write-unconfirmed');
      const written = waitFor<void>({
        clock,
        ...(isUnconfirmed ? {} : { timeoutMs: writeTimeoutMs }),
        timedOut() {
          end();
          return new RadioError(3, `${product.address} did not confirm a write`);
        },
        signals: [gone.signal],
        listen(done) {
          const attempt = clock.setTimer(0, () => {
            if (product.inRange && product.link === link && isAccepted(product, fragment) && !isUnconfirmed) done();
          });
          return () => attempt.cancel();
        },
      });
      return written.finally(endTurn);
    },
    onNotification: feed.onNotification,
    async close() {
      end();
      notifyEnd();
    },
  };
}

function isAccepted(product: Product, fragment: Uint8Array): boolean {
  try {
    product.onWrite?.(fragment.slice());
    return true;
  } catch {
    return false;
  }
}
