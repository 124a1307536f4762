/** The keys of one pairing, all derived from its master key, which product and cloud alone hold. */
import type { ProductDeviceId } from '../ids.js';
import { asciiBytes, concatBytes, hexToBytes, uintBytes } from './bytes.js';
import type { ProtocolCrypto } from './protocol-crypto.js';

/** Which product, and which of its pairings: bound into every key. */
export interface PairingIdentity {
  deviceId: ProductDeviceId;
  /** u16, grows with each pairing. */
  epoch: number;
}

/** 32 bytes each. */
export interface ProductKeys {
  /** Tags tokens. */
  token: Uint8Array;
  /** Makes a token's challenge_key. */
  chal: Uint8Array;
  /** Makes a token's status_key. */
  stat: Uint8Array;
  /** Tags admin records and the confirmation of a pairing. */
  admin: Uint8Array;
  /** Tags advertisements: the only one that gateways get. */
  adv: Uint8Array;
}

const SALT = asciiBytes('PBP1');

/** @param masterKey 32 bytes */
export function deriveProductKeys(
  crypto: ProtocolCrypto,
  { masterKey, ...identity }: PairingIdentity & { masterKey: Uint8Array },
): ProductKeys {
  if (masterKey.length !== 32) throw new RangeError(`a master key has 32 bytes, not ${masterKey.length}`);
  const key = (label: string) =>
    crypto.hkdfSha256(masterKey, SALT, concatBytes(asciiBytes(label), Uint8Array.of(0), identityBytes(identity)), 32);
  return { token: key('token'), chal: key('chal'), stat: key('stat'), admin: key('admin'), adv: key('adv') };
}

/** `dev | ep`, as it stands in everything that is bound to one pairing. */
export function identityBytes({ deviceId, epoch }: PairingIdentity): Uint8Array {
  return concatBytes(hexToBytes(deviceId), uintBytes(epoch, 2));
}
