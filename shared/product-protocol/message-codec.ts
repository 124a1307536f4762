/**
 * Encodes and decodes the messages between client and product. Decoders accept any bytes, and return null when they are not the expected
 * message.
 */
import { type GatewayErrorType, isGatewayErrorType } from '../errors.js';
import type { EventId } from '../ids.js';
import { bytesToHex, concatBytes, hexToBytes, readUint, uintBytes } from './bytes.js';
import { decodeCommand, encodeCommand, type ProtocolCommand } from './commands.js';
import { STATUS_BLOCK_LENGTH } from './status-block.js';
import { TOKEN_LENGTH } from './token-codec.js';

export const PROTOCOL_VERSION = 1;
/** The length of Np, the random bytes of the product. */
export const PRODUCT_NONCE_LENGTH = 16;
/** The length of Nc, the random bytes of the client. */
export const CLIENT_NONCE_LENGTH = 8;
export const MAC_LENGTH = 16;
export const STATUS_TAG_LENGTH = 8;
/** The blocks of one answer are numbered from 1 to at most this. */
export const STATUS_COUNTER_MAX = 127;

const EVENT_ID_LENGTH = 4;
const TYPES = { hello: 0x01, request: 0x02, challenge: 0x81, status: 0x82, refuse: 0x83 } as const;
const HELLO_LENGTH = 3;
const CHALLENGE_LENGTH = 25;
const REQUEST_LENGTH_MIN = 64;
const STATUS_LENGTH = 18;
const REFUSE_LENGTH = 6;
const STATUS_FINAL = 0x80;

export interface Hello {
  minVersion: number;
  maxVersion: number;
}

export interface ChallengeFlags {
  /** The product has a master key. */
  initialised: boolean;
  rtcValid: boolean;
  /** The product is moving. */
  busy: boolean;
  /** The pairing window is open. */
  pairing: boolean;
}

export interface Challenge {
  version: number;
  flags: ChallengeFlags;
  pairingEpoch: number;
  /** The product's clock, seconds since 1970; while it is not valid, the highest time it ever held. */
  rtcS: number;
  productNonce: Uint8Array;
}

export interface Request {
  version: number;
  command: ProtocolCommand;
  token: Uint8Array;
  eventId: EventId;
  clientNonce: Uint8Array;
}

/** A received REQUEST. `unsigned` is everything before the mac, which the mac covers. */
export interface SignedRequest extends Request {
  unsigned: Uint8Array;
  mac: Uint8Array;
}

/** A received STATUS, still sealed. */
export interface SealedStatus {
  /** The number of the block: 1 to STATUS_COUNTER_MAX. */
  counter: number;
  final: boolean;
  sealed: Uint8Array;
}

export interface Refuse {
  type: GatewayErrorType;
  rtcS: number;
}

export function encodeHello(hello: Hello): Uint8Array {
  return Uint8Array.of(TYPES.hello, hello.minVersion, hello.maxVersion);
}

export function decodeHello(bytes: Uint8Array): Hello | null {
  if (bytes.length !== HELLO_LENGTH || bytes[0] !== TYPES.hello) return null;
  return { minVersion: readUint(bytes, 1, 1), maxVersion: readUint(bytes, 2, 1) };
}

export function encodeChallenge(challenge: Challenge): Uint8Array {
  const { initialised, rtcValid, busy, pairing } = challenge.flags;
  const flags = (initialised ? 1 : 0) | (rtcValid ? 2 : 0) | (busy ? 4 : 0) | (pairing ? 8 : 0);
  return concatBytes(
    Uint8Array.of(TYPES.challenge, challenge.version, flags),
    uintBytes(challenge.pairingEpoch, 2),
    uintBytes(challenge.rtcS, 4),
    exactly(challenge.productNonce, PRODUCT_NONCE_LENGTH),
  );
}

export function decodeChallenge(bytes: Uint8Array): Challenge | null {
  if (bytes.length !== CHALLENGE_LENGTH || bytes[0] !== TYPES.challenge) return null;
  const flags = readUint(bytes, 2, 1);
  return {
    version: readUint(bytes, 1, 1),
    flags: {
      initialised: (flags & 1) !== 0,
      rtcValid: (flags & 2) !== 0,
      busy: (flags & 4) !== 0,
      pairing: (flags & 8) !== 0,
    },
    pairingEpoch: readUint(bytes, 3, 2),
    rtcS: readUint(bytes, 5, 4),
    productNonce: bytes.slice(9),
  };
}

