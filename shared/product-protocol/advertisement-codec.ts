/**
 * A product advertises its state to everybody in range. Holders of K_adv can verify it. An advertisement never counts as the result of a
 * command.
 */
import { type ProductDeviceId, PRODUCT_TYPE_IDS, type ProductType, productTypeOf } from '../ids.js';
import { bytesToHex, concatBytes, hexToBytes, readUint, uintBytes } from './bytes.js';
import { PROTOCOL_VERSION } from './message-codec.js';
import type { ProtocolCrypto } from './protocol-crypto.js';
import { CONDITION_LENGTH, decodeCondition, encodeCondition, type ProductCondition } from './status-block.js';

export interface ProductAdvertisement extends ProductCondition {
  type: ProductType;
  deviceId: ProductDeviceId;
  /** u16, as in STATUS. */
  changeCounter: number;
  /** The low byte of the pairing epoch. */
  pairingEpochLow: number;
  /** u32. It grows with each new advertisement. */
  advSeq: number;
}

/** `FFFF` in the manufacturer data: no company identifier is assigned yet. */
const COMPANY = 0xffff;
const MARK = 0x50;
const LENGTH = 25;
const SIGNED_FROM = 2;
const TAG_AT = 21;

/** Encodes the manufacturer data, including the company bytes. */
export function encodeAdvertisement(
  crypto: ProtocolCrypto,
  { advertisementKey, content }: { advertisementKey: Uint8Array; content: ProductAdvertisement },
): Uint8Array {
  const signed = concatBytes(
    Uint8Array.of(MARK, (PROTOCOL_VERSION << 4) | PRODUCT_TYPE_IDS[content.type]),
    hexToBytes(content.deviceId),
    encodeCondition(content),
    uintBytes(content.changeCounter, 2),
    uintBytes(content.pairingEpochLow, 1),
    uintBytes(content.advSeq, 4),
  );
  return concatBytes(uintBytes(COMPANY, 2), signed, tag(crypto, advertisementKey, signed));
}

/** Decodes the manufacturer data of a product; null for any other data. Do not trust it before `isAdvertisementGenuine`. */
export function decodeAdvertisement(bytes: Uint8Array): ProductAdvertisement | null {
  if (bytes.length !== LENGTH || readUint(bytes, 0, 2) !== COMPANY || bytes[2] !== MARK) return null;
  const versionAndType = readUint(bytes, 3, 1);
  const type = productTypeOf(versionAndType & 0x0f);
  if (versionAndType >> 4 !== PROTOCOL_VERSION || type === undefined) return null;
  const conditionAt = 10;
  const counterAt = conditionAt + CONDITION_LENGTH;
  return {
    type,
    deviceId: bytesToHex(bytes.subarray(4, conditionAt)) as ProductDeviceId,
    ...decodeCondition(bytes, conditionAt),
    changeCounter: readUint(bytes, counterAt, 2),
    pairingEpochLow: readUint(bytes, counterAt + 2, 1),
    advSeq: readUint(bytes, counterAt + 3, 4),
  };
}

/** @param bytes that `decodeAdvertisement` has accepted */
export function isAdvertisementGenuine(
  crypto: ProtocolCrypto,
  { advertisementKey, bytes }: { advertisementKey: Uint8Array; bytes: Uint8Array },
): boolean {
  return crypto.equal(bytes.slice(TAG_AT), tag(crypto, advertisementKey, bytes.slice(SIGNED_FROM, TAG_AT)));
}

/** The highest advSeq accepted from a product. null: none yet, or an authenticated STATUS has allowed the numbers to start again. */
export type AdvertisementProgress = number | null;

/**
 * Decides whether a genuine advertisement is new, and returns what to remember. A lower number means that somebody replays an old
 * advertisement. It is ignored until an authenticated STATUS arrives, after which the caller sets the progress to null. The same number means
 * that the product repeats its last advertisement because nothing has changed.
 */
export function acceptAdvertisement(
  progress: AdvertisementProgress,
  advSeq: number,
): { accepted: boolean; progress: AdvertisementProgress } {
  const accepted = progress === null || advSeq >= progress;
  return { accepted, progress: accepted ? advSeq : progress };
}

function tag(crypto: ProtocolCrypto, advertisementKey: Uint8Array, signed: Uint8Array): Uint8Array {
  return crypto.hmacSha256(advertisementKey, signed).slice(0, LENGTH - TAG_AT);
}
