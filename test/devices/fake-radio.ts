/** The direct radio with one gateway, and with bad habits on command. */
import { type Radio, RadioError, type RadioLink } from '../../agent/product/radio.js';
import { deferred } from '../../agent/waiting/deferred.js';
import { type Clock, sleep } from '../../shared/clock.js';
import { createDirectRadio } from '../../scripts/sim/radio/direct-radio.js';
import type { ProductAir } from '../../scripts/sim/radio/product-air.js';

/** Faults of real Bluetooth libraries. Each habit shows once, at the next connect, write or link end. */
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

const GATEWAY = 'gateway';
const WRITE_TIMEOUT_MS = 5_000;

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
  addBeacon: ProductAir['startBeacon'];
  /** The gateway's adapter. */
  setPower(up: boolean): void;
  misbehave(habit: BadHabit): void;
}

/** An in-memory radio for tests of what is built on the port. It behaves well unless `misbehave` is called. */
export function createFakeRadio(options: { clock: Clock; writeTimeoutMs?: number }): FakeRadio {
  const { clock, writeTimeoutMs = WRITE_TIMEOUT_MS } = options;
  const habits: BadHabit[] = [];
  const hasHabit = (habit: BadHabit) => {
    const at = habits.indexOf(habit);
    if (at >= 0) habits.splice(at, 1);
    return at >= 0;
  };
  const air = createDirectRadio({ clock, writeTimeoutMs, random: () => 0 });
  const radio = air.radioOf(GATEWAY);
  return {
    radio: {
      get state() {
        return radio.state;
      },
      onStateChange: radio.onStateChange,
      onAdvertisement: radio.onAdvertisement,
      onSlotWanted: radio.onSlotWanted,
      onBeacon: radio.onBeacon,
      wantBeacons: radio.wantBeacons,
      connect(address, how) {
        if (hasHabit('connect-never-answers')) return new Promise(() => {});
        if (hasHabit('connect-fails-in-same-tick')) return Promise.reject(new RadioError(3, 'Refused at once'));
        return radio.connect(address, how).then((link) => unreliable(link, { hasHabit, clock, writeTimeoutMs }));
      },
      close: radio.close,
    },
    addProduct({ address, onWrite = () => {}, ...added }) {
      const side = { manufacturerData: added.manufacturerData, onWrite, info: () => new Uint8Array() };
      const product = air.addPeripheral(address, side, added.mtu);
      return {
        get connected() {
          return product.connected;
        },
        notify: product.notify,
        setAdvertisement: product.setAdvertisement,
        setPath: (path) => air.setProduct(address, path),
        disconnect: product.disconnect,
      };
    },
    addBeacon: air.startBeacon,
    setPower: (up) => air.setPower(GATEWAY, up),
    misbehave: (habit) => void habits.push(habit),
  };
}

/** The link with the habits of the real ones. */
function unreliable(
  link: RadioLink,
  { hasHabit, clock, writeTimeoutMs }: { hasHabit(habit: BadHabit): boolean; clock: Clock; writeTimeoutMs: number },
): RadioLink {
  const closed = deferred<void>();
  let isSilentlyGone = false;
  void link.closed.then(() => {
    if (hasHabit('disconnect-without-event')) isSilentlyGone = true;
    else closed.resolve();
  });
  return {
    mtu: link.mtu,
    closed: closed.promise,
    async write(fragment) {
      if (hasHabit('write-lost')) return new Promise(() => {});
      if (hasHabit('write-unconfirmed')) {
        link.write(fragment).catch(() => {});
        return new Promise((_resolve, reject) => void closed.promise.then(() => reject(goneError())));
      }
      if (!isSilentlyGone) return link.write(fragment);
      await sleep(clock, writeTimeoutMs);
      closed.resolve();
      throw new RadioError(3, 'A write was not confirmed');
    },
    onNotification: link.onNotification,
    async close() {
      await link.close();
      closed.resolve();
    },
  };
}

const goneError = () => new RadioError(2, 'The connection is gone');
