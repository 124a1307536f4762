/**
 * Keeps what the gateway knows of its products without a connection: which are in range, and in what state. It knows this from their
 * authenticated advertisements and from the STATUS answers to commands.
 */
import type { Clock } from '../../shared/clock.js';
import type { ProductItem } from '../../shared/gateway-config.js';
import type { ProductDeviceId } from '../../shared/ids.js';
import {
  acceptAdvertisement,
  decodeAdvertisement,
  isAdvertisementGenuine,
  type ProductAdvertisement,
} from '../../shared/product-protocol/advertisement-codec.js';
import { bytesToHex } from '../../shared/product-protocol/bytes.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import type { ProductCondition, StatusBlock } from '../../shared/product-protocol/status-block.js';
import type { ProductReport } from '../../shared/uplink-reports.js';
import { createListeners, type Listeners } from '../waiting/listeners.js';
import type { Advertisement, Radio } from './radio.js';
import { smoothRssi } from './smooth-rssi.js';
import { waitFor } from '../waiting/wait-for.js';
import {
  fingerprintOf,
  isMoving,
  isOnline,
  OFFLINE_AFTER_MS,
  recentUnproven,
  reportOf,
  watched,
  type WatchedProduct,
} from './watched-product.js';
import type { WrongClock } from './wrong-clock.js';

export interface ProductWatch {
  /** Sets the products of the configuration, and keeps what is known of those that remain. */
  setProducts(items: Iterable<ProductItem>): void;
  product(deviceId: ProductDeviceId): ProductItem | null;
  /** The radio address of a product; null when it was not heard yet. */
  knownAddress(deviceId: ProductDeviceId): string | null;
  /** Like `knownAddress`, but waits for the first advertisement; null when it does not come in time. Rejects with the signal's reason. */
  address(deviceId: ProductDeviceId, options: { timeoutMs: number; signal?: AbortSignal }): Promise<string | null>;
  /** Waits until the product is known to be at rest, at most `timeoutMs`. Rejects with the signal's reason. */
  rest(deviceId: ProductDeviceId, options: { timeoutMs: number; signal?: AbortSignal | undefined }): Promise<void>;
  /** The address at which a product to be paired was recently heard, proven or not; null: it was not heard. */
  pairingAddress(deviceId: ProductDeviceId): string | null;
  /** Whether the product is in reach, and was last heard to move. */
  isMoving(deviceId: ProductDeviceId): boolean;
  /** Whether the product was last heard to be held closed. */
  isHeldClosed(deviceId: ProductDeviceId): boolean;
  /** Applies an authenticated answer, which is newer than any advertisement. */
  applyStatus(deviceId: ProductDeviceId, block: StatusBlock): void;
  /** Notes that the cloud has to correct the product's clock; null: it does not. @returns whether that has changed */
  noteClock(deviceId: ProductDeviceId, wrong: WrongClock | null): boolean;
  /** Notes whether the product refused this gateway's own credential in its last answer to it. */
  noteKey(deviceId: ProductDeviceId, isRefused: boolean): void;
  /** Whether it did, and the credential is still the same. */
  refusesKey(deviceId: ProductDeviceId): boolean;
  /** Notes what the product answered to an admin record, for the next report. */
  noteAdminAnswer(deviceId: ProductDeviceId, answer: NonNullable<ProductReport['admin']>): void;
  /** All products as they are known now. */
  reports(): ProductReport[];
  /** Calls the listener when a product comes to rest in another state, appears, vanishes or reports another error. */
  onChange(listener: () => void): () => void;
  /** Looks for products that fell silent. Call it now and then. */
  sweep(): void;
  close(): void;
}

/** The state of the watch, and its listeners. */
interface Watching {
  crypto: ProtocolCrypto;
  clock: Clock;
  products: Map<ProductDeviceId, WatchedProduct>;
  changes: Listeners<void>;
  heardProducts: Listeners<WatchedProduct>;
  restingProducts: Listeners<ProductDeviceId>;
}

