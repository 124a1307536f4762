/**
 * What the gateway knows of its products without touching them: who is in range, and in what state, from their authenticated
 * advertisements and from the STATUS answers to commands.
 */
import { sleep, type Clock } from '../../shared/clock.js';
import type { ProductItem } from '../../shared/gateway-config.js';
import type { ProductDeviceId } from '../../shared/ids.js';
import {
  acceptAdvertisement,
  type AdvertisementProgress,
  decodeAdvertisement,
  isAdvertisementGenuine,
} from '../../shared/product-protocol/advertisement-codec.js';
import { decodeBase64url } from '../../shared/product-protocol/base64url.js';
import { bytesToHex } from '../../shared/product-protocol/bytes.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import type { ProductCondition, StatusBlock } from '../../shared/product-protocol/status-block.js';
import type { ProductReport } from '../../shared/uplink.js';
import type { Advertisement, Radio } from './radio.js';

/** A product not heard for so long is offline. */
const OFFLINE_AFTER_MS = 60_000;

interface WatchedProduct {
  item: ProductItem;
  advertisementKey: Uint8Array | null;
  address: string | null;
  rssi: number | null;
  heardAtMs: number | null;
  advertisementData: string | null;
  progress: AdvertisementProgress;
  condition: ProductCondition | null;
  /** The last state that was not a movement. */
  restState: ProductReport['state'];
  autocloseS: number | null;
  /** What was last told to the listeners: a change of it is worth a report. */
  toldFingerprint: string;
}

export interface ProductWatch {
  /** Takes over the products of the configuration; what is known of those that stay is kept. */
  setProducts(items: Iterable<ProductItem>): void;
  product(deviceId: ProductDeviceId): ProductItem | null;
  /** The radio address of a product, waiting for its first advertisement when it was not heard yet; null when it is not heard in time. */
  address(deviceId: ProductDeviceId, options: { timeoutMs: number; signal?: AbortSignal }): Promise<string | null>;
  /** An authenticated answer: newer than any advertisement. */
  takeStatus(deviceId: ProductDeviceId, block: StatusBlock): void;
  /** All products as they are known now. */
  reports(): ProductReport[];
  /** Called when a product came to rest in another state, appeared, vanished or told another error. */
  onChange(listener: () => void): () => void;
  /** Looks for products that fell silent; called now and then. */
  sweep(): void;
  close(): void;
}

export function createProductWatch(deps: { radio: Radio; crypto: ProtocolCrypto; clock: Clock }): ProductWatch {
  const { radio, crypto, clock } = deps;
  let products = new Map<ProductDeviceId, WatchedProduct>();
  const listeners = new Set<() => void>();
  const waiting = new Map<ProductDeviceId, Set<(address: string) => void>>();

  const isOnline = (product: WatchedProduct) =>
    product.heardAtMs !== null && clock.monotonic() - product.heardAtMs < OFFLINE_AFTER_MS;

  const tellIfChanged = (product: WatchedProduct) => {
    if (product.condition?.state === 'moving') return;
    const { carOnTop, autoClose, permanentPosition, errors } = product.condition ?? {};
    const fingerprint = JSON.stringify([
      isOnline(product),
      product.restState,
      carOnTop,
      autoClose,
      permanentPosition,
      errors,
      product.autocloseS,
    ]);
    if (fingerprint === product.toldFingerprint) return;
    product.toldFingerprint = fingerprint;
    for (const listener of listeners) listener();
  };

  const takeCondition = (product: WatchedProduct, condition: ProductCondition) => {
    product.condition = condition;
    if (condition.state !== 'moving') product.restState = condition.state;
    tellIfChanged(product);
  };

  const stopListening = radio.onAdvertisement((heard: Advertisement) => {
    const content = decodeAdvertisement(heard.manufacturerData);
    const product = content === null ? undefined : products.get(content.deviceId);
    if (content === null || product === undefined || product.advertisementKey === null) return;
    const repeated =
      product.advertisementData !== null && product.advertisementData === bytesToHex(heard.manufacturerData);
    if (!repeated) {
      if (
        !isAdvertisementGenuine(crypto, { advertisementKey: product.advertisementKey, bytes: heard.manufacturerData })
      )
        return;
      const { accepted, progress } = acceptAdvertisement(product.progress, content.advSeq);
      if (!accepted) return;
      product.progress = progress;
      product.advertisementData = bytesToHex(heard.manufacturerData);
    }
    product.address = heard.address;
    product.rssi = heard.rssi;
    product.heardAtMs = clock.monotonic();
    takeCondition(product, content);
    for (const wake of waiting.get(content.deviceId) ?? []) wake(heard.address);
  });

  return {
    setProducts(items) {
      const next = new Map<ProductDeviceId, WatchedProduct>();
      for (const item of items) next.set(item.device_id, watched(item, products.get(item.device_id)));
      products = next;
    },
    product: (deviceId) => products.get(deviceId)?.item ?? null,
    async address(deviceId, { timeoutMs, signal }) {
      const known = products.get(deviceId)?.address ?? null;
      if (known !== null || timeoutMs <= 0) return known;
      const ended = new AbortController();
      const wakers = waiting.get(deviceId) ?? new Set();
      waiting.set(deviceId, wakers);
      let wake: (address: string) => void = () => {};
      try {
        const heard = new Promise<string>((resolve) => {
          wake = resolve;
          wakers.add(wake);
        });
        const limit = AbortSignal.any([ended.signal, ...(signal === undefined ? [] : [signal])]);
        return await Promise.race([heard, sleep(clock, timeoutMs, limit).then(() => null)]);
      } finally {
        wakers.delete(wake);
        ended.abort();
      }
    },
    takeStatus(deviceId, block) {
      const product = products.get(deviceId);
      if (product === undefined) return;
      product.heardAtMs = clock.monotonic();
      product.autocloseS = block.autocloseS;
      product.progress = null;
      takeCondition(product, block);
    },
    reports: () =>
      [...products.values()].map((product) =>
        reportOf(product, { online: isOnline(product), nowMs: clock.monotonic() }),
      ),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    sweep() {
      for (const product of products.values()) tellIfChanged(product);
    },
    close() {
      stopListening();
      listeners.clear();
    },
  };
}

function watched(item: ProductItem, before: WatchedProduct | undefined): WatchedProduct {
  const advertisementKey = item.pairing === null ? null : decodeBase64url(item.pairing.advertisement_key);
  if (before !== undefined && before.item.pairing?.epoch === item.pairing?.epoch)
    return { ...before, item, advertisementKey };
  return {
    item,
    advertisementKey,
    address: before?.address ?? null,
    rssi: null,
    heardAtMs: null,
    advertisementData: null,
    progress: null,
    condition: null,
    restState: null,
    autocloseS: null,
    toldFingerprint: '',
  };
}

function reportOf(product: WatchedProduct, now: { online: boolean; nowMs: number }): ProductReport {
  const { item, condition } = product;
  return {
    product_id: item.id,
    device_id: item.device_id,
    status: now.online ? 'online' : 'offline',
    state: product.restState,
    permanent_position: condition?.permanentPosition ?? null,
    is_car_on_top: condition?.carOnTop ?? null,
    is_autoclose: condition?.autoClose ?? null,
    autoclose_time: product.autocloseS,
    battery_status: condition?.battery ?? null,
    rssi: now.online ? product.rssi : null,
    errors: condition?.errors ?? 0,
    advertisement_data: product.advertisementData,
    seen_ago_ms: product.heardAtMs === null ? null : now.nowMs - product.heardAtMs,
  };
}
