/** Whether a product obeys: the checks of a REQUEST, in the order in which a product makes them. */
import type { GatewayErrorType } from '../../../../shared/errors.js';
import { GATEWAY_ERROR } from '../../../../shared/gateway-error-types.js';
import { isClockRecord } from '../../../../shared/product-protocol/admin-record.js';
import { bytesToHex } from '../../../../shared/product-protocol/bytes.js';
import {
  encodeCommand,
  isCommandAllowed,
  isManagedSlot,
  type Movement,
} from '../../../../shared/product-protocol/commands.js';
import { type AnswerSeal, answerSeal, requestMac } from '../../../../shared/product-protocol/exchange-crypto.js';
import {
  decodeRequest,
  PROTOCOL_VERSION,
  type SignedRequest,
} from '../../../../shared/product-protocol/message-codec.js';
import { decideSetTime, rtcNowS } from './product-clock.js';
import type { ProductLink, ProductState } from './product-state.js';
import type { ProtocolCrypto } from '../../../../shared/product-protocol/protocol-crypto.js';
import {
  credentialKeys,
  decodeToken,
  isInTokenWindow,
  isTokenGenuine,
  SLOTS,
  type Token,
} from '../../../../shared/product-protocol/token-codec.js';

/** How long Np is valid. */
const CHALLENGE_LIFE_MS = 10_000;

export interface AuthenticRequest {
  request: SignedRequest;
  token: Token;
  seal: AnswerSeal;
  /** Np of the exchange. */
  productNonce: Uint8Array;
}

export type Authentication =
  | ({ kind: 'authentic' } & AuthenticRequest)
  /** `reachedMac`: the nonce is used up, right or wrong. */
  | { kind: 'refused'; type: Extract<GatewayErrorType, 0 | 1 | 8>; reachedMac: boolean };

/** Checks that the REQUEST is new, for this product, and from a holder of the keys. A refusal before the mac was verified is only a hint. */
export function authenticateRequest(
  crypto: ProtocolCrypto,
  { keys, link, bytes, nowMs }: { keys: ProductState['keys']; link: ProductLink; bytes: Uint8Array; nowMs: number },
): Authentication {
  if (keys === null) return { kind: 'refused', type: GATEWAY_ERROR.NOT_INITIALIZED, reachedMac: false };
  const request = decodeRequest(bytes);
  const token = request === null ? null : decodeToken(request.token);
  if (request === null || token === null || request.version !== PROTOCOL_VERSION) {
    return { kind: 'refused', type: GATEWAY_ERROR.AUTH, reachedMac: false };
  }
  if (!isTokenGenuine(crypto, keys, request.token))
    return { kind: 'refused', type: GATEWAY_ERROR.INVALID_KEY, reachedMac: false };

  const { challenge } = link;
  if (challenge === null || nowMs - challenge.issuedMs > CHALLENGE_LIFE_MS) {
    return { kind: 'refused', type: GATEWAY_ERROR.AUTH, reachedMac: false };
  }
  const { challengeKey, statusKey } = credentialKeys(crypto, keys, request.token);
  const mac = requestMac(crypto, {
    challengeKey,
    hello: challenge.hello,
    challenge: challenge.bytes,
    unsignedRequest: request.unsigned,
  });
  if (!crypto.equal(mac, request.mac)) return { kind: 'refused', type: GATEWAY_ERROR.AUTH, reachedMac: true };
  const { clientNonce, eventId } = request;
  const { productNonce } = challenge;
  return {
    kind: 'authentic',
    request,
    token,
    productNonce,
    seal: answerSeal(crypto, { statusKey, productNonce, clientNonce, eventId, mac }),
  };
}

/** The type of the refusal when the token does not allow this command here and now, else null. */
export function findDenial(
  state: ProductState,
  { request: { command }, token }: AuthenticRequest,
  nowMs: number,
): Extract<GatewayErrorType, 1 | 9> | null {
  const { memory } = state;
  if (!isCommandAllowed(command.name, token)) return GATEWAY_ERROR.INVALID_KEY;
  // Only barriers have auto-close as a setting; the other kinds have it built in.
  if (command.name === 'autoclose' && memory.type !== 'barrier') return GATEWAY_ERROR.INVALID_KEY;
  if (memory.gens[token.slot] !== token.gen) return GATEWAY_ERROR.INVALID_KEY;
  if (memory.deniedIds.some(({ id }) => id === token.id)) return GATEWAY_ERROR.INVALID_KEY;

  if (command.name === 'status') return null;
  // The cloud's own word is for a clock that is wrong, against which no end can be held; its tag and its nonce are checked instead.
  if (command.name === 'admin' && isClockRecord(command.record)) return null;
  if (mayBeForgotten(memory, token)) return GATEWAY_ERROR.INVALID_KEY;
  const timeS = rtcNowS(state, nowMs);
  if (command.name === 'set_time' && timeS === null) {
    return decideSetTime(state, { token, timeS: command.timeS, nowMs }) === null ? GATEWAY_ERROR.INVALID_KEY : null;
  }
  if (timeS === null) return GATEWAY_ERROR.CLOCK_NOT_SET;
  return isInTokenWindow(token, timeS) ? null : GATEWAY_ERROR.INVALID_KEY;
}

/**
 * Says whether the token may be of a denied id that was forgotten, because it was over then: a clock that is set back
 * would make it valid again. The cloud's own tokens are made for one command, and none of them is ever denied.
 */
function mayBeForgotten({ forgottenDeniedEndS }: ProductState['memory'], { slot, expiresS }: Token): boolean {
  return slot !== SLOTS.cloud && expiresS <= forgottenDeniedEndS;
}

/** The type of what forbids a closing movement now, else null. Neither a sensor nor an earlier jam forbids opening. */
export function findObstacle(
  { sensors }: ProductState,
  movement: Pick<Movement, 'target' | 'ignoresDirtySensor'>,
): Extract<GatewayErrorType, 6 | 7> | null {
  if (movement.target === 'opened') return null;
  if (sensors.carOnTop) return GATEWAY_ERROR.CAR_ON_TOP;
  return sensors.dirty && !movement.ignoresDirtySensor ? GATEWAY_ERROR.SENSOR_DIRTY : null;
}

/**
 * The key by which an executed command is recognised. It is the same for a retry and for another gateway, but not for a guest who
 * overheard an event_id.
 */
export function rememberedKey({ request, token }: AuthenticRequest): string {
  const { code, params } = encodeCommand(request.command);
  const slotClass = isManagedSlot(token.slot) ? 'managed' : 'other';
  return `${request.eventId}:${code}:${bytesToHex(params)}:${slotClass}`;
}
