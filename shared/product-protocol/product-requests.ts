/** What a product does with a REQUEST. */
import type { GatewayErrorType } from '../errors.js';
import { type Movement, MOVEMENTS } from './commands.js';
import { encodeRefuse } from './message-codec.js';
import {
  type AuthenticRequest,
  authenticateRequest,
  findDenial,
  findObstacle,
  rememberedKey,
} from './product-checks.js';
import { decideSetTime, rtcNowS, toldTimeS, withRtc } from './product-clock.js';
import { beginMovement, type Draft, only, remember } from './product-movement.js';
import { applyAdminRecord } from './product-revocation.js';
import type { ProductLink, ProductState } from './product-state.js';
import type { ProtocolCrypto } from './protocol-crypto.js';
import type { BlockResult } from './status-block.js';

/** A message that means to be a REQUEST: checked, obeyed or refused. */
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
  const state = { ...before, link: { ...link, isProven: true, challenge: null, awaiting: null } };
  const denial = findDenial(state, authentication, nowMs);
  if (denial !== null) return deny(state, authentication, denial);

  const key = rememberedKey(authentication);
  const known = state.memory.remembered.find((entry) => entry.key === key);
  if (known !== undefined) {
    return known.result === null
      ? awaitMovement(only(state), authentication)
      : answer(state, authentication, known.result);
  }
  const { command } = authentication.request;
  // A question changes nothing, and is answered while the product moves.
  if (state.movement !== null && command.name !== 'status') return deny(state, authentication, 10);
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
        ? deny(state, authentic, 1)
        : answer(withRtc(state, timeS, nowMs), authentic, { kind: 'ok' });
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

/** A clear ends its own stay only, and moves nothing by itself. */
function cleared(state: ProductState, stay: 'stay_open' | 'stay_close'): ProductState {
  if (state.memory.permanentPosition !== stay) return state;
  return { ...state, memory: { ...state.memory, permanentPosition: 'disabled' } };
}

function administer(
  crypto: ProtocolCrypto,
  state: ProductState,
  { authentic, record, key, nowMs }: { authentic: AuthenticRequest; record: Uint8Array; key: string; nowMs: number },
): Draft {
  const nowS = rtcNowS(state, nowMs);
  if (state.keys === null || nowS === null) throw new Error('an admin record was obeyed without a key or a clock');
  const { memory, result } = applyAdminRecord(crypto, {
    memory: state.memory,
    adminKey: state.keys.admin,
    bytes: record,
    nowS,
  });
  const changed = {
    ...state,
    memory: result.kind === 'ok' ? remember(memory, key, result) : memory,
    keys: memory.masterKey === null ? null : state.keys,
  };
  return answer(changed, authentic, result);
}

function move(
  state: ProductState,
  { authentic, movement, key, nowMs }: { authentic: AuthenticRequest; movement: Movement; key: string; nowMs: number },
): Draft {
  const obstacle = findObstacle(state, movement);
  if (obstacle !== null) return deny(state, authentic, obstacle);
  const { memory, sensors } = state;
  if (memory.position !== movement.target || sensors.jammed) {
    return awaitMovement(beginMovement(state, { ...movement, key }, nowMs), authentic);
  }
  // There already. Another vehicle may be passing: closing by itself waits its whole time again.
  const permanentPosition = movement.setsPosition ?? memory.permanentPosition;
  const result = { kind: 'ok' } as const;
  return answer(
    { ...state, memory: remember({ ...memory, permanentPosition }, key, result), autoCloseAtMs: null },
    authentic,
    result,
  );
}

/** The answer "in progress", and a place to tell the end. */
function awaitMovement(draft: Draft, { seal }: AuthenticRequest): Draft {
  const { link } = draft.state;
  return {
    ...draft,
    state: { ...draft.state, link: link === null ? null : { ...link, awaiting: { seal, counter: 2 } } },
    reply: { seal, counter: 1, result: { kind: 'in_progress' } },
  };
}

function answer(state: ProductState, { seal }: AuthenticRequest, result: BlockResult): Draft {
  return { state, effects: [], reply: { seal, counter: 1, result } };
}

/** A refusal of an authentic REQUEST. */
function deny(state: ProductState, authentic: AuthenticRequest, type: GatewayErrorType): Draft {
  return answer(state, authentic, { kind: 'error', type });
}

/** A refusal before a mac was verified: a hint. */
export function refuse(state: ProductState, type: GatewayErrorType, nowMs: number): Draft {
  const message = encodeRefuse({ type, rtcS: toldTimeS(state, nowMs) });
  return { ...only(state), effects: [{ type: 'send', message }] };
}
