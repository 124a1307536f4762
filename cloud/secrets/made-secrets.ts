/** Secrets that the cloud makes for others. Kept as hashes only. */
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