/** Encodes a REQUEST without its mac, which the caller appends. */
export function encodeUnsignedRequest(request: Request): Uint8Array {
  const { code, params } = encodeCommand(request.command);
  return concatBytes(
    Uint8Array.of(TYPES.request, request.version, code, params.length),
    exactly(request.token, TOKEN_LENGTH),
    exactly(hexToBytes(request.eventId), EVENT_ID_LENGTH),
    exactly(request.clientNonce, CLIENT_NONCE_LENGTH),
    params,
  );
}

/** Says whether the bytes begin like a REQUEST, even if the rest is malformed. */
export function isRequest(bytes: Uint8Array): boolean {
  return bytes[0] === TYPES.request;
}

export function decodeRequest(bytes: Uint8Array): SignedRequest | null {
  if (!isRequest(bytes) || bytes.length < REQUEST_LENGTH_MIN) return null;
  const paramsLength = readUint(bytes, 3, 1);
  if (bytes.length !== REQUEST_LENGTH_MIN + paramsLength) return null;
  const tokenAt = 4;
  const eventAt = tokenAt + TOKEN_LENGTH;
  const nonceAt = eventAt + EVENT_ID_LENGTH;
  const paramsAt = nonceAt + CLIENT_NONCE_LENGTH;
  const macAt = paramsAt + paramsLength;
  const command = decodeCommand(readUint(bytes, 2, 1), bytes.slice(paramsAt, macAt));
  if (command === null) return null;
  return {
    version: readUint(bytes, 1, 1),
    command,
    token: bytes.slice(tokenAt, eventAt),
    eventId: bytesToHex(bytes.subarray(eventAt, nonceAt)) as EventId,
    clientNonce: bytes.slice(nonceAt, paramsAt),
    unsigned: bytes.slice(0, macAt),
    mac: bytes.slice(macAt),
  };
}

/** Returns the byte `ctr`, which the seal covers. */
export function statusCounterByte({ counter, final }: Pick<SealedStatus, 'counter' | 'final'>): number {
  if (!(counter >= 1 && counter <= STATUS_COUNTER_MAX)) {
    throw new RangeError(`block ${counter}: an answer has blocks 1 to ${STATUS_COUNTER_MAX}`);
  }
  return counter | (final ? STATUS_FINAL : 0);
}

/** Returns the two bytes before the sealed block. */
export function statusHeader(status: Pick<SealedStatus, 'counter' | 'final'>): Uint8Array {
  return Uint8Array.of(TYPES.status, statusCounterByte(status));
}

export function decodeStatus(bytes: Uint8Array): SealedStatus | null {
  if (bytes.length !== STATUS_LENGTH || bytes[0] !== TYPES.status) return null;
  const counterByte = readUint(bytes, 1, 1);
  const counter = counterByte & STATUS_COUNTER_MAX;
  if (counter === 0) return null;
  return {
    counter,
    final: (counterByte & STATUS_FINAL) !== 0,
    sealed: bytes.slice(2, 2 + STATUS_BLOCK_LENGTH + STATUS_TAG_LENGTH),
  };
}

export function encodeRefuse(refuse: Refuse): Uint8Array {
  return concatBytes(Uint8Array.of(TYPES.refuse, refuse.type), uintBytes(refuse.rtcS, 4));
}

export function decodeRefuse(bytes: Uint8Array): Refuse | null {
  if (bytes.length !== REFUSE_LENGTH || bytes[0] !== TYPES.refuse) return null;
  const type = readUint(bytes, 1, 1);
  return isGatewayErrorType(type) ? { type, rtcS: readUint(bytes, 2, 4) } : null;
}

/** Checks the length of a nonce or token: a wrong one would shift everything after it. @throws RangeError */
function exactly(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length !== length) throw new RangeError(`${length} bytes expected, not ${bytes.length}`);
  return bytes;
}
