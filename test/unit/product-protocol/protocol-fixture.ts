/** The pairing, the credential and the keys of the published test vectors, and the real cryptography. */
import * as nodeCrypto from 'node:crypto';
import type { EventId, ProductDeviceId } from '../../../shared/ids.js';
import { hexToBytes } from '../../../shared/product-protocol/bytes.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import {
  type CredentialBytes,
  mintCredentialBytes,
  NO_EXPIRY_S,
  type TokenGrant,
} from '../../../shared/product-protocol/token-codec.js';

export const crypto = createProtocolCrypto(nodeCrypto);
export const DEVICE_ID = 'a4c138000001' as ProductDeviceId;
export const EVENT_ID = 'deadbeef' as EventId;
export const MASTER_KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
export const IDENTITY = { deviceId: DEVICE_ID, pairingEpoch: 1 };
export const KEYS = deriveProductKeys(crypto, { masterKey: MASTER_KEY, ...IDENTITY });
export const PRODUCT_NONCE = hexToBytes('101112131415161718191a1b1c1d1e1f');
export const CLIENT_NONCE = hexToBytes('2021222324252627');
export const VECTOR_GRANT: TokenGrant = {
  op: 'open',
  slot: 16,
  gen: 0,
  id: 1001,
  notBeforeS: 1_760_000_000,
  expiresS: 1_760_086_400,
};
/** Inside the window of the vectors' token. */
export const NOW_S = 1_760_003_600;

/** A credential of the cloud (slot 0) without an end, unless said otherwise. */
export function mint(grant: Partial<TokenGrant>): CredentialBytes {
  return mintCredentialBytes(crypto, KEYS, {
    op: 'open',
    slot: 0,
    gen: 0,
    id: 1,
    notBeforeS: 0,
    expiresS: NO_EXPIRY_S,
    ...grant,
  });
}

/** Every version of the bytes that differs in one bit. */
export function* bitFlips(bytes: Uint8Array): Generator<Uint8Array> {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = bytes.slice();
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield flipped;
  }
}
