/**
 * The password of a device, by which people sign in at its local console. The cloud makes and keeps it; the gateway has only what
 * recognises it. It is generated, with 80 bits, so that the cost of a guess need not make up for a weak choice.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { PasswordVerifier } from '../gateway-config.js';
import { canonicalCode } from '../typed-code.js';

/** 4 MiB: a small device has to afford it beside its work. */
const COST = { N: 2 ** 12, r: 8, p: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Makes what recognises the password, off the thread. */
export async function verifierOf(password: string): Promise<PasswordVerifier> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await hashOf(password, salt);
  return { salt: salt.toString('base64url'), hash: hash.toString('base64url') };
}

/**
 * Says whether this is the password, as people type it: in small letters, without dashes. It is computed off the
 * thread.
 */
export async function isPasswordOf(verifier: PasswordVerifier, typed: string): Promise<boolean> {
  const expected = Buffer.from(verifier.hash, 'base64url');
  const hash = await hashOf(typed, Buffer.from(verifier.salt, 'base64url'));
  return expected.length === HASH_BYTES && timingSafeEqual(hash, expected);
}

function hashOf(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(canonicalCode(password), salt, HASH_BYTES, COST, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}
