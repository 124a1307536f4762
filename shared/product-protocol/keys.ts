/** Derives the keys of one pairing from its master key, which only the product and the cloud hold. */
import type { ProductDeviceId } from '../ids.js';
import { asciiBytes, concatBytes, hexToBytes, uintBytes } from './bytes.js';
import type { ProtocolCrypto } from './protocol-crypto.js';

/** A product and the number of its pairing. Every key is bound to both. */
export interface PairingIdentity {
  deviceId: ProductDeviceId;
  /** u16. It grows with each pairing. */
  pairingEpoch: number;
}

/** 32 bytes each. */
export interface ProductKeys {
  /** Tags tokens. */
  token: Uint8Array;
  /** Derives a token's challenge_key. */
  chal: Uint8Array;
  /** Derives a token's status_key. */
  stat: Uint8Array;
  /** Tags admin records and the confirmation of a pairing. */
  admin: Uint8Array;
  /** Tags advertisements. It is the only one of these keys that gateways get. */
  adv: Uint8Array;
}

const SALT = asciiBytes('PBP1');
const KEY_LENGTH = 32;

/** @param masterKey 32 bytes */
export function deriveProductKeys(
  crypto: ProtocolCrypto,
  { masterKey, ...identity }: PairingIdentity & { masterKey: Uint8Array },
): ProductKeys {
  if (masterKey.length !== KEY_LENGTH) {
    throw new RangeError(`a master key has ${KEY_LENGTH} bytes, not ${masterKey.length}`);
  }
  const key = (label: string) =>
    crypto.hkdfSha256(
      masterKey,
      SALT,
      concatBytes(asciiBytes(label), Uint8Array.of(0), identityBytes(identity)),
      KEY_LENGTH,
    );
  return { token: key('token'), chal: key('chal'), stat: key('stat'), admin: key('admin'), adv: key('adv') };
}

/** Returns `dev | ep`, which everything that is bound to one pairing contains. */
export function identityBytes({ deviceId, pairingEpoch }: PairingIdentity): Uint8Array {
  return concatBytes(hexToBytes(deviceId), uintBytes(pairingEpoch, 2));
}
