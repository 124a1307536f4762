/** One product of the watch: the state that is kept of it, and the conclusions from that. Pure. */
import type { ProductItem } from '../../shared/gateway-config.js';
import type { AdvertisementProgress } from '../../shared/product-protocol/advertisement-codec.js';
import { decodeBase64url } from '../../shared/product-protocol/base64url.js';
import { CLOCK_NONCE_LIFE_MS } from '../../shared/product-protocol/clock-limits.js';
import type { ProductCondition } from '../../shared/product-protocol/status-block.js';
import type { ProductReport } from '../../shared/uplink-reports.js';
import type { WrongClock } from './wrong-clock.js';

/** A product that is not heard for this long is offline. */
export const OFFLINE_AFTER_MS = 60_000;

export interface WatchedProduct {
  item: ProductItem;
  advertisementKey: Uint8Array | null;
  address: string | null;
  /** dBm, smoothed; null: not heard yet. */
  rssi: number | null;
  /** When an advertisement was last heard. */
  signalAtMs: number | null;
  heardAtMs: number | null;
  advertisementData: string | null;
  progress: AdvertisementProgress;
  /** The change counter of the last STATUS; null once an advertisement was accepted after it. */
  statusCounter: number | null;
  condition: ProductCondition | null;
  /** The last state that was not a movement. */
  restState: ProductReport['state'];
  autocloseS: number | null;
  /** The last advertisement under its name that its key did not prove. It is only good for trying a pairing. */
  unproven: { address: string; rssi: number; data: string; atMs: number } | null;
  /** The error of its clock by its last answers; null: the clock is right, or a gateway can set it right. */
  wrongClock: (WrongClock & { atMs: number }) | null;
  /** Its last answer to this gateway's own credential was that it does not know it. */
  refusesKey: boolean;
  /** Its answer to the last admin record. */
  adminAnswer: ProductReport['admin'] | null;
  /** The fingerprint at the last notification; when it changes, a report follows. */
  notifiedFingerprint: string;
}

export function isOnline({ heardAtMs }: WatchedProduct, nowMs: number): boolean {
  return heardAtMs !== null && nowMs - heardAtMs < OFFLINE_AFTER_MS;
}

export function watched(item: ProductItem, before: WatchedProduct | undefined): WatchedProduct {
  const advertisementKey = item.pairing === null ? null : decodeBase64url(item.pairing.advertisement_key);
  // The key may be another one although the epoch is the same: what an earlier key proved is proven no more.
  const isSamePairing =
    before?.item.pairing?.epoch === item.pairing?.epoch &&
    before?.item.pairing?.advertisement_key === item.pairing?.advertisement_key;
  if (before !== undefined && isSamePairing) {
    const isSameToken = before.item.pairing?.token_open.token === item.pairing?.token_open.token;
    return { ...before, item, advertisementKey, refusesKey: before.refusesKey && isSameToken };
  }
  const unheard: WatchedProduct = {
    item,
    advertisementKey,
    address: before?.address ?? null,
    rssi: null,
    signalAtMs: null,
    heardAtMs: null,
    advertisementData: null,
    progress: null,
    statusCounter: null,
    condition: null,
    restState: null,
    autocloseS: null,
    unproven: null,
    wrongClock: null,
    refusesKey: false,
    adminAnswer: null,
    notifiedFingerprint: '',
  };
  return { ...unheard, notifiedFingerprint: before?.notifiedFingerprint ?? fingerprintOf(unheard, false) };
}

export function recentUnproven({ unproven }: WatchedProduct, nowMs: number): WatchedProduct['unproven'] {
  return unproven !== null && nowMs - unproven.atMs < OFFLINE_AFTER_MS ? unproven : null;
}

/** Describes the product; listeners hear of changes. Signal and charge are left out, because they vary all day. */
export function fingerprintOf({ condition, restState, autocloseS }: WatchedProduct, online: boolean): string {
  const { carOnTop, autoClose, permanentPosition, errors } = condition ?? {};
  return JSON.stringify([online, restState, carOnTop, autoClose, permanentPosition, errors, autocloseS]);
}

export const isMoving = (product: WatchedProduct, nowMs: number): boolean =>
  isOnline(product, nowMs) && product.condition?.state === 'moving';

export function reportOf(product: WatchedProduct, nowMs: number): ProductReport {
  const { item, condition } = product;
  const unproven = recentUnproven(product, nowMs);
  const online = isOnline(product, nowMs);
  // The new state is reported when the product rests; meanwhile another gateway may know more.
  const moves = isMoving(product, nowMs);
  return {
    product_id: item.id,
    device_id: item.device_id,
    status: online ? 'online' : 'offline',
    state: moves ? null : product.restState,
    permanent_position: moves ? null : (condition?.permanentPosition ?? null),
    is_car_on_top: condition?.carOnTop ?? null,
    is_autoclose: condition?.autoClose ?? null,
    autoclose_time: product.autocloseS,
    battery_status: condition?.battery ?? null,
    rssi: online && product.rssi !== null ? Math.round(product.rssi) : null,
    errors: condition?.errors ?? 0,
    advertisement_data: product.advertisementData,
    seen_ago_ms: product.heardAtMs === null ? null : Math.round(nowMs - product.heardAtMs),
    ...(product.wrongClock === null ? {} : { wrong_clock: wrongClockReport(product.wrongClock, nowMs) }),
    ...(product.adminAnswer === null ? {} : { admin: product.adminAnswer }),
    ...(unproven === null ? {} : { unproven: { rssi: unproven.rssi, advertisement_data: unproven.data } }),
  };
}

function wrongClockReport({ offS, nonce, atMs }: WrongClock & { atMs: number }, nowMs: number) {
  return { off_s: offS, nonce: nowMs - atMs < CLOCK_NONCE_LIFE_MS ? nonce : null };
}
