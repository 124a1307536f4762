/** Proves that who asks over the public interface has the private key of a device. */
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { isSignedBy } from '../../../shared/node/signed-text.js';

/** @param of.what the text, in words for people. @throws ApiError naming `signature` when it is not that of the key over the text */
export function requireSigned(
  { public_key, signature }: { public_key: string; signature: string },
  of: { text: string; what: string },
): void {
  if (isSignedBy(public_key, of.text, signature)) return;
  throw new ApiError(VALIDATION, { field: 'signature', message: `Does not fit ${of.what} and the public key` });
}
