/** The key by which gateways recognise what their cloud says to them: it follows from the server key. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Secrets } from '../../kernel/secrets/entry.js';

/** DER header of a raw Ed25519 private key (RFC 8410). */
const ED25519_PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');
const RAW_KEY_BYTES = 32;

export interface CloudKey {
  /** Raw 32-byte Ed25519 key, base64url. */
  publicKey: string;
  /** base64url */
  sign(text: string): string;
}

export function cloudKeyOf(secrets: Pick<Secrets, 'derive'>): CloudKey {
  const key = createPrivateKey({
    key: Buffer.concat([ED25519_PKCS8_HEADER, secrets.derive('cloud_key')]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: spki.subarray(-RAW_KEY_BYTES).toString('base64url'),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
  };
}
