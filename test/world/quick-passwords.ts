/**
 * Passwords for tests of what stands around them: to hash and to compare costs nothing. A hash looks like those that ship, so that a
 * test which looks for one where none may be finds it.
 */
import type { Passwords } from '../../cloud/kernel/secrets/passwords.js';

const hashOf = (password: string): string => `$argon2id$quick$${Buffer.from(password).toString('base64url')}`;

export const quickPasswords: Passwords = {
  hash: async (password) => hashOf(password),
  verify: async (password, passwordHash) => passwordHash === hashOf(password),
};