export function createProductWatch(deps: { radio: Radio; crypto: ProtocolCrypto; clock: Clock }): ProductWatch {
  const { radio, crypto, clock } = deps;
  const watching: Watching = {
    crypto,
    clock,
    products: new Map(),
    changes: createListeners(),
    heardProducts: createListeners(),
    restingProducts: createListeners(),
  };
  const { changes, heardProducts, restingProducts } = watching;
  const productOf = (deviceId: ProductDeviceId) => watching.products.get(deviceId);
  const stopListening = radio.onAdvertisement((advertisement) => handleAdvertisement(watching, advertisement));

  return {
    setProducts(items) {
      const next = new Map<ProductDeviceId, WatchedProduct>();
      for (const item of items) next.set(item.device_id, watched(item, productOf(item.device_id)));
      watching.products = next;
    },
    product: (deviceId) => productOf(deviceId)?.item ?? null,
    knownAddress: (deviceId) => productOf(deviceId)?.address ?? null,
    pairingAddress(deviceId) {
      const product = productOf(deviceId);
      if (product === undefined) return null;
      return recentUnproven(product, clock.monotonic())?.address ?? product.address;
    },
    async address(deviceId, { timeoutMs, signal }) {
      const known = productOf(deviceId)?.address ?? null;
      if (known !== null || timeoutMs <= 0) return known;
      const addressOf = ({ item, address }: WatchedProduct) => (item.device_id === deviceId ? address : null);
      return nextOf(heardProducts, addressOf, { clock, timeoutMs, signal });
    },
    async rest(deviceId, { timeoutMs, signal }) {
      if (productOf(deviceId)?.condition?.state !== 'moving') return;
      await nextOf(restingProducts, (resting) => (resting === deviceId ? resting : null), { clock, timeoutMs, signal });
    },
    isMoving(deviceId) {
      const product = productOf(deviceId);
      return product !== undefined && isMoving(product, clock.monotonic());
    },
    isHeldClosed: (deviceId) => productOf(deviceId)?.condition?.permanentPosition === 'stay_close',
    applyStatus(deviceId, block) {
      const product = productOf(deviceId);
      if (product === undefined) return;
      product.heardAtMs = clock.monotonic();
      product.autocloseS = block.autocloseS;
      product.statusCounter = block.changeCounter;
      applyCondition(watching, product, block);
    },
    noteClock(deviceId, wrong) {
      const product = productOf(deviceId);
      if (product === undefined) return false;
      const isChanged = (product.wrongClock === null) !== (wrong === null);
      product.wrongClock = wrong === null ? null : { ...wrong, atMs: clock.monotonic() };
      // The cloud can answer only for some minutes.
      if (isChanged || wrong !== null) changes.notify();
      return isChanged;
    },
    noteKey: (deviceId, isRefused) => note(productOf(deviceId), { refusesKey: isRefused }),
    refusesKey: (deviceId) => productOf(deviceId)?.refusesKey === true,
    noteAdminAnswer: (deviceId, answer) => note(productOf(deviceId), { adminAnswer: answer }),
    reports: () => [...watching.products.values()].map((product) => reportOf(product, clock.monotonic())),
    onChange: changes.add,
    sweep: () => watching.products.forEach((product) => notifyIfChanged(watching, product)),
    close: stopListening,
  };
}

/** @param product undefined: it is not in the configuration any more */
function note(product: WatchedProduct | undefined, change: Partial<WatchedProduct>): void {
  if (product !== undefined) Object.assign(product, change);
}

