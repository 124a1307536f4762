/**
 * Corrects clocks of products that are further off than a gateway may set them: the cloud mints an admin record with its own time for the
 * exchange that the gateway names, and the gateway delivers it.
 */
import type { Clock } from '../../shared/clock.js';
import { type GatewayUuid, productDeviceIdSchema } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { encodeAdminRecord } from '../../shared/product-protocol/admin-record.js';
import { encodeBase64url } from '../../shared/product-protocol/base64url.js';
import { deriveProductKeys } from '../../shared/product-protocol/keys.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import type { AdminMessage } from '../../shared/uplink-orders.js';
import type { ProductReport } from '../../shared/uplink-reports.js';
import type { Broker } from '../broker/broker.js';
import type { Secrets } from '../secrets/secrets.js';
import type { Tx } from '../store/cloud-store.js';
import type { Row } from '../store/schema.js';
import { saveClockRecordMade } from './product-queries.js';

/** A gateway has this long to deliver a record; before that, no gateway gets another one. */
const DELIVERED_WITHIN_MS = 60_000;

export interface ClockCorrections {
  /** Sends the gateway a record after the commit, if its report asks for one. The transaction holds the lock of the product's state. */
  answer(tx: Tx, asked: { uuid: GatewayUuid; product: Row<'products'>; report: ProductReport }): Promise<void>;
}

export function createClockCorrections(deps: {
  broker: Pick<Broker, 'publish'>;
  secrets: Pick<Secrets, 'open'>;
  crypto: ProtocolCrypto;
  clock: Clock;
  logger: Logger;
}): ClockCorrections {
  const { broker, secrets, crypto, clock, logger } = deps;

  function messageOf(
    product: Row<'products'>,
    sealed: string,
    record: { serial: number; nonce: number },
  ): AdminMessage {
    const identity = {
      deviceId: productDeviceIdSchema.parse(product.device_id),
      pairingEpoch: product.pairing_epoch,
    };
    const masterKey = secrets.open('product_master_key', sealed);
    const { admin: adminKey } = deriveProductKeys(crypto, { masterKey, ...identity });
    const { serial, nonce } = record;
    const now = clock.now();
    const action = { kind: 'clock', timeS: Math.floor(now / 1_000), nonce } as const;
    return {
      device_id: identity.deviceId,
      record: encodeBase64url(encodeAdminRecord(crypto, { adminKey, identity, record: { serial, action } })),
      deadline_ms: now + DELIVERED_WITHIN_MS,
    };
  }

  function send(uuid: GatewayUuid, product: Row<'products'>, record: { serial: number; nonce: number }): void {
    const fields = { uuid, product_id: product.id, lot_id: product.lot_id };
    if (product.master_key_sealed === null) return;
    try {
      const message = messageOf(product, product.master_key_sealed, record);
      broker.publish(uuid, 'admin', JSON.stringify(message)).catch((error: unknown) => {
        logger.warn({ ...fields, err: error }, 'a clock record could not be sent to a gateway');
      });
      logger.info(fields, "clock record sent: the product's clock is wrong");
    } catch (error) {
      logger.error({ ...fields, err: error }, 'a clock record could not be minted');
    }
  }

  return {
    async answer(tx, { uuid, product, report }) {
      const nonce = report.wrong_clock?.nonce ?? null;
      const now = clock.now();
      const { id, admin_serial, clock_record_at, master_key_sealed } = product;
      if (nonce === null || master_key_sealed === null) return;
      if (clock_record_at !== null && now - clock_record_at < DELIVERED_WITHIN_MS) return;
      // A database that was restored from a backup goes on above what the product has seen.
      const serial = Math.max(admin_serial + 1, Math.floor(now / 1_000));
      await saveClockRecordMade(tx, { id, admin_serial: serial, clock_record_at: now });
      tx.onCommit(() => send(uuid, product, { serial, nonce }));
    },
  };
}
