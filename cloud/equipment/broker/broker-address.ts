/** The address of an external broker, and the error that explains why it cannot be used. */
import { errorText } from '../../../shared/error-text.js';

export interface BrokerAddress {
  /** MQTT_URL: `mqtt://` or `mqtts://`, with user and password. */
  url: string;
  /** The same without user and password, as people and gateways see it. */
  shown: string;
  /** The authority of its certificate, PEM; null: what this machine trusts. */
  ca: string | null;
}

/** @param url a valid MQTT_URL */
export function brokerAddress(url: string, ca: string | null): BrokerAddress {
  const { protocol, host } = new URL(url);
  return { url, shown: `${protocol}//${host}`, ca };
}

/** Hints by the error codes of Node.js. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there. Start the broker, or correct MQTT_URL',
  ENOTFOUND: 'the name of the host is not known. Correct MQTT_URL',
  EAI_AGAIN: 'the name of the host cannot be looked up now. Correct MQTT_URL, or try again',
  ETIMEDOUT: 'the host does not answer. Correct MQTT_URL, or let this machine through its firewall',
  EHOSTUNREACH: 'the host does not answer. Correct MQTT_URL, or let this machine through its firewall',
  ECONNRESET: 'it ends the connection. Is it an MQTT broker, and is mqtt:// or mqtts:// right in MQTT_URL?',
  CERT_HAS_EXPIRED: 'its certificate has expired. Renew it',
  CERT_NOT_YET_VALID:
    "its certificate is not valid yet. Correct the clock of this machine or of the certificate's maker",
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is of another name. Use that in MQTT_URL, or have one issued for this one',
};
const WRONG_AUTHORITY =
  'its certificate is of an authority that is not trusted. Name the file of that authority in MQTT_CA';
const AUTHORITY_CODES = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);
/** CONNACK codes (MQTT 3.1.1, table 3.1). */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [3, 'it is not ready. Try again in a moment'],
  [4, 'it refuses user and password. Correct them in MQTT_URL'],
  [5, 'it refuses user and password. Correct them in MQTT_URL'],
]);

/** The broker cannot be used: says why, and what to do. */
export class BrokerError extends Error {}

export function brokerError({ shown }: BrokerAddress, error: unknown): BrokerError {
  return new BrokerError(`Cannot use the broker ${shown} (MQTT_URL): ${reasonOf(error)}.`, { cause: error });
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return REFUSALS.get(code) ?? `it refuses the connection (code ${code})`;
  if (typeof code !== 'string') return errorText(error);
  if (AUTHORITY_CODES.has(code)) return WRONG_AUTHORITY;
  // A listener without TLS answers a handshake with bytes that are none.
  if (code.startsWith('ERR_SSL')) return 'it does not speak TLS there. Correct the port, or use mqtt:// in MQTT_URL';
  return REASONS[code] ?? errorText(error);
}
