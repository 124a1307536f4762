/** Applies an admin record to a product. */
import { GATEWAY_ERROR } from '../../../../shared/gateway-error-types.js';
import { type AdminAction, openAdminRecord } from '../../../../shared/product-protocol/admin-record.js';
import { isClockNonceNew, reportedTimeS, withTimeCorrected } from './product-clock.js';
import { type FinalResult, identityOf, type ProductMemory, type ProductState } from './product-state.js';
import type { ProtocolCrypto } from '../../../../shared/product-protocol/protocol-crypto.js';
import { NO_EXPIRY_S, SLOTS } from '../../../../shared/product-protocol/token-codec.js';

const DENIED_IDS_MAX = 64;

const REFUSED: FinalResult = { kind: 'error', type: GATEWAY_ERROR.INVALID_KEY };

/** The effect of a record on a product, with the product's answer. */
interface Applied {
  state: ProductState;
  result: FinalResult;
}

/**
 * Applies an admin record. The last record, when another gateway delivers it again, gets the same answer and does nothing; an older
 * one, or one of another pairing, is refused with 1, and so is a `clock` record that names no exchange of the last minutes.
 * When the list of denied ids is full, the product raises the generation of the guests' slot instead and answers 11, and the cloud
 * then raises it too.
 */
export function applyAdminRecord(
  crypto: ProtocolCrypto,
  state: ProductState,
  { bytes, nowMs }: { bytes: Uint8Array; nowMs: number },
): Applied {
  const { memory, keys } = state;
  if (keys === null) throw new Error('an admin record was obeyed without a key');
  const record = openAdminRecord(crypto, { adminKey: keys.admin, identity: identityOf(memory), bytes });
  if (record === null || record.serial < memory.lastAdmin.serial) return { state, result: REFUSED };
  if (record.serial === memory.lastAdmin.serial) return { state, result: memory.lastAdmin.result };
  const { action } = record;
  if (action.kind === 'clock' && !isClockNonceNew(state, action.nonce, nowMs)) return { state, result: REFUSED };
  const { state: changed, result } = applyAction(state, action, nowMs);
  return { state: { ...changed, memory: { ...changed.memory, lastAdmin: { serial: record.serial, result } } }, result };
}

function applyAction(state: ProductState, action: AdminAction, nowMs: number): Applied {
  const { memory } = state;
  const ok = { kind: 'ok' } as const;
  switch (action.kind) {
    case 'deny': {
      const denied = deny(memory, action, reportedTimeS(state, nowMs));
      return { state: { ...state, memory: denied.memory }, result: denied.result };
    }
    case 'raise_gen':
      return { state: { ...state, memory: raiseGen(memory, action.slot, action.gen) }, result: ok };
    case 'unpair':
      return { state: { ...state, memory: { ...memory, masterKey: null }, keys: null }, result: ok };
    case 'clock':
      return { state: withTimeCorrected(state, action.timeS, nowMs), result: ok };
  }
}

function deny(
  memory: ProductMemory,
  { id, expiresS }: Extract<AdminAction, { kind: 'deny' }>,
  nowS: number,
): { memory: ProductMemory; result: FinalResult } {
  const others = memory.deniedIds.filter((denied) => denied.id !== id);
  // An id is forgotten only when its room is needed. That its token is over is kept: the clock may be corrected backwards.
  const isOver = (denied: { expiresS: number }) => denied.expiresS !== NO_EXPIRY_S && denied.expiresS <= nowS;
  const forgotten = others.length < DENIED_IDS_MAX ? [] : others.filter(isOver);
  const kept = others.filter((denied) => !forgotten.includes(denied));
  if (kept.length < DENIED_IDS_MAX) {
    const forgottenDeniedEndS = Math.max(memory.forgottenDeniedEndS, ...forgotten.map((denied) => denied.expiresS));
    return {
      memory: { ...memory, deniedIds: [...kept, { id, expiresS }], forgottenDeniedEndS },
      result: { kind: 'ok' },
    };
  }
  const raised = (memory.gens[SLOTS.guests] ?? 0) + 1;
  return { memory: raiseGen(memory, SLOTS.guests, raised), result: { kind: 'error', type: GATEWAY_ERROR.UNKNOWN } };
}

/** Raises a generation and never lowers it: a revoked token stays revoked. */
function raiseGen(memory: ProductMemory, slot: number, gen: number): ProductMemory {
  return { ...memory, gens: memory.gens.map((present, index) => (index === slot ? Math.max(present, gen) : present)) };
}
