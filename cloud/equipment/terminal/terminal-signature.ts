import { isSignedBy } from '../../../shared/node/signed-text.js';
import { decodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { isWeakKey } from '../../kernel/secrets/entry.js';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Whether the terminal with this key (raw, base64url) signed the text. */
export function isSignedByTerminal(publicKey: string, text: string, signature: string): boolean {
  const key = decodeBase64url(publicKey);
  const bytes = decodeBase64url(signature);
  if (key?.length !== KEY_BYTES || bytes?.length !== SIGNATURE_BYTES || isWeakKey(key)) return false;
  return isSignedBy(publicKey, text, signature);
}
