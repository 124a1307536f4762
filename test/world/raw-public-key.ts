import type { KeyObject } from 'node:crypto';

const RAW_BYTES = 32;

/**
 * An Ed25519 key as the contract writes it, base64url. Not by way of a JWK: Node.js 20 holds a lock of the key while it makes the texts of
 * one, and a garbage collection just then ends what generated the key, which waits for the same lock, for ever.
 */
export function rawPublicKey(publicKey: KeyObject): string {
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(-RAW_BYTES).toString('base64url');
}
