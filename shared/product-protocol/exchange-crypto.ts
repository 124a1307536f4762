/** Binds the four messages of an exchange to each other: by the mac of the REQUEST and the seal of the STATUS. */
import type { EventId } from '../ids.js';
import { asciiBytes, concatBytes, hexToBytes } from './bytes.js';
import {
  decodeStatus,
  MAC_LENGTH,
  type SealedStatus,
  STATUS_TAG_LENGTH,
  statusCounterByte,
  statusHeader,
} from './message-codec.js';
import type { ProtocolCrypto } from './protocol-crypto.js';
import { decodeStatusBlock, encodeStatusBlock, type StatusBlock } from './status-block.js';

const REQUEST_LABEL = asciiBytes('PBP1 REQ');
const STATUS_LABEL = asciiBytes('PBP1 STA');
const CCM_NONCE_LENGTH = 13;
const AES_KEY_LENGTH = 16;

/** Returns the mac of a REQUEST. It covers HELLO and CHALLENGE as each side has seen them, so that any manipulation on the way is detected. */
export function requestMac(
  crypto: ProtocolCrypto,
  parts: { challengeKey: Uint8Array; hello: Uint8Array; challenge: Uint8Array; unsignedRequest: Uint8Array },
): Uint8Array {
  const data = concatBytes(REQUEST_LABEL, parts.hello, parts.challenge, parts.unsignedRequest);
  return crypto.hmacSha256(parts.challengeKey, data).slice(0, MAC_LENGTH);
}

/** The seal of a STATUS block. Only the client of one REQUEST can open it, and only as the answer to that REQUEST. */
export interface AnswerSeal {
  key: Uint8Array;
  /** The mac of the answered REQUEST. */
  mac: Uint8Array;
}

export function answerSeal(
  crypto: ProtocolCrypto,
  parts: {
    statusKey: Uint8Array;
    productNonce: Uint8Array;
    clientNonce: Uint8Array;
    eventId: EventId;
    mac: Uint8Array;
  },
): AnswerSeal {
  const data = concatBytes(STATUS_LABEL, parts.productNonce, parts.clientNonce, hexToBytes(parts.eventId));
  return { key: crypto.hmacSha256(parts.statusKey, data).slice(0, AES_KEY_LENGTH), mac: parts.mac };
}

/** Seals a block and returns the complete STATUS message. */
export function sealStatus(
  crypto: ProtocolCrypto,
  { seal, counter, final, block }: { seal: AnswerSeal; block: StatusBlock } & Pick<SealedStatus, 'counter' | 'final'>,
): Uint8Array {
  const header = statusHeader({ counter, final });
  const sealed = crypto.aesCcmSeal({
    ...ccmInput(seal, { counter, final }),
    plaintext: encodeStatusBlock(block),
  });
  return concatBytes(header, sealed);
}

/** Opens a STATUS message; null when it is not a STATUS, does not answer this REQUEST, or was tampered with. */
export function openStatus(
  crypto: ProtocolCrypto,
  { seal, message }: { seal: AnswerSeal; message: Uint8Array },
): { counter: number; final: boolean; block: StatusBlock } | null {
  const status = decodeStatus(message);
  if (status === null) return null;
  const plaintext = crypto.aesCcmOpen({ ...ccmInput(seal, status), sealed: status.sealed });
  const block = plaintext === null ? null : decodeStatusBlock(plaintext);
  return block === null ? null : { counter: status.counter, final: status.final, block };
}

function ccmInput(seal: AnswerSeal, status: Pick<SealedStatus, 'counter' | 'final'>) {
  const nonce = new Uint8Array(CCM_NONCE_LENGTH);
  nonce[0] = statusCounterByte(status);
  return {
    key: seal.key,
    nonce,
    aad: concatBytes(statusHeader(status), seal.mac),
    tagLength: STATUS_TAG_LENGTH,
  } as const;
}
