import type { Clock } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import { createListeners } from '../../waiting/listeners.js';
import type { NoblePeripheral } from './noble-library.js';
import type { NobleLife } from './noble-lives.js';
import { type Advertisement, RadioError } from '../radio.js';
import { waitFor } from '../../waiting/wait-for.js';
import { keepNewest } from '../../../shared/keep-newest.js';

/** How many products are remembered; those heard longest ago are forgotten first. */
const PRODUCTS_MAX = 1_000;
/** After how many advertisements of other devices noble has to forget them. */
const STRANGERS_MAX = 500;
/** Product protocol, "Advertisement": 25 bytes, `50` behind the two company bytes. */
const PRODUCT_DATA_BYTES = 25;
const PRODUCT_MARK_AT = 2;
const PRODUCT_MARK = 0x50;

export interface NobleScannerOptions {
  clock: Clock;
  /** An unchanged advertisement is reported again only after this long: a product sends ten a second. */
  repeatMs: number;
  onAdvertisement: (advertisement: Advertisement) => void;
  /** Called with every advertisement that is not a product's. */
  onOther: (peripheral: NoblePeripheral) => void;
}

/** Listens to advertisements, and knows which of noble's objects represents which product. */
export interface NobleScanner {
  /** When a product was last heard, or scanning last began, on the monotonic clock. */
  readonly lastHeardMs: number;
  begin(life: NobleLife): void;
  /** @returns whether it is a product */
  hear(life: NobleLife, peripheral: NoblePeripheral): boolean;
  /** Resolves at once for a product heard before; otherwise when it is heard. Rejects with RadioError 4 when that takes too long. */
  find(address: string, options: { timeoutMs: number; signals: readonly AbortSignal[] }): Promise<NoblePeripheral>;
  /** Stops the scan while `work` runs: adapters refuse to connect during a scan. */
  pausedFor(life: NobleLife, work: () => Promise<void>): Promise<void>;
  /** Counts the silence from now on, because a connected product does not advertise and may be the only one. */
  linked(): void;
  /** Starts the scan again. During a pause it does nothing: the end of the pause starts the scan. */
  rescan(life: NobleLife): void;
}

export function createNobleScanner(options: NobleScannerOptions): NobleScanner {
  const { clock } = options;
  const heard = createHeardProducts(options);
  let lastHeardMs = clock.monotonic();
  let strangers = 0;
  let isPaused = false;

  const scan = (life: NobleLife) => {
    if (!life.signal.aborted && !isPaused) life.noble.startScanning([], true);
  };
  const rescan = (life: NobleLife) => {
    lastHeardMs = clock.monotonic();
    scan(life);
  };
  const passStranger = (life: NobleLife) => {
    strangers += 1;
    if (strangers < STRANGERS_MAX) return;
    strangers = 0;
    life.forget(heard.has);
  };

  return {
    get lastHeardMs() {
      return lastHeardMs;
    },
    rescan,
    linked() {
      lastHeardMs = clock.monotonic();
    },
    begin(life) {
      heard.clear();
      rescan(life);
    },
    hear(life, peripheral) {
      const data = peripheral.advertisement.manufacturerData;
      if (data?.length !== PRODUCT_DATA_BYTES || data[PRODUCT_MARK_AT] !== PRODUCT_MARK) {
        options.onOther(peripheral);
        passStranger(life);
        return false;
      }
      lastHeardMs = clock.monotonic();
      heard.add(peripheral, data);
      return true;
    },
    find: heard.find,
    async pausedFor(life, work) {
      isPaused = true;
      try {
        // This need not be awaited: the adapter executes its commands in their order.
        life.noble.stopScanning();
        await work();
      } finally {
        isPaused = false;
        scan(life);
      }
    },
  };
}

interface HeardProduct {
  peripheral: NoblePeripheral;
  reportedAtMs: number;
  reportedData: Buffer;
}

/** Remembers the products that were heard, by address, and reports their advertisements. */
function createHeardProducts({ clock, repeatMs, onAdvertisement }: NobleScannerOptions) {
  const heard = new Map<string, HeardProduct>();
  const newcomers = createListeners<NoblePeripheral>();
  return {
    clear: () => heard.clear(),
    has: (address: string) => heard.has(address),
    add(peripheral: NoblePeripheral, data: Buffer): void {
      const address = peripheral.id;
      const nowMs = clock.monotonic();
      const before = heard.get(address);
      if (before !== undefined && nowMs - before.reportedAtMs < repeatMs && before.reportedData.equals(data)) return;
      heard.delete(address);
      heard.set(address, { peripheral, reportedAtMs: nowMs, reportedData: data });
      keepNewest(heard, PRODUCTS_MAX);
      onAdvertisement({ address, rssi: peripheral.rssi, manufacturerData: data });
      if (before === undefined) newcomers.notify(peripheral);
    },
    async find(
      address: string,
      { timeoutMs, signals }: { timeoutMs: number; signals: readonly AbortSignal[] },
    ): Promise<NoblePeripheral> {
      const known = heard.get(address);
      if (known !== undefined) return known.peripheral;
      return waitFor<NoblePeripheral>({
        clock,
        timeoutMs,
        timedOut: () => new RadioError(GATEWAY_ERROR.NOT_FOUND, `Product ${address} was not heard in time`),
        signals,
        listen: (done) =>
          newcomers.add((peripheral) => {
            if (peripheral.id === address) done(peripheral);
          }),
      });
    },
  };
}