function handleAdvertisement(watching: Watching, { address, rssi, manufacturerData: bytes }: Advertisement): void {
  const { crypto, clock, products, heardProducts } = watching;
  const content = decodeAdvertisement(bytes);
  const product = content === null ? undefined : products.get(content.deviceId);
  if (content === null || product === undefined) return;
  const data = bytesToHex(bytes);
  // A product repeats an advertisement until something changes, so it is checked only once.
  const isGenuine =
    data === product.advertisementData ||
    (product.advertisementKey !== null &&
      isAdvertisementGenuine(crypto, { advertisementKey: product.advertisementKey, bytes }));
  const nowMs = clock.monotonic();
  if (!isGenuine) {
    noteUnproven(watching, product, { address, rssi, data, atMs: nowMs });
    return;
  }
  if (!isNews(product, content)) return;
  product.unproven = null;
  product.progress = content.advSeq;
  product.statusCounter = null;
  product.advertisementData = data;
  product.address = address;
  noteSignal(product, rssi, nowMs);
  product.heardAtMs = nowMs;
  applyCondition(watching, product, content);
  heardProducts.notify(product);
}

/** Notifies listeners only of the first one, for which a pairing may wait: anybody can send any number of unproven advertisements. */
function noteUnproven(
  { changes }: Watching,
  product: WatchedProduct,
  heard: NonNullable<WatchedProduct['unproven']>,
): void {
  // The product itself is there, so this is a forgery, or was sent before the product was paired.
  if (isOnline(product, heard.atMs)) return;
  const hasAppeared = recentUnproven(product, heard.atMs) === null;
  product.unproven = heard;
  if (hasAppeared) changes.notify();
}

function applyCondition(watching: Watching, product: WatchedProduct, condition: ProductCondition): void {
  product.condition = condition;
  if (condition.state !== 'moving') {
    product.restState = condition.state;
    watching.restingProducts.notify(product.item.device_id);
  }
  notifyIfChanged(watching, product);
}

function notifyIfChanged({ clock, changes }: Watching, product: WatchedProduct): void {
  const online = isOnline(product, clock.monotonic());
  // A movement is reported at its end, unless the product vanishes first.
  if (online && product.condition?.state === 'moving') return;
  const fingerprint = fingerprintOf(product, online);
  if (fingerprint === product.notifiedFingerprint) return;
  product.notifiedFingerprint = fingerprint;
  changes.notify();
}

/**
 * Says whether an authentic advertisement is new, and not an old one that somebody replays. After an authenticated
 * STATUS the numbering may begin again, because the product may have lost its memory; but only with an advertisement
 * whose change counter is not behind the STATUS.
 */
function isNews({ progress, statusCounter }: WatchedProduct, content: ProductAdvertisement): boolean {
  if (statusCounter === null) return acceptAdvertisement(progress, content.advSeq).accepted;
  const isNumberedAhead = progress === null || content.advSeq > progress;
  return isNumberedAhead || !isCounterBefore(content.changeCounter, statusCounter);
}

/** Change counters have 16 bits and wrap around. */
function isCounterBefore(counter: number, other: number): boolean {
  return ((counter - other) & 0xffff) >= 0x8000;
}

function noteSignal(product: WatchedProduct, rssi: number, nowMs: number): void {
  const sinceMs = product.signalAtMs === null ? 0 : nowMs - product.signalAtMs;
  product.rssi = smoothRssi(sinceMs < OFFLINE_AFTER_MS ? product.rssi : null, rssi, sinceMs);
  product.signalAtMs = nowMs;
}

/** Waits for the first news of which `wantedOf` is not null; null: none comes in time. Rejects with the signal's reason. */
function nextOf<News, Wanted>(
  news: Listeners<News>,
  wantedOf: (latest: News) => Wanted | null,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<Wanted | null> {
  return waitFor<Wanted | null>({
    clock,
    signals: signal === undefined ? [] : [signal],
    listen(done) {
      const limit = clock.setTimer(timeoutMs, () => done(null));
      const stop = news.add((latest) => {
        const wanted = wantedOf(latest);
        if (wanted !== null) done(wanted);
      });
      return () => {
        limit.cancel();
        stop();
      };
    },
  });
}
