/** The MQTT password of a gateway: 256 random bits, so that a fast hash is enough and 5,000 reconnects cost nothing. */
import { timingSafeEqual } from 'node:crypto';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { GatewayCredential, GatewayCredentials } from '../broker/broker-accounts.js';
import type { GatewayAuthenticator } from '../broker/broker.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { hashToken, type Secrets } from '../../kernel/secrets/entry.js';
import { claimedGateways, findGatewayByUuid, type GatewayRow } from './gateway-queries.js';

/** The parts from which the password is derived. */
interface PasswordParts {
  id: number;
  uuid: string;
  public_key: string;
  claimed_code_hash: string;
}

/** Derives the password of a gateway, which is always the same. */
export function mqttPassword(secrets: Pick<Secrets, 'derive'>, parts: PasswordParts): string {
  const { id, uuid, public_key, claimed_code_hash } = parts;
  return secrets.derive('mqtt_password', String(id), uuid, public_key, claimed_code_hash).toString('base64url');
}

/** Checks the user name and password of a connection attempt; rejects when the database fails. */
export function createGatewayAuthenticator(store: CloudStore): GatewayAuthenticator {
  return async (uuid, password) => {
    const gateway = await findGatewayByUuid(store.reader, uuid);
    const given = Buffer.from(hashToken(password), 'utf8');
    const stored = Buffer.from(gateway?.mqtt_password_hash ?? '', 'utf8');
    return stored.length === given.length && timingSafeEqual(stored, given);
  };
}

/** Derives the passwords of all claimed gateways, for an external broker. */
export function createGatewayCredentials(deps: {
  store: Pick<CloudStore, 'reader'>;
  secrets: Pick<Secrets, 'derive'>;
  logger: Logger;
}): GatewayCredentials {
  const { store, secrets, logger } = deps;

  function credentialOf(row: GatewayRow): GatewayCredential | null {
    const uuid = gatewayUuidSchema.safeParse(row.uuid);
    if (!uuid.success || row.mqtt_password_hash === null) return null;
    const { id, public_key, claimed_code_hash } = row;
    if (public_key !== null && claimed_code_hash !== null) {
      const password = mqttPassword(secrets, { id, uuid: uuid.data, public_key, claimed_code_hash });
      if (hashToken(password) === row.mqtt_password_hash) return { uuid: uuid.data, password };
    }
    logger.warn({ uuid: row.uuid }, 'a gateway has to be claimed anew: its broker password cannot be made again');
    return null;
  }

  return {
    async find(uuid) {
      const row = await findGatewayByUuid(store.reader, uuid);
      return row === undefined ? null : credentialOf(row);
    },
    async list() {
      const rows = await claimedGateways(store.reader);
      return rows.flatMap((row) => credentialOf(row) ?? []);
    },
  };
}
