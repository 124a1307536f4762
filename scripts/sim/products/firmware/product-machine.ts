/**
 * The product's side of the protocol as a pure machine. Its shell carries out the effects (radio, motor), passes sensors and
 * time as inputs, and sends a `tick` at `nextProductDeadlineMs`. It stores what changed in `state.memory`, so that it survives
 * a loss of power, before it carries out the effects.
 */
import { bytesToHex } from '../../../../shared/product-protocol/bytes.js';
import { sealStatus } from '../../../../shared/product-protocol/exchange-crypto.js';
import {
  decodeHello,
  encodeChallenge,
  isRequest,
  PROTOCOL_VERSION,
} from '../../../../shared/product-protocol/message-codec.js';
import { PAIRING_ANSWER_WITHIN_MS, PAIRING_WINDOW_MS } from '../../../../shared/product-protocol/pairing.js';
import { clockDueMs, reportedTimeS, withClockStored, withRtc } from './product-clock.js';
import {
  changeSensors,
  type Draft,
  endMovement,
  movementDueMs,
  only,
  type ProductEffect,
  tickMovement,
  withAutoClose,
} from './product-movement.js';
import { onRequest, refuse } from './product-requests.js';
import {
  conditionOf,
  keysOf,
  pairMemory,
  type ProductLink,
  type ProductSensors,
  type ProductState,
  statusBlockOf,
} from './product-state.js';
import type { ProtocolCrypto } from '../../../../shared/product-protocol/protocol-crypto.js';
import { encodeCondition } from '../../../../shared/product-protocol/status-block.js';

/** `nowMs` of every input: a clock that never goes back, the same as `setMs` of the state's clock. */
export type ProductInput = { nowMs: number } & (
  | { type: 'linkOpened' }
  /** A whole message, reassembled. `nonce`: PRODUCT_NONCE_LENGTH bytes that never repeat. */
  | { type: 'message'; bytes: Uint8Array; nonce: Uint8Array }
  | { type: 'linkClosed' }
  | { type: 'movementDone' }
  | { type: 'movementJammed' }
  | { type: 'sensorsChanged'; sensors: Partial<ProductSensors> }
  /** The hardware's clock failed (null), or was replaced. */
  | { type: 'rtcChanged'; timeS: number | null }
  | { type: 'pairingButtonPressed' }
  /** The offer of a pairing is being sent (`pairing.ts`): its answer takes longer than a link may be idle. */
  | { type: 'pairingOffered' }
  /** A pairing succeeded (`pairing.ts`). */
  | { type: 'paired'; masterKey: Uint8Array; pairingEpoch: number; timeS: number }
  | { type: 'tick' }
);

export interface ProductStep {
  state: ProductState;
  effects: ProductEffect[];
}

const PROOF_MAX_MS = 5_000;
const IDLE_MAX_MS = 2_000;

/** @throws Error for an input that cannot be: the end of a movement when nothing moves, a pairing without its window */
export function nextProduct(crypto: ProtocolCrypto, state: ProductState, input: ProductInput): ProductStep {
  const draft = draftStep(crypto, state, input);
  const timed = withAutoClose(withClockStored(draft.state, input.nowMs), input.nowMs);
  const counted = withChangeCounted(state, timed);
  const answers = draft.replies.map(({ seal, counter, result }): ProductEffect => {
    const block = statusBlockOf(counted, result);
    const message = sealStatus(crypto, { seal, counter, final: result.kind !== 'in_progress', block });
    return { type: 'send', message };
  });
  return { state: counted, effects: [...draft.effects, ...answers] };
}

/** Returns when `tick` is due next; null: nothing waits. */
export function nextProductDeadlineMs(state: ProductState): number | null {
  const due = [
    linkDueMs(state.link),
    state.movement === null ? null : movementDueMs(state.movement),
    state.autoCloseAtMs,
    state.pairingUntilMs,
    clockDueMs(state),
  ].filter((deadlineMs) => deadlineMs !== null);
  return due.length === 0 ? null : Math.min(...due);
}

