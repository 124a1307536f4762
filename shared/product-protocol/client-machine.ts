/**
 * The client's side of one exchange: HELLO, CHALLENGE, REQUEST, STATUS. Only an authenticated STATUS of the product counts as success. A
 * message that cannot be parsed or verified is ignored.
 * A link may carry several exchanges one after the other, each with its own machine. When a command ends with type 9 (clock not set), run
 * `set_time` (with a token of op `status`) with the same event_id, and then the command again.
 */
import type { GatewayErrorType } from '../errors.js';
import { GATEWAY_ERROR } from '../gateway-error-types.js';
import type { EventId } from '../ids.js';
import { concatBytes } from './bytes.js';
import type { ProtocolCommand } from './commands.js';
import { type AnswerSeal, answerSeal, openStatus, requestMac } from './exchange-crypto.js';
import {
  type Challenge,
  decodeChallenge,
  decodeRefuse,
  encodeHello,
  encodeUnsignedRequest,
  PROTOCOL_VERSION,
} from './message-codec.js';
import type { ProtocolCrypto } from './protocol-crypto.js';
import type { StatusBlock } from './status-block.js';
import type { CredentialBytes } from './token-codec.js';

export interface Exchange {
  /** A credential for the operation that the command requires (`requiredOp`). */
  credential: CredentialBytes;
  command: ProtocolCommand;
  eventId: EventId;
  /** CLIENT_NONCE_LENGTH random bytes, new for each exchange. */
  clientNonce: Uint8Array;
}

export type ClientState =
  | { phase: 'idle' }
  | { phase: 'awaiting_challenge'; exchange: Exchange }
  | { phase: 'awaiting_status'; seal: AnswerSeal; challenge: Challenge; counter: number }
  | { phase: 'finished' };

export type ClientInput =
  | { type: 'started'; exchange: Exchange }
  /** A complete message, reassembled from its fragments. */
  | { type: 'message'; bytes: Uint8Array }
  | { type: 'linkClosed' }
  /** The caller stops waiting. */
  | { type: 'timeout' };

export type ClientOutcome =
  /**
   * The authenticated answer of the product. The answer is bound to `challenge`, so the clock and pairing in it are authentic too. A gateway
   * that does not know the time may use `rtcS`, if `rtcValid`, as a lower bound of it.
   */
  | { kind: 'answered'; block: StatusBlock; challenge: Challenge }
  /** An unauthenticated hint. It ends this attempt, but never the command. */
  | { kind: 'refused'; type: GatewayErrorType; rtcS: number }
  /** The link failed: DISCONNECTED, or BLUETOOTH when no usable answer came in time. The product may have acted nevertheless. */
  | { kind: 'failed'; type: Extract<GatewayErrorType, 2 | 3> };

export type ClientEffect =
  /** After a `part` of `request` was sent, the product may act. Callers check their deadline before they send it. */
  | { type: 'send'; part: 'hello' | 'request'; message: Uint8Array }
  /** The product is moving. */
  | { type: 'progress'; block: StatusBlock }
  | { type: 'finish'; outcome: ClientOutcome };

export interface ClientStep {
  state: ClientState;
  effects: ClientEffect[];
}

export const CLIENT_IDLE: ClientState = { phase: 'idle' };

const HELLO = encodeHello({ minVersion: PROTOCOL_VERSION, maxVersion: PROTOCOL_VERSION });

/** @throws Error when an exchange is started twice, or gets any other input before it is started */
export function nextClient(crypto: ProtocolCrypto, state: ClientState, input: ClientInput): ClientStep {
  if (state.phase === 'finished') {
    if (input.type === 'started') throw new Error('this exchange is over: start a new machine');
    // A late answer or the end of the link does not change the outcome.
    return { state, effects: [] };
  }
  if (state.phase === 'idle') {
    if (input.type !== 'started') throw new Error(`${input.type} before the exchange was started`);
    return {
      state: { phase: 'awaiting_challenge', exchange: input.exchange },
      effects: [{ type: 'send', part: 'hello', message: HELLO }],
    };
  }
  switch (input.type) {
    case 'started':
      throw new Error('this exchange runs already: start a new machine');
    case 'linkClosed':
      return finish({ kind: 'failed', type: GATEWAY_ERROR.DISCONNECTED });
    case 'timeout':
      return finish({ kind: 'failed', type: GATEWAY_ERROR.BLUETOOTH });
    case 'message':
      return state.phase === 'awaiting_challenge'
        ? onChallenge(crypto, state, input.bytes)
        : onStatus(crypto, state, input.bytes);
  }
}

function onChallenge(
  crypto: ProtocolCrypto,
  state: Extract<ClientState, { phase: 'awaiting_challenge' }>,
  bytes: Uint8Array,
): ClientStep {
  const refuse = decodeRefuse(bytes);
  if (refuse !== null) return finish({ kind: 'refused', ...refuse });
  const challenge = decodeChallenge(bytes);
  if (challenge?.version !== PROTOCOL_VERSION) return { state, effects: [] };

  const { credential, command, eventId, clientNonce } = state.exchange;
  const unsignedRequest = encodeUnsignedRequest({
    version: PROTOCOL_VERSION,
    command,
    token: credential.token,
    eventId,
    clientNonce,
  });
  const mac = requestMac(crypto, {
    challengeKey: credential.challengeKey,
    hello: HELLO,
    challenge: bytes,
    unsignedRequest,
  });
  const seal = answerSeal(crypto, {
    statusKey: credential.statusKey,
    productNonce: challenge.productNonce,
    clientNonce,
    eventId,
    mac,
  });
  return {
    state: { phase: 'awaiting_status', seal, challenge, counter: 0 },
    effects: [{ type: 'send', part: 'request', message: concatBytes(unsignedRequest, mac) }],
  };
}

function onStatus(
  crypto: ProtocolCrypto,
  state: Extract<ClientState, { phase: 'awaiting_status' }>,
  bytes: Uint8Array,
): ClientStep {
  const refuse = decodeRefuse(bytes);
  // A product does not refuse after an authenticated block, so this message does not come from the product.
  if (refuse !== null && state.counter === 0) return finish({ kind: 'refused', ...refuse });

  const status = openStatus(crypto, { seal: state.seal, message: bytes });
  if (status === null || status.counter <= state.counter) return { state, effects: [] };
  const { block, final, counter } = status;
  // An "in progress" block is never final, and any other block always is.
  if (final === (block.result.kind === 'in_progress')) return { state, effects: [] };
  if (final) return finish({ kind: 'answered', block, challenge: state.challenge });
  return { state: { ...state, counter }, effects: [{ type: 'progress', block }] };
}

function finish(outcome: ClientOutcome): ClientStep {
  return { state: { phase: 'finished' }, effects: [{ type: 'finish', outcome }] };
}
