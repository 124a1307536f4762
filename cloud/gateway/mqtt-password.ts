/** The MQTT password of a gateway: 256 random bits, so that a fast hash is enough and 5,000 reconnects cost nothing. */
import { timingSafeEqual } from 'node:crypto';
import type { GatewayAuthenticator } from '../broker/broker.js';
import { hashToken } from '../secrets/secrets.js';
import type { CloudStore } from '../store/cloud-store.js';
import { findGatewayByUuid } from './gateway-queries.js';

/** Checks the user name and password of a connection attempt; rejects when the database fails. */
export function createGatewayAuthenticator(store: CloudStore): GatewayAuthenticator {
  return async (uuid, password) => {
    const gateway = await findGatewayByUuid(store.reader, uuid);
    const given = Buffer.from(hashToken(password), 'utf8');
    const stored = Buffer.from(gateway?.mqtt_password_hash ?? '', 'utf8');
    return stored.length === given.length && timingSafeEqual(stored, given);
  };
}
