/** Says in words for an installer why the cloud did not answer a claim, and what to do about it. */
import { errorText } from '../../shared/error-text.js';

const CHECK = 'check the address and the network';
const NO_NETWORK = 'this device has no network, or no name server: check its cable or Wi-Fi';
const UNTRUSTED =
  'its certificate is of an authority that this device does not trust: somebody may be in between; for a private authority NODE_EXTRA_CA_CERTS names its file';

/** By Node.js' code of the error. */
const WHAT_TO_DO: Readonly<Record<string, string | ((now: string) => string)>> = {
  ENOTFOUND: 'there is no such name: check how the address is written',
  EAI_AGAIN: NO_NETWORK,
  ENETUNREACH: NO_NETWORK,
  ENETDOWN: NO_NETWORK,
  EHOSTUNREACH: NO_NETWORK,
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there: is it http:// and not https://?',
  CERT_NOT_YET_VALID: (now) =>
    `its certificate is not valid yet, because the clock of this device says ${now}: set the clock, or give the device a network with a time server`,
  CERT_HAS_EXPIRED: (now) =>
    `its certificate has expired, if the clock of this device is right (${now}): renew it at the cloud, or set the clock`,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for other names: check the address',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
};

/** @param of.nowMs what the wall clock of this device says */
export function unreachableText(url: string, of: { cause: unknown; nowMs: number }): string {
  const now = new Date(of.nowMs).toISOString();
  const todo = codesOf(of.cause).flatMap((code) => WHAT_TO_DO[code] ?? [])[0] ?? CHECK;
  return `${url} did not answer (${errorText(of.cause)}): ${typeof todo === 'string' ? todo : todo(now)}`;
}

/** The codes of an error and of what lies behind it, the innermost first: it says most. */
function codesOf(thrown: unknown): string[] {
  if (!(thrown instanceof Error)) return [];
  const within = thrown instanceof AggregateError ? thrown.errors : [thrown.cause];
  const own = 'code' in thrown && typeof thrown.code === 'string' ? [thrown.code] : [];
  return [...within.flatMap(codesOf), ...own];
}
