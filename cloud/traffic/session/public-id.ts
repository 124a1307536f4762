import { randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const LENGTH = 10;

/** Generates a session's public_id (specification, "Limits"): 10 characters, A-Z and 0-9. The database refuses one that repeats. */
export function generatePublicId(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
