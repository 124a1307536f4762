import { randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const LENGTH = 10;

/** A session's public_id: 10 characters, A-Z and 0-9 (specification, "Limits"); the database refuses the one in 10^15 that repeats. */
export function makePublicId(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
