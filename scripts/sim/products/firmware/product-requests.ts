/** Handles a REQUEST in a product. */
import type { GatewayErrorType } from '../../../../shared/errors.js';
import { GATEWAY_ERROR } from '../../../../shared/gateway-error-types.js';
import { isManagedSlot, type Movement, MOVEMENTS } from '../../../../shared/product-protocol/commands.js';
import { encodeRefuse } from '../../../../shared/product-protocol/message-codec.js';
import {
  type AuthenticRequest,
  authenticateRequest,
  findDenial,
  findObstacle,
  rememberedKey,
} from './product-checks.js';
import { decideSetTime, reportedTimeS, withClockNonce, withTimeSet } from './product-clock.js';
import { beginMovement, type Draft, joinMovement, only, remember, reverseMovement } from './product-movement.js';
import { applyAdminRecord } from './product-revocation.js';
import type { ProductLink, ProductState } from './product-state.js';
import type { ProtocolCrypto } from '../../../../shared/product-protocol/protocol-crypto.js';
import type { BlockResult } from '../../../../shared/product-protocol/status-block.js';

/** How many answers of one link may wait for the end of a movement: a client has one command under way, or two. */
const AWAITING_MAX = 8;

/** Checks a message that begins like a REQUEST, and obeys or refuses it. */
export function onRequest(
  crypto: ProtocolCrypto,
  before: ProductState,
  { bytes, link, nowMs }: { bytes: Uint8Array; link: ProductLink; nowMs: number },
): Draft {
  const authentication = authenticateRequest(crypto, { keys: before.keys, link, bytes, nowMs });
  if (authentication.kind === 'refused') {
    const { type, reachedMac } = authentication;
    return refuse({ ...before, link: reachedMac ? { ...link, challenge: null } : link }, type, nowMs);
  }
  const proven = { ...before, link: { ...link, isProven: true, challenge: null } };
  const { token, productNonce } = authentication;
  const state = isManagedSlot(token.slot) ? withClockNonce(proven, productNonce, nowMs) : proven;
  const denial = findDenial(state, authentication, nowMs);
  if (denial !== null) return deny(state, authentication, denial);

  const key = rememberedKey(authentication);
  const known = state.memory.remembered.find((entry) => entry.key === key);
  if (known !== undefined) {
    return known.result === null
      ? awaitMovement(only(state), authentication, key)
      : answer(state, authentication, known.result);
  }
  return execute(crypto, state, { authentic: authentication, key, nowMs });
}

function execute(
  crypto: ProtocolCrypto,
  state: ProductState,
  { authentic, key, nowMs }: { authentic: AuthenticRequest; key: string; nowMs: number },
): Draft {
  const { request, token } = authentic;
  const { command } = request;
  const done = (changed: ProductState) =>
    answer({ ...changed, memory: remember(changed.memory, key, { kind: 'ok' }) }, authentic, { kind: 'ok' });
  switch (command.name) {
    case 'status':
      return answer(state, authentic, { kind: 'ok' });
    case 'set_time': {
      const timeS = decideSetTime(state, { token, timeS: command.timeS, nowMs });
      return timeS === null
        ? deny(state, authentic, GATEWAY_ERROR.INVALID_KEY)
        : answer(withTimeSet(state, timeS, nowMs), authentic, { kind: 'ok' });
    }
    case 'autoclose': {
      const { on, seconds } = command;
      return done({ ...state, memory: { ...state.memory, autoClose: { on, seconds } }, autoCloseAtMs: null });
    }
    case 'clear_stay_open':
    case 'clear_stay_close':
      return done(cleared(state, command.name === 'clear_stay_open' ? 'stay_open' : 'stay_close'));
    case 'admin':
      return administer(crypto, state, { authentic, record: command.record, key, nowMs });
    default:
      return move(state, { authentic, movement: MOVEMENTS[command.name], key, nowMs });
  }
}

/** A clear ends only its own permanent position, also one that a movement under way is to set, and moves nothing. */
function cleared(state: ProductState, position: 'stay_open' | 'stay_close'): ProductState {
  const { memory, movement } = state;
  const orders = movement?.orders.map((order) =>
    order.setsPosition === position ? { ...order, setsPosition: null } : order,
  );
  return {
    ...state,
    memory: memory.permanentPosition === position ? { ...memory, permanentPosition: 'disabled' } : memory,
    movement: movement === null || orders === undefined ? null : { ...movement, orders },
  };
}

function administer(
  crypto: ProtocolCrypto,
  state: ProductState,
  { authentic, record, key, nowMs }: { authentic: AuthenticRequest; record: Uint8Array; key: string; nowMs: number },
): Draft {
  const { state: changed, result } = applyAdminRecord(crypto, state, { bytes: record, nowMs });
  const memory = result.kind === 'ok' ? remember(changed.memory, key, result) : changed.memory;
  return answer({ ...changed, memory }, authentic, result);
}

function move(
  state: ProductState,
  { authentic, movement, key, nowMs }: { authentic: AuthenticRequest; movement: Movement; key: string; nowMs: number },
): Draft {
  const { target, setsPosition } = movement;
  const order = { key, setsPosition };
  if (state.movement !== null) {
    if (target === 'closed') return deny(state, authentic, GATEWAY_ERROR.BUSY);
    const isOpening = state.movement.target === 'opened';
    return awaitMovement(isOpening ? joinMovement(state, order) : reverseMovement(state, order, nowMs), authentic, key);
  }
  const obstacle = findObstacle(state, movement);
  if (obstacle !== null) return deny(state, authentic, obstacle);
  const { memory, sensors } = state;
  if (memory.position !== target || sensors.jammed) {
    return awaitMovement(beginMovement(state, { target, order }, nowMs), authentic, key);
  }
  // The product is there already. Another vehicle may be passing, so auto-close waits its whole time again.
  const permanentPosition = setsPosition ?? memory.permanentPosition;
  const result = { kind: 'ok' } as const;
  return answer(
    { ...state, memory: remember({ ...memory, permanentPosition }, key, result), autoCloseAtMs: null },
    authentic,
    result,
  );
}

/** Answers "in progress", and remembers that this link waits for the result of the command with this key. */
function awaitMovement(draft: Draft, { seal }: AuthenticRequest, key: string): Draft {
  const { link } = draft.state;
  const awaiting = [...(link?.awaiting ?? []), { seal, counter: 2, key }].slice(-AWAITING_MAX);
  return {
    ...draft,
    state: { ...draft.state, link: link === null ? null : { ...link, awaiting } },
    replies: [...draft.replies, { seal, counter: 1, result: { kind: 'in_progress' } }],
  };
}

function answer(state: ProductState, { seal }: AuthenticRequest, result: BlockResult): Draft {
  return { state, effects: [], replies: [{ seal, counter: 1, result }] };
}

/** A refusal of an authentic REQUEST. */
function deny(state: ProductState, authentic: AuthenticRequest, type: GatewayErrorType): Draft {
  return answer(state, authentic, { kind: 'error', type });
}

/** A refusal before a mac was verified: a hint. */
export function refuse(state: ProductState, type: GatewayErrorType, nowMs: number): Draft {
  const message = encodeRefuse({ type, rtcS: reportedTimeS(state, nowMs) });
  return { ...only(state), effects: [{ type: 'send', message }] };
}
