/** Passwords for tests of what stands around them: a hash is the password itself, and to compare costs nothing. */
import type { Passwords } from '../../../cloud/secrets/passwords.js';

export const quickPasswords: Passwords = {
  hash: async (password) => `quick ${password}`,
  verify: async (password, passwordHash) => passwordHash === `quick ${password}`,
};
