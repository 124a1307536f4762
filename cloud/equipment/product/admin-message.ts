/** Sends gateways the messages that ask them to bring an admin record to a product. */
import type { Clock } from '../../../shared/clock.js';
import { type GatewayUuid, productDeviceIdSchema } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { type AdminRecord, encodeAdminRecord } from '../../../shared/product-protocol/admin-record.js';
import { encodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import type { AdminMessage } from '../../../shared/uplink-orders.js';
import type { Broker } from '../broker/broker.js';
import type { Row } from '../../kernel/store/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';

/** A gateway has this long to deliver a record; before that, no gateway gets another one for the same reason. */
export const DELIVERED_WITHIN_MS = 60_000;

/** A record that did not reach its product is sent again this long after that, by whichever gateway hears the product then. */
export const UNREACHED_AGAIN_MS = 10_000;

/** Whether a gateway may still be delivering the record. */
export const isOnItsWay = ({ sent_at }: { sent_at: number | null }, now: number): boolean =>
  sent_at !== null && now - sent_at < DELIVERED_WITHIN_MS;

export interface AdminSenderDeps {
  broker: Pick<Broker, 'publish'>;
  secrets: Pick<Secrets, 'open'>;
  crypto: ProtocolCrypto;
  clock: Clock;
  logger: Logger;
}

/** The words of the log for a record of this purpose. */
export interface AdminWords {
  sent: string;
  notSent: string;
  notMinted: string;
}

/**
 * Mints the record and sends it; call it after the commit of the record's serial. What fails is logged: the caller sends another record
 * when no answer comes. A product without a master key gets none.
 */
export type SendAdminRecord = (order: {
  uuid: GatewayUuid;
  product: Row<'products'>;
  record: AdminRecord;
  /** Further fields for the log. */
  fields?: Readonly<Record<string, unknown>>;
}) => void;

export function createAdminSender(deps: AdminSenderDeps, words: AdminWords): SendAdminRecord {
  const { broker, logger } = deps;
  return ({ uuid, product, record, fields: further }) => {
    const { id: product_id, lot_id, master_key_sealed } = product;
    if (master_key_sealed === null) return;
    const fields = { uuid, product_id, lot_id, serial: record.serial, ...further };
    try {
      const message = adminMessage(deps, { ...product, master_key_sealed }, record);
      broker.publish(uuid, 'admin', JSON.stringify(message)).catch((error: unknown) => {
        logger.warn({ ...fields, err: error }, words.notSent);
      });
      logger.info(fields, words.sent);
    } catch (error) {
      logger.error({ ...fields, err: error }, words.notMinted);
    }
  };
}

/** @throws Error when the server key does not open the product's master key */
function adminMessage(
  { secrets, crypto, clock }: AdminSenderDeps,
  product: Pick<Row<'products'>, 'device_id' | 'pairing_epoch'> & { master_key_sealed: string },
  record: AdminRecord,
): AdminMessage {
  const identity = { deviceId: productDeviceIdSchema.parse(product.device_id), pairingEpoch: product.pairing_epoch };
  const masterKey = secrets.open('product_master_key', product.master_key_sealed);
  const { admin: adminKey } = deriveProductKeys(crypto, { masterKey, ...identity });
  return {
    device_id: identity.deviceId,
    record: encodeBase64url(encodeAdminRecord(crypto, { adminKey, identity, record })),
    deadline_ms: clock.now() + DELIVERED_WITHIN_MS,
  };
}
