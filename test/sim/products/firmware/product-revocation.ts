/** What an admin record does to a product. */
import { GATEWAY_ERROR } from '../../../../shared/gateway-error-types.js';
import { type AdminAction, openAdminRecord } from '../../../../shared/product-protocol/admin-record.js';
import { type FinalResult, identityOf, type ProductMemory } from './product-state.js';
import type { ProtocolCrypto } from '../../../../shared/product-protocol/protocol-crypto.js';
import { NO_EXPIRY_S, SLOTS } from '../../../../shared/product-protocol/token-codec.js';

const DENIED_IDS_MAX = 64;

/**
 * Applies an admin record. The last record, when another gateway delivers it again, gets the same answer; an older one, or one of
 * another pairing, is refused with 1.
 * When the list of denied ids is full, the product raises the generation of the guests' slot instead and answers 11, and the cloud
 * then raises it too.
 */
export function applyAdminRecord(
  crypto: ProtocolCrypto,
  options: { memory: ProductMemory; adminKey: Uint8Array; bytes: Uint8Array; nowS: number },
): { memory: ProductMemory; result: FinalResult } {
  const { memory, adminKey, bytes, nowS } = options;
  const record = openAdminRecord(crypto, { adminKey, identity: identityOf(memory), bytes });
  if (record !== null && record.serial === memory.lastAdmin.serial) return { memory, result: memory.lastAdmin.result };
  if (record === null || record.serial < memory.lastAdmin.serial) {
    return { memory, result: { kind: 'error', type: GATEWAY_ERROR.INVALID_KEY } };
  }
  const { memory: changed, result } = applyAction(memory, record.action, nowS);
  return { memory: { ...changed, lastAdmin: { serial: record.serial, result } }, result };
}

function applyAction(
  memory: ProductMemory,
  action: AdminAction,
  nowS: number,
): { memory: ProductMemory; result: FinalResult } {
  switch (action.kind) {
    case 'deny':
      return deny(memory, action, nowS);
    case 'raise_gen':
      return { memory: raiseGen(memory, action.slot, action.gen), result: { kind: 'ok' } };
    case 'unpair':
      return { memory: { ...memory, masterKey: null }, result: { kind: 'ok' } };
  }
}

function deny(
  memory: ProductMemory,
  { id, expiresS }: Extract<AdminAction, { kind: 'deny' }>,
  nowS: number,
): { memory: ProductMemory; result: FinalResult } {
  const others = memory.deniedIds.filter((denied) => denied.id !== id);
  // An id is forgotten only when its room is needed: a clock that is corrected backwards must not revive a denied token.
  const kept =
    others.length < DENIED_IDS_MAX
      ? others
      : others.filter((denied) => denied.expiresS === NO_EXPIRY_S || denied.expiresS > nowS);
  if (kept.length < DENIED_IDS_MAX) {
    return { memory: { ...memory, deniedIds: [...kept, { id, expiresS }] }, result: { kind: 'ok' } };
  }
  const raised = (memory.gens[SLOTS.guests] ?? 0) + 1;
  return { memory: raiseGen(memory, SLOTS.guests, raised), result: { kind: 'error', type: GATEWAY_ERROR.UNKNOWN } };
}

/** Raises a generation and never lowers it: what was revoked stays revoked. */
function raiseGen(memory: ProductMemory, slot: number, gen: number): ProductMemory {
  return { ...memory, gens: memory.gens.map((present, index) => (index === slot ? Math.max(present, gen) : present)) };
}
