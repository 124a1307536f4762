/** The signed tokens (JWTs) that a NATS cluster knows its operator, its accounts and their users by. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { type GatewayUuid, gatewayUuidSchema } from '../../../shared/ids.js';
import { UP_CHANNELS } from '../../../shared/topics.js';
import { hashToken } from '../../kernel/secrets/entry.js';
import type { GatewayCredential } from './broker-accounts.js';
import { base32, gatewayUserId, type NatsKey, type NatsKeys } from './nats-keys.js';
import { parseJson } from '../../../shared/json-text-codec.js';

/** Users that may no longer connect, each with the time in seconds until which their tokens are void. */
export type Revocations = Readonly<Record<string, number>>;

/** Tokens that are derived from the server key alone contain no time, and are the same text each time. */
const TIMELESS_S = 1;
const NO_LIMITS = { subs: -1, data: -1, payload: -1 };
const ACCOUNT_LIMITS = { ...NO_LIMITS, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
/** MQTT keeps sessions and retained messages in streams. */
const STREAM_LIMITS = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
/** The topics that a gateway may use: its own up topics and `gatewaySubscriptions`, as NATS writes topics; `name()` is its uuid. */
const GATEWAY_TEMPLATE = {
  pub: { allow: UP_CHANNELS.map((channel) => `gw.{{name()}}.up.${channel}`) },
  sub: { allow: ['gw.{{name()}}.down.*', 'gw.{{name()}}.up.presence'] },
  ...NO_LIMITS,
  bearer_token: true,
  allowed_connection_types: ['MQTT'],
};

interface Claims {
  iat: number;
  sub: string;
  name: string;
  nats: Record<string, unknown>;
}

export function operatorToken({ operator, systemAccount }: NatsKeys): string {
  const nats = { system_account: systemAccount.id, type: 'operator', version: 2 };
  return signed(operator, { iat: TIMELESS_S, sub: operator.id, name: 'parking-cloud', nats });
}

export function systemAccountToken({ operator, systemAccount }: NatsKeys): string {
  const nats = { limits: ACCOUNT_LIMITS, type: 'account', version: 2 };
  return signed(operator, { iat: TIMELESS_S, sub: systemAccount.id, name: 'SYS', nats });
}

/** @param issuedS seconds since 1970; servers keep the token with the highest. Left out: the one to begin with */
export function accountToken(keys: NatsKeys, revocations: Revocations = {}, issuedS: number = TIMELESS_S): string {
  const nats = {
    limits: { ...ACCOUNT_LIMITS, ...STREAM_LIMITS },
    signing_keys: [{ kind: 'user_scope', key: keys.gatewaySigner.id, role: 'gateway', template: GATEWAY_TEMPLATE }],
    revocations,
    type: 'account',
    version: 2,
  };
  return signed(keys.operator, { iat: issuedS, sub: keys.account.id, name: 'gateways', nats });
}

/** The MQTT password of a gateway. */
export function gatewayToken(keys: NatsKeys, { uuid, password }: GatewayCredential): string {
  const nats = { issuer_account: keys.account.id, type: 'user', version: 2 };
  return signed(keys.gatewaySigner, { iat: TIMELESS_S, sub: gatewayUserId(hashToken(password)), name: uuid, nats });
}

/** The MQTT password of the cloud, which reaches all topics of gateways. */
export function cloudToken({ account, cloudUser }: NatsKeys): string {
  const nats = {
    pub: { allow: ['gw.>'] },
    sub: { allow: ['gw.>'] },
    ...NO_LIMITS,
    bearer_token: true,
    allowed_connection_types: ['MQTT'],
    type: 'user',
    version: 2,
  };
  return signed(account, { iat: TIMELESS_S, sub: cloudUser.id, name: 'parking-cloud', nats });
}

/** The token of the cloud's connection for orders to the servers. The connection also has to sign the server's challenge. */
export function systemToken({ systemAccount, systemUser }: NatsKeys): string {
  const nats = { ...NO_LIMITS, allowed_connection_types: ['STANDARD'], type: 'user', version: 2 };
  return signed(systemAccount, { iat: TIMELESS_S, sub: systemUser.id, name: 'parking-cloud', nats });
}

const accountSchema = z.object({
  iat: z.number(),
  iss: z.string(),
  sub: z.string(),
  nats: z.object({ type: z.literal('account'), revocations: z.record(z.string(), z.number()).default({}) }),
});

/** Reads the token of the gateways' account that a server holds; null: it is another one. The server checked its signature. */
export function readAccountToken(keys: NatsKeys, token: string): { issuedS: number; revocations: Revocations } | null {
  const { success, data } = accountSchema.safeParse(claimsOf(token));
  if (!success || data.sub !== keys.account.id || data.iss !== keys.operator.id) return null;
  return { issuedS: data.iat, revocations: data.nats.revocations };
}

const gatewaySchema = z.object({ iss: z.string(), sub: z.string(), name: gatewayUuidSchema });

/** Reads the token of a connected gateway; null: it is no gateway. The server checked its signature. */
export function readGatewayToken(keys: NatsKeys, token: string): { uuid: GatewayUuid; userId: string } | null {
  const { success, data } = gatewaySchema.safeParse(claimsOf(token));
  return success && data.iss === keys.gatewaySigner.id ? { uuid: data.name, userId: data.sub } : null;
}

const claimsOf = (token: string): unknown =>
  parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

function signed(issuer: NatsKey, claims: Claims): string {
  const body = { ...claims, iss: issuer.id };
  const jti = base32(hash('sha512-256', JSON.stringify(body), 'buffer'));
  const text = [
    { typ: 'JWT', alg: 'ed25519-nkey' },
    { ...body, jti },
  ]
    .map((part) => Buffer.from(JSON.stringify(part), 'utf8').toString('base64url'))
    .join('.');
  return `${text}.${issuer.sign(text)}`;
}
