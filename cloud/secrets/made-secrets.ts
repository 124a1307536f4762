/** Secrets that the cloud makes for others, kept as hashes only, and ids that nobody can guess. */
import { randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** Crockford's base32: no letters that are taken for digits when a code is read out or typed. */
const CODE_LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 16;

/** 256 bits, 43 characters. */
export function makeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** 80 bits, for people: `7Q4M-0ZKD-...`. */
export function makeClaimCode(): string {
  // 32 divides 256: every letter is as likely as another.
  const letters = [...randomBytes(CODE_LENGTH)].map((byte) => CODE_LETTERS[byte % CODE_LETTERS.length] ?? '');
  return letters.join('').replace(/(.{4})(?=.)/g, '$1-');
}

/** What products deny a key by: 31 bits, so that it is never the id of a gateway's own token (`product-pairing.ts`). */
export function makeCredentialId(): number {
  return randomBytes(4).readUInt32LE() & 0x7fffffff;
}

/** 96 bits, 16 characters. */
export function makeWeblinkId(): string {
  return randomBytes(12).toString('base64url');
}
