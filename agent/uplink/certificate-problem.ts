/** Says in words for an installer why the broker's certificate is not accepted. */
import { errorText } from '../../shared/error-text.js';

const WRONG_AUTHORITY =
  'it is of another authority than the one this gateway was told when it was claimed: is somebody else there, or has the authority changed? Then claim the gateway again';

/** By Node.js' code of the error. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID:
    "it is for other names than the broker's address: have one issued for this address, or correct MQTT_PUBLIC_URL of the cloud",
  CERT_HAS_EXPIRED: 'it has expired: renew it at the broker',
  CERT_NOT_YET_VALID: 'it is not valid yet: is the clock of this device right?',
  DEPTH_ZERO_SELF_SIGNED_CERT: WRONG_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: WRONG_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: WRONG_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: WRONG_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: WRONG_AUTHORITY,
  CERT_SIGNATURE_FAILURE: WRONG_AUTHORITY,
};

/** Returns the error's message, with what is wrong with the certificate and what to do if it is about that. */
export function explainedMessage(error: Error): string {
  const problem = 'code' in error && typeof error.code === 'string' ? PROBLEMS[error.code] : undefined;
  return problem === undefined
    ? errorText(error)
    : `the broker's certificate is refused: ${problem} (${errorText(error)})`;
}
