/** Texts that are signed with Ed25519. */
import { createPublicKey, verify } from 'node:crypto';

/**
 * Says whether the text was signed by this key.
 * @param publicKey raw 32-byte key, base64url
 * @param signature base64url
 */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
}
