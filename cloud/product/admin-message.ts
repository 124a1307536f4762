/** The message that asks a gateway to bring an admin record to a product. */
import type { Clock } from '../../shared/clock.js';
import { productDeviceIdSchema } from '../../shared/ids.js';
import { type AdminRecord, encodeAdminRecord } from '../../shared/product-protocol/admin-record.js';
import { encodeBase64url } from '../../shared/product-protocol/base64url.js';
import { deriveProductKeys } from '../../shared/product-protocol/keys.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import type { AdminMessage } from '../../shared/uplink-orders.js';
import type { Secrets } from '../secrets/secrets.js';
import type { Row } from '../store/schema.js';

/** A gateway has this long to deliver a record; before that, no gateway gets another one for the same reason. */
export const DELIVERED_WITHIN_MS = 60_000;

export interface AdminMessageDeps {
  secrets: Pick<Secrets, 'open'>;
  crypto: ProtocolCrypto;
  clock: Clock;
}

/** @throws Error when the server key does not open the product's master key */
export function adminMessage(
  { secrets, crypto, clock }: AdminMessageDeps,
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