function draftStep(crypto: ProtocolCrypto, state: ProductState, input: ProductInput): Draft {
  const { nowMs } = input;
  switch (input.type) {
    case 'linkOpened':
      return only({
        ...state,
        link: {
          openedMs: nowMs,
          lastActivityMs: nowMs,
          isProven: false,
          challenge: null,
          awaiting: [],
          offerUntilMs: null,
        },
      });
    case 'message':
      // The message came over a link that was dropped a moment ago.
      if (state.link === null) return only(state);
      return onMessage(crypto, state, { ...input, link: { ...state.link, lastActivityMs: nowMs } });
    case 'linkClosed':
      return only({ ...state, link: null });
    case 'movementDone':
      return endMovement(state, 'arrived', nowMs);
    case 'movementJammed':
      return endMovement(state, 'jammed', nowMs);
    case 'sensorsChanged':
      return changeSensors(state, input.sensors);
    case 'rtcChanged':
      return only(input.timeS === null ? { ...state, rtc: null } : withRtc(state, input.timeS, nowMs));
    case 'pairingButtonPressed':
      // Anybody can read a label: a paired product stays paired until an unpair record, or a reset in its housing.
      return only(state.keys === null ? { ...state, pairingUntilMs: nowMs + PAIRING_WINDOW_MS } : state);
    case 'pairingOffered':
      return onOffered(state, nowMs);
    case 'paired':
      return onPaired(crypto, state, input);
    case 'tick':
      return onTick(state, nowMs);
  }
}

function onOffered(state: ProductState, nowMs: number): Draft {
  const { link, pairingUntilMs } = state;
  if (link === null || pairingUntilMs === null) return only(state);
  const offerUntilMs = Math.min(pairingUntilMs, nowMs + PAIRING_ANSWER_WITHIN_MS);
  return only({ ...state, link: { ...link, offerUntilMs } });
}

function onPaired(
  crypto: ProtocolCrypto,
  state: ProductState,
  { masterKey, pairingEpoch, timeS, nowMs }: Extract<ProductInput, { type: 'paired' }>,
): Draft {
  if (state.pairingUntilMs === null || pairingEpoch <= state.memory.pairingEpoch) {
    throw new Error(`${state.memory.deviceId} was paired outside its window, or with a pairing epoch that is not new`);
  }
  const memory = pairMemory(state.memory, { masterKey, pairingEpoch });
  return only(withRtc({ ...state, memory, keys: keysOf(crypto, memory), pairingUntilMs: null }, timeS, nowMs));
}

function onTick(state: ProductState, nowMs: number): Draft {
  const isPairingOver = state.pairingUntilMs !== null && nowMs >= state.pairingUntilMs;
  const dueMs = linkDueMs(state.link);
  const isLinkOver = dueMs !== null && nowMs >= dueMs;
  const draft = tickMovement(state, nowMs);
  return {
    ...draft,
    state: {
      ...draft.state,
      ...(isPairingOver ? { pairingUntilMs: null } : {}),
      ...(isLinkOver ? { link: null } : {}),
    },
    effects: isLinkOver ? [...draft.effects, { type: 'dropLink' }] : draft.effects,
  };
}

/** Returns when the link is dropped because it has no valid REQUEST or nothing happens on it: other clients wait. */
function linkDueMs(link: ProductLink | null): number | null {
  if (link === null || link.awaiting.length > 0) return null;
  if (link.offerUntilMs !== null) return link.offerUntilMs;
  return link.isProven ? link.lastActivityMs + IDLE_MAX_MS : link.openedMs + PROOF_MAX_MS;
}

function onMessage(
  crypto: ProtocolCrypto,
  state: ProductState,
  input: { bytes: Uint8Array; nonce: Uint8Array; link: ProductLink; nowMs: number },
): Draft {
  const { bytes, nonce, link, nowMs } = input;
  const hello = decodeHello(bytes);
  if (hello === null) {
    if (isRequest(bytes)) return onRequest(crypto, state, input);
    return refuse({ ...state, link }, state.keys === null ? 8 : 0, nowMs);
  }
  if (hello.minVersion > PROTOCOL_VERSION || hello.maxVersion < PROTOCOL_VERSION) {
    return refuse({ ...state, link: { ...link, challenge: null } }, 0, nowMs);
  }
  const message = encodeChallenge({
    version: PROTOCOL_VERSION,
    flags: {
      initialised: state.keys !== null,
      rtcValid: state.rtc !== null,
      busy: state.movement !== null,
      pairing: state.pairingUntilMs !== null,
    },
    pairingEpoch: state.memory.pairingEpoch,
    rtcS: reportedTimeS(state, nowMs),
    productNonce: nonce,
  });
  const challenge = { hello: bytes, bytes: message, productNonce: nonce, issuedMs: nowMs };
  return { ...only({ ...state, link: { ...link, challenge } }), effects: [{ type: 'send', message }] };
}

/** The counter changes with the condition, so that a reader of two reports knows whether one in between was missed. */
function withChangeCounted(before: ProductState, after: ProductState): ProductState {
  const isSame =
    before.memory.autoClose.seconds === after.memory.autoClose.seconds &&
    bytesToHex(encodeCondition(conditionOf(before))) === bytesToHex(encodeCondition(conditionOf(after)));
  if (isSame) return after;
  return { ...after, memory: { ...after.memory, changeCounter: (after.memory.changeCounter + 1) % 0x1_0000 } };
}
