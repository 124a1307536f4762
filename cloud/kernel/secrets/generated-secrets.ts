/** Generates secrets for others, of which the cloud keeps only hashes, and ids that nobody can guess. */
import { randomBytes } from 'node:crypto';
import { CODE_LENGTH, CODE_LETTERS, groupedCode } from '../../../shared/typed-code.js';

const TOKEN_BYTES = 32;

/** 256 bits, 43 characters. */
export function generateToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** A code for people, of 80 bits: `7Q4M-0ZKD-...`. */
export function generateCode(): string {
  // 32 divides 256, so all letters are equally likely.
  const letters = [...randomBytes(CODE_LENGTH)].map((byte) => CODE_LETTERS.charAt(byte % CODE_LETTERS.length));
  return groupedCode(letters.join(''));
}

/** The id by which products deny a key. It has 31 bits, so it never equals the id of a gateway's own token (`product-pairing.ts`). */
export function generateCredentialId(): number {
  return randomBytes(4).readUInt32LE() & 0x7fffffff;
}

/** 96 bits, 16 characters. */
export function generateWeblinkId(): string {
  return randomBytes(12).toString('base64url');
}
