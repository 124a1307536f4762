import { createPublicKey, verify } from 'node:crypto';
import { decodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { isWeakKey } from '../../kernel/entry.js';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** The DER header of a raw Ed25519 key (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Whether the terminal with this key (raw, base64url) signed the text. */
export function isSignedByTerminal(publicKey: string, text: string, signature: string): boolean {
  const key = decodeBase64url(publicKey);
  const bytes = decodeBase64url(signature);
  if (key?.length !== KEY_BYTES || bytes?.length !== SIGNATURE_BYTES || isWeakKey(key)) return false;
  const der = Buffer.concat([SPKI_PREFIX, key]);
  return verify(null, Buffer.from(text, 'utf8'), createPublicKey({ key: der, format: 'der', type: 'spki' }), bytes);
}
