/** Tokens allow operations of a product. The product verifies them offline, with nothing but its master key and its clock. */
import type { Credential } from '../gateway-config.js';
import { decodeBase64url, encodeBase64url } from './base64url.js';
import { concatBytes, readUint, uintBytes } from './bytes.js';
import type { ProductKeys } from './keys.js';
import type { ProtocolCrypto } from './protocol-crypto.js';

/** The operations that a token may allow. */
export const TOKEN_OPS = { open: 1, close: 2, status: 3 } as const;
export type TokenOp = keyof typeof TOKEN_OPS;

/** The slots of tokens by their issuer. Gateways have the slots from `firstGateway` to `lastGateway`. */
export const SLOTS = { cloud: 0, firstGateway: 1, lastGateway: 15, guests: 16, installer: 17 } as const;
export const SLOT_COUNT = 18;

/** A generation is one byte. When a slot has reached the highest one, the product has to be paired again. */
export const GENERATION_MAX = 255;
/** The `exp` of a token that never expires. */
export const NO_EXPIRY_S = 0xffffffff;

export const TOKEN_LENGTH = 32;
const SIGNED_LENGTH = 16;
const TOKEN_VERSION = 1;
const STATUS_KEY_LENGTH = 16;
const CHALLENGE_KEY_LENGTH = 32;

/** The signed part of a token, as it was minted. */
export interface TokenGrant {
  op: TokenOp;
  /** 0 to 17, see SLOTS. */
  slot: number;
  /** u8; must equal the product's generation of the slot. */
  gen: number;
  /** u32. A single token can be denied by its id. */
  id: number;
  /** Seconds since 1970: the token is valid from this moment on. */
  notBeforeS: number;
  /** Seconds since 1970: the token is invalid from this moment on. NO_EXPIRY_S: it never expires. */
  expiresS: number;
}

/** A token as received. Its op and slot may be anything until the tag has been verified. */
export interface Token extends Omit<TokenGrant, 'op'> {
  op: TokenOp | null;
}

/** A credential as bytes: everything that a client needs for one operation. */
export interface CredentialBytes {
  token: Uint8Array;
  statusKey: Uint8Array;
  challengeKey: Uint8Array;
}

/** Mints a token and derives its keys, as bytes. Only the cloud can do this, because only it has the product's keys. */
export function mintCredentialBytes(crypto: ProtocolCrypto, keys: ProductKeys, grant: TokenGrant): CredentialBytes {
  const signed = encodeGrant(grant);
  const token = concatBytes(signed, tokenTag(crypto, keys, signed));
  return { token, ...credentialKeys(crypto, keys, token) };
}

/** Mints a token and derives its keys, encoded for JSON: base64url of 43, 22 and 43 characters. */
export function mintCredential(crypto: ProtocolCrypto, keys: ProductKeys, grant: TokenGrant): Credential {
  const { token, statusKey, challengeKey } = mintCredentialBytes(crypto, keys, grant);
  return {
    token: encodeBase64url(token),
    status_key: encodeBase64url(statusKey),
    challenge_key: encodeBase64url(challengeKey),
  };
}

/** Returns null when one of the three is not base64url of the right length. */
export function decodeCredential(text: Credential): CredentialBytes | null {
  const token = decodeBase64url(text.token);
  const statusKey = decodeBase64url(text.status_key);
  const challengeKey = decodeBase64url(text.challenge_key);
  if (token?.length !== TOKEN_LENGTH) return null;
  if (statusKey?.length !== STATUS_KEY_LENGTH || challengeKey?.length !== CHALLENGE_KEY_LENGTH) return null;
  return { token, statusKey, challengeKey };
}

/** Derives the keys of a token. The product does this for each REQUEST. */
export function credentialKeys(
  crypto: ProtocolCrypto,
  keys: ProductKeys,
  token: Uint8Array,
): Omit<CredentialBytes, 'token'> {
  return {
    statusKey: crypto.hmacSha256(keys.stat, token).slice(0, STATUS_KEY_LENGTH),
    challengeKey: crypto.hmacSha256(keys.chal, token),
  };
}

/** Decodes a token without checking its tag; null for a wrong length or an unknown version. */
export function decodeToken(bytes: Uint8Array): Token | null {
  if (bytes.length !== TOKEN_LENGTH || bytes[0] !== TOKEN_VERSION) return null;
  const op = readUint(bytes, 1, 1);
  return {
    op: OPS.find((name) => TOKEN_OPS[name] === op) ?? null,
    slot: readUint(bytes, 2, 1),
    gen: readUint(bytes, 3, 1),
    id: readUint(bytes, 4, 4),
    notBeforeS: readUint(bytes, 8, 4),
    expiresS: readUint(bytes, 12, 4),
  };
}

/** Says whether the token was minted with these keys, which means for this product and this pairing. */
export function isTokenGenuine(crypto: ProtocolCrypto, keys: ProductKeys, token: Uint8Array): boolean {
  return crypto.equal(token.slice(SIGNED_LENGTH), tokenTag(crypto, keys, token.slice(0, SIGNED_LENGTH)));
}

/** Says whether a time is within the validity of a token: from `notBeforeS` until just before `expiresS`. */
export function isInTokenWindow(token: Pick<TokenGrant, 'notBeforeS' | 'expiresS'>, timeS: number): boolean {
  return timeS >= token.notBeforeS && (token.expiresS === NO_EXPIRY_S || timeS < token.expiresS);
}

const OPS = Object.keys(TOKEN_OPS) as TokenOp[];

/** @throws RangeError for a grant that no product could ever accept */
function encodeGrant(grant: TokenGrant): Uint8Array {
  if (grant.slot >= SLOT_COUNT) throw new RangeError(`slot ${grant.slot}: slots go from 0 to ${SLOT_COUNT - 1}`);
  return concatBytes(
    Uint8Array.of(TOKEN_VERSION, TOKEN_OPS[grant.op]),
    uintBytes(grant.slot, 1),
    uintBytes(grant.gen, 1),
    uintBytes(grant.id, 4),
    uintBytes(grant.notBeforeS, 4),
    uintBytes(grant.expiresS, 4),
  );
}

function tokenTag(crypto: ProtocolCrypto, keys: ProductKeys, signed: Uint8Array): Uint8Array {
  return crypto.hmacSha256(keys.token, signed).slice(0, TOKEN_LENGTH - SIGNED_LENGTH);
}
