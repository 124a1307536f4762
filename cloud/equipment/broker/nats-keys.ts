/**
 * The keys that a NATS cluster trusts: Ed25519, written as NATS does (nkeys). All are derived from the server key, so that they
 * are stored nowhere, and every process of one cloud has the same.
 */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Secrets } from '../../kernel/secrets/entry.js';

/** The kind of a key's holder (operator, account, user); the key's text begins with O, A or U. */
const KINDS = { operator: 14 << 3, account: 0, user: 20 << 3 } as const;
type Kind = keyof typeof KINDS;

export interface NatsKey {
  /** The public key as text: 56 letters and digits. */
  readonly id: string;
  /** Returns the signature as base64url. */
  sign(text: string): string;
}

export interface NatsKeys {
  /** Signs accounts. */
  readonly operator: NatsKey;
  /** Has the servers' own events and orders. */
  readonly systemAccount: NatsKey;
  /** Has all gateways and the cloud. */
  readonly account: NatsKey;
  /** Signs the tokens of gateways. A gateway whose token it signed has the topics of its template and no others. */
  readonly gatewaySigner: NatsKey;
  /** The cloud as an MQTT client. */
  readonly cloudUser: NatsKey;
  /** The cloud's user that gives orders to the servers. */
  readonly systemUser: NatsKey;
  /** The password by which the servers of a cluster recognise each other. */
  readonly routePassword: string;
}

/** DER header of the seed of an Ed25519 private key (RFC 8410). */
const ED25519_PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');
const RAW_KEY_BYTES = 32;
const BASE32_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function createNatsKeys(derive: Secrets['derive']): NatsKeys {
  const key = (kind: Kind, use: string) => keyOfSeed(kind, derive('nats_key', use));
  return {
    operator: key('operator', 'operator'),
    systemAccount: key('account', 'system account'),
    account: key('account', 'account'),
    gatewaySigner: key('account', 'gateway signer'),
    cloudUser: key('user', 'cloud'),
    systemUser: key('user', 'system'),
    routePassword: derive('nats_key', 'route password').toString('base64url'),
  };
}

/**
 * The user id under which NATS knows, and revokes, the holder of a gateway's password. It is made of the password's hash instead of a key,
 * because a gateway has no key to sign with.
 * @param passwordHash hex SHA-256 (`hashToken`)
 */
export function gatewayUserId(passwordHash: string): string {
  return keyText('user', Buffer.from(passwordHash, 'hex'));
}

function keyOfSeed(kind: Kind, seed: Uint8Array): NatsKey {
  const privateKey = createPrivateKey({
    key: Buffer.concat([ED25519_PKCS8_HEADER, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return {
    id: keyText(kind, publicKey.subarray(-RAW_KEY_BYTES)),
    sign: (text) => sign(null, Buffer.from(text, 'utf8'), privateKey).toString('base64url'),
  };
}

function keyText(kind: Kind, raw: Uint8Array): string {
  const bytes = Buffer.concat([Buffer.from([KINDS[kind]]), raw]);
  const checksum = crc16(bytes);
  return base32(Buffer.concat([bytes, Buffer.from([checksum & 0xff, checksum >> 8])]));
}

/** CRC-16/XMODEM */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ ((crc & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff;
  }
  return crc;
}

/** RFC 4648, without padding. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32_LETTERS[(value >>> bits) & 31] ?? '';
    }
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + (BASE32_LETTERS[(value << (5 - bits)) & 31] ?? '');
}
