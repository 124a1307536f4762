/** Generates secrets for others, of which the cloud keeps only hashes, and ids that nobody can guess. */
import { randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** Crockford's base32 has no letters that look like digits when a person reads out or types a code. */
const CODE_LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 16;

/** 256 bits, 43 characters. */
export function generateToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** 80 bits, for people: `7Q4M-0ZKD-...`. */
export function generateClaimCode(): string {
  // 32 divides 256, so all letters are equally likely.
  const letters = [...randomBytes(CODE_LENGTH)].map((byte) => CODE_LETTERS[byte % CODE_LETTERS.length] ?? '');
  return grouped(letters.join(''));
}

const TYPED_BESIDE = /[\s\p{Cf}\p{Pd}\u2212]/gu;
const MADE_CODE = new RegExp(`^[${CODE_LETTERS}]{${CODE_LENGTH}}$`);

/**
 * Returns the one form of a claim code that people carried by hand: capital letters without blanks, and dashes where codes of ours have them.
 * Crockford's base32 reads O as 0, and I and L as 1. What has nothing but dashes and blanks is itself, so that two of them are not the same.
 */
export function canonicalClaimCode(typed: string): string {
  const letters = typed.normalize('NFKC').replaceAll(TYPED_BESIDE, '').toUpperCase();
  if (letters === '') return typed;
  const read = letters.replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return MADE_CODE.test(read) ? grouped(read) : letters;
}

const grouped = (letters: string): string => letters.replace(/(.{4})(?=.)/g, '$1-');

/** The id by which products deny a key. It has 31 bits, so it never equals the id of a gateway's own token (`product-pairing.ts`). */
export function generateCredentialId(): number {
  return randomBytes(4).readUInt32LE() & 0x7fffffff;
}

/** 96 bits, 16 characters. */
export function generateWeblinkId(): string {
  return randomBytes(12).toString('base64url');
}
