/**
 * In a pairing the cloud gives a product its master key. Phone and gateway only relay the messages and learn nothing from them. The secret on
 * the product's label prevents a man-in-the-middle attack.
 */
import type { ProductDeviceId } from '../ids.js';
import { asciiBytes, bytesToHex, concatBytes, hexToBytes, readUint, uintBytes } from './bytes.js';
import { identityBytes, type PairingIdentity } from './keys.js';
import { PROTOCOL_VERSION } from './message-codec.js';
import type { ProtocolCrypto } from './protocol-crypto.js';

/** How long after its button was pressed a product accepts a pairing. */
export const PAIRING_WINDOW_MS = 120_000;
/** How long the product keeps the link on which it sent its offer. The answer comes from the cloud by way of the gateway. */
export const PAIRING_ANSWER_WITHIN_MS = 20_000;

const TYPES = { offer: 0x41, answer: 0x42, confirmation: 0xc2 } as const;
const KEY_LENGTH = 32;
const LABEL_SECRET_LENGTH = 16;
const OFFER_LENGTH = 8 + KEY_LENGTH;
const SEALED_AT = 8 + KEY_LENGTH;
const AES_KEY_LENGTH = 16;
const TAG_LENGTH = 16;
const ANSWER_LENGTH = SEALED_AT + KEY_LENGTH + TAG_LENGTH;
const PAIR_LABEL = asciiBytes('PBP1 pair');
const PAIRED_LABEL = asciiBytes('PBP1 paired');
/** Each key seals only one message, so the nonce may be constant. */
const NONCE = new Uint8Array(13);
const BASE_POINT = Uint8Array.from({ length: KEY_LENGTH }, (_, index) => (index === 0 ? 9 : 0));

/** The product's first message of a pairing. */
export interface PairingOffer {
  deviceId: ProductDeviceId;
  publicKey: Uint8Array;
}

/** The grant that a product receives in a pairing. */
export interface PairingGrant {
  masterKey: Uint8Array;
  pairingEpoch: number;
  /** Seconds since 1970, for the product's clock. */
  timeS: number;
}

/** Computes the public key of a private key. Any 32 random bytes are a private key. */
export function pairingPublicKey(crypto: ProtocolCrypto, privateKey: Uint8Array): Uint8Array {
  const publicKey = crypto.x25519(privateKey, BASE_POINT);
  if (publicKey === null)
    throw new Error('the X25519 base point gave no public key: the private key must have 32 bytes');
  return publicKey;
}

export function encodePairingOffer(offer: PairingOffer): Uint8Array {
  return concatBytes(Uint8Array.of(TYPES.offer, PROTOCOL_VERSION), hexToBytes(offer.deviceId), offer.publicKey);
}

export function decodePairingOffer(bytes: Uint8Array): PairingOffer | null {
  if (bytes.length !== OFFER_LENGTH || bytes[0] !== TYPES.offer || bytes[1] !== PROTOCOL_VERSION) return null;
  return { deviceId: bytesToHex(bytes.subarray(2, 8)) as ProductDeviceId, publicKey: bytes.slice(8) };
}

/**
 * Derives the key that encrypts the master key in transit.
 * @param secret the result of X25519
 * @param labelSecret 16 bytes, printed on the product
 */
export function pairingKey(
  crypto: ProtocolCrypto,
  parts: { secret: Uint8Array; labelSecret: Uint8Array; offer: PairingOffer; cloudPublicKey: Uint8Array },
): Uint8Array {
  if (parts.labelSecret.length !== LABEL_SECRET_LENGTH) {
    throw new RangeError(`a label secret has ${LABEL_SECRET_LENGTH} bytes`);
  }
  const info = concatBytes(PAIR_LABEL, hexToBytes(parts.offer.deviceId), parts.offer.publicKey, parts.cloudPublicKey);
  return crypto.hkdfSha256(parts.secret, parts.labelSecret, info, AES_KEY_LENGTH);
}

