/** By admin records the cloud revokes rights at a product and corrects its clock. Any gateway may deliver a record; no gateway can create one. */
import { asciiBytes, concatBytes, readUint, uintBytes } from './bytes.js';
import { identityBytes, type PairingIdentity } from './keys.js';
import type { ProtocolCrypto } from './protocol-crypto.js';
import { GENERATION_MAX, SLOT_COUNT } from './token-codec.js';

export type AdminAction =
  /** `expiresS`: when the token with this id expires. The product may forget the record after that. */
  | { kind: 'deny'; id: number; expiresS: number }
  /** Invalidates all tokens of the slot whose generation is below `gen`. */
  | { kind: 'raise_gen'; slot: number; gen: number }
  | { kind: 'unpair' }
  /**
   * Sets the clock, whatever time it shows. `nonce` identifies an exchange of the last minutes (`clockNonceOf`), so that the record cannot be
   * kept for later.
   */
  | { kind: 'clock'; timeS: number; nonce: number };

export interface AdminRecord {
  /** u32. It grows with each record of a pairing; the first is 1. */
  serial: number;
  action: AdminAction;
}

export const ADMIN_RECORD_LENGTH = 29;
const SIGNED_LENGTH = 13;
const KIND_OFFSET = 4;
/** `raise_gen` has the slot in the low byte of its argument, and the generation in the next byte. */
const GENERATION_STEP = 256;
const LABEL = asciiBytes('PBP1 ADM');
const KINDS = { deny: 1, raise_gen: 2, unpair: 3, clock: 4 } as const;

/** @param adminKey K_admin of the pairing */
export function encodeAdminRecord(
  crypto: ProtocolCrypto,
  { adminKey, identity, record }: { adminKey: Uint8Array; identity: PairingIdentity; record: AdminRecord },
): Uint8Array {
  const { kind, a, b } = actionFields(record.action);
  const signed = concatBytes(uintBytes(record.serial, 4), Uint8Array.of(kind), uintBytes(a, 4), uintBytes(b, 4));
  return concatBytes(signed, tag(crypto, adminKey, identity, signed));
}

/**
 * Verifies and decodes an admin record; null when it is not of this pairing, was tampered with, or is of a kind that this version does not
 * know.
 */
export function openAdminRecord(
  crypto: ProtocolCrypto,
  { adminKey, identity, bytes }: { adminKey: Uint8Array; identity: PairingIdentity; bytes: Uint8Array },
): AdminRecord | null {
  if (bytes.length !== ADMIN_RECORD_LENGTH) return null;
  const expected = tag(crypto, adminKey, identity, bytes.slice(0, SIGNED_LENGTH));
  if (!crypto.equal(bytes.slice(SIGNED_LENGTH), expected)) return null;
  const a = readUint(bytes, 5, 4);
  const action = decodeAction(readUint(bytes, KIND_OFFSET, 1), a, readUint(bytes, 9, 4));
  return action === null ? null : { serial: readUint(bytes, 0, 4), action };
}

/** Says whether these bytes claim to be a `clock` record. Only their tag proves it. */
export function isClockRecord(bytes: Uint8Array): boolean {
  return bytes[KIND_OFFSET] === KINDS.clock;
}

/** Returns the serial that these bytes claim to have. Only their tag proves it. */
export function adminSerialOf(bytes: Uint8Array): number {
  return readUint(bytes, 0, KIND_OFFSET);
}

function actionFields(action: AdminAction): { kind: number; a: number; b: number } {
  const kind = KINDS[action.kind];
  switch (action.kind) {
    case 'deny':
      return { kind, a: action.id, b: action.expiresS };
    case 'raise_gen':
      if (action.slot >= SLOT_COUNT || action.gen > GENERATION_MAX) {
        const limit = `at ${GENERATION_MAX} the product is paired anew`;
        throw new RangeError(`slot ${action.slot}, generation ${action.gen}: ${limit}`);
      }
      return { kind, a: action.slot + action.gen * GENERATION_STEP, b: 0 };
    case 'unpair':
      return { kind, a: 0, b: 0 };
    case 'clock':
      return { kind, a: action.timeS, b: action.nonce };
  }
}

function decodeAction(kind: number, a: number, b: number): AdminAction | null {
  switch (kind) {
    case KINDS.deny:
      return { kind: 'deny', id: a, expiresS: b };
    case KINDS.raise_gen: {
      const slot = a % GENERATION_STEP;
      const gen = Math.floor(a / GENERATION_STEP);
      return slot < SLOT_COUNT && gen <= GENERATION_MAX ? { kind: 'raise_gen', slot, gen } : null;
    }
    case KINDS.unpair:
      return { kind: 'unpair' };
    case KINDS.clock:
      return { kind: 'clock', timeS: a, nonce: b };
    default:
      return null;
  }
}

function tag(crypto: ProtocolCrypto, adminKey: Uint8Array, identity: PairingIdentity, signed: Uint8Array): Uint8Array {
  const mac = crypto.hmacSha256(adminKey, concatBytes(LABEL, identityBytes(identity), signed));
  return mac.slice(0, ADMIN_RECORD_LENGTH - SIGNED_LENGTH);
}
