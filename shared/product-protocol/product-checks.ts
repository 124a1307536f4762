/** Whether a product obeys: the checks of a REQUEST, in the order in which a product makes them. */
import type { GatewayErrorType } from '../errors.js';
import { bytesToHex } from './bytes.js';
import { encodeCommand, isCommandAllowed, isManagedSlot, type Movement } from './commands.js';
import { type AnswerSeal, answerSeal, requestMac } from './exchange-crypto.js';
import { decodeRequest, PROTOCOL_VERSION, type SignedRequest } from './message-codec.js';
import { decideSetTime, rtcNowS } from './product-clock.js';
import type { ProductLink, ProductState } from './product-state.js';
import type { ProtocolCrypto } from './protocol-crypto.js';
import { credentialKeys, decodeToken, isInTokenWindow, isTokenGenuine, type Token } from './token-codec.js';

/** Np lives this long. */
const CHALLENGE_LIFE_MS = 10_000;

export interface AuthenticRequest {
  request: SignedRequest;
  token: Token;
  seal: AnswerSeal;
}

export type Authentication =
  | ({ kind: 'authentic' } & AuthenticRequest)
  /** `reachedMac`: the nonce is used up, right or wrong. */
  | { kind: 'refused'; type: Extract<GatewayErrorType, 0 | 1 | 8>; reachedMac: boolean };

/** Is it for this product, from who holds the keys, and new? Until that is known, a refusal is only a hint. */
export function authenticateRequest(
  crypto: ProtocolCrypto,
  { keys, link, bytes, nowMs }: { keys: ProductState['keys']; link: ProductLink; bytes: Uint8Array; nowMs: number },
): Authentication {
  if (keys === null) return { kind: 'refused', type: 8, reachedMac: false };
  const request = decodeRequest(bytes);
  const token = request === null ? null : decodeToken(request.token);
  if (request === null || token === null || request.version !== PROTOCOL_VERSION) {
    return { kind: 'refused', type: 0, reachedMac: false };
  }
  if (!isTokenGenuine(crypto, keys, request.token)) return { kind: 'refused', type: 1, reachedMac: false };

  const { challenge } = link;
  if (challenge === null || nowMs - challenge.issuedMs > CHALLENGE_LIFE_MS) {
    return { kind: 'refused', type: 0, reachedMac: false };
  }
  const { challengeKey, statusKey } = credentialKeys(crypto, keys, request.token);
  const mac = requestMac(crypto, {
    challengeKey,
    hello: challenge.hello,
    challenge: challenge.bytes,
    unsignedRequest: request.unsigned,
  });
  if (!crypto.equal(mac, request.mac)) return { kind: 'refused', type: 0, reachedMac: true };
  const { clientNonce, eventId } = request;
  const { productNonce } = challenge;
  return {
    kind: 'authentic',
    request,
    token,
    seal: answerSeal(crypto, { statusKey, productNonce, clientNonce, eventId, mac }),
  };
}

/** Does the token allow this command, here and now? The refusal's type, or null. */
export function findDenial(
  state: ProductState,
  { request: { command }, token }: AuthenticRequest,
  nowMs: number,
): Extract<GatewayErrorType, 1 | 9> | null {
  const { memory } = state;
  if (!isCommandAllowed(command.name, token)) return 1;
  // Only barriers have auto-close as a setting; the other kinds have it built in.
  if (command.name === 'autoclose' && memory.type !== 'barrier') return 1;
  if (memory.gens[token.slot] !== token.gen) return 1;
  if (memory.deniedIds.some(({ id }) => id === token.id)) return 1;

  if (command.name === 'status') return null;
  const timeS = rtcNowS(state, nowMs);
  if (command.name === 'set_time' && timeS === null) {
    return decideSetTime(state, { token, timeS: command.timeS, nowMs }) === null ? 1 : null;
  }
  if (timeS === null) return 9;
  return isInTokenWindow(token, timeS) ? null : 1;
}

/** What forbids a closing movement now; opening is never forbidden by a sensor, nor by an old jam. */
export function findObstacle(
  { sensors }: ProductState,
  movement: Pick<Movement, 'target' | 'ignoresDirtySensor'>,
): Extract<GatewayErrorType, 6 | 7> | null {
  if (movement.target === 'opened') return null;
  if (sensors.carOnTop) return 6;
  return sensors.dirty && !movement.ignoresDirtySensor ? 7 : null;
}

/**
 * By what an executed command is known again: the same through retries and from another gateway, but never for a guest
 * who overheard an event_id.
 */
export function rememberedKey({ request, token }: AuthenticRequest): string {
  const { code, params } = encodeCommand(request.command);
  const slotClass = isManagedSlot(token.slot) ? 'managed' : 'other';
  return `${request.eventId}:${code}:${bytesToHex(params)}:${slotClass}`;
}