/** Encodes the cloud's answer. @param key of `pairingKey` */
export function sealPairingAnswer(
  crypto: ProtocolCrypto,
  { key, cloudPublicKey, grant }: { key: Uint8Array; cloudPublicKey: Uint8Array; grant: PairingGrant },
): Uint8Array {
  const aad = concatBytes(
    Uint8Array.of(TYPES.answer, PROTOCOL_VERSION),
    cloudPublicKey,
    uintBytes(grant.pairingEpoch, 2),
    uintBytes(grant.timeS, 4),
  );
  const sealed = crypto.aesCcmSeal({ key, nonce: NONCE, aad, plaintext: grant.masterKey, tagLength: TAG_LENGTH });
  return concatBytes(aad, sealed);
}

/** Answers an offer (used by the cloud); null when the offer's public key is unusable. */
export function answerPairing(
  crypto: ProtocolCrypto,
  parts: { offer: PairingOffer; labelSecret: Uint8Array; cloudPrivateKey: Uint8Array; grant: PairingGrant },
): Uint8Array | null {
  const { offer, labelSecret, cloudPrivateKey, grant } = parts;
  const secret = crypto.x25519(cloudPrivateKey, offer.publicKey);
  if (secret === null) return null;
  const cloudPublicKey = pairingPublicKey(crypto, cloudPrivateKey);
  const key = pairingKey(crypto, { secret, labelSecret, offer, cloudPublicKey });
  return sealPairingAnswer(crypto, { key, cloudPublicKey, grant });
}

/**
 * Opens the cloud's answer (used by the product). Returns null when it does not answer this offer, was made without the label's secret, or
 * has a pairing epoch that is not above the stored one.
 */
export function openPairingAnswer(
  crypto: ProtocolCrypto,
  parts: {
    answer: Uint8Array;
    offer: PairingOffer;
    labelSecret: Uint8Array;
    privateKey: Uint8Array;
    storedPairingEpoch: number;
  },
): PairingGrant | null {
  const { answer, offer, labelSecret, privateKey, storedPairingEpoch } = parts;
  if (answer.length !== ANSWER_LENGTH || answer[0] !== TYPES.answer || answer[1] !== PROTOCOL_VERSION) return null;
  const cloudPublicKey = answer.slice(2, 2 + KEY_LENGTH);
  const secret = crypto.x25519(privateKey, cloudPublicKey);
  if (secret === null) return null;
  const masterKey = crypto.aesCcmOpen({
    key: pairingKey(crypto, { secret, labelSecret, offer, cloudPublicKey }),
    nonce: NONCE,
    aad: answer.slice(0, SEALED_AT),
    sealed: answer.slice(SEALED_AT),
    tagLength: TAG_LENGTH,
  });
  if (masterKey === null) return null;
  const pairingEpoch = readUint(answer, 2 + KEY_LENGTH, 2);
  if (pairingEpoch <= storedPairingEpoch) return null;
  return { masterKey, pairingEpoch, timeS: readUint(answer, 4 + KEY_LENGTH, 4) };
}

/** Encodes the product's confirmation that it holds the key. @param adminKey K_admin of the new master key */
export function encodePairingConfirmation(
  crypto: ProtocolCrypto,
  { adminKey, identity }: { adminKey: Uint8Array; identity: PairingIdentity },
): Uint8Array {
  const tag = crypto.hmacSha256(adminKey, concatBytes(PAIRED_LABEL, identityBytes(identity))).slice(0, TAG_LENGTH);
  return concatBytes(Uint8Array.of(TYPES.confirmation), tag);
}

/** Says whether these bytes confirm the pairing (used by the cloud). */
export function isPairingConfirmation(
  crypto: ProtocolCrypto,
  { bytes, ...pairing }: { bytes: Uint8Array; adminKey: Uint8Array; identity: PairingIdentity },
): boolean {
  return crypto.equal(bytes, encodePairingConfirmation(crypto, pairing));
}
