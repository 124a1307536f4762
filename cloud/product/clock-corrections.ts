/**
 * Corrects clocks of products that are further off than a gateway may set them: the cloud mints an admin record with its own time for the
 * exchange that the gateway names, and the gateway delivers it.
 */
import type { GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import type { ProductReport } from '../../shared/uplink-reports.js';
import type { Broker } from '../broker/broker.js';
import type { Tx } from '../store/cloud-store.js';
import type { Row } from '../store/schema.js';
import { adminMessage, type AdminMessageDeps, DELIVERED_WITHIN_MS } from './admin-message.js';
import { nextAdminSerial, saveClockRecordMade } from './product-queries.js';

export interface ClockCorrections {
  /** Sends the gateway a record after the commit, if its report asks for one. The transaction holds the lock of the product's state. */
  answer(tx: Tx, asked: { uuid: GatewayUuid; product: Row<'products'>; report: ProductReport }): Promise<void>;
}

export function createClockCorrections(
  deps: AdminMessageDeps & { broker: Pick<Broker, 'publish'>; logger: Logger },
): ClockCorrections {
  const { broker, clock, logger } = deps;

  function send(uuid: GatewayUuid, product: Row<'products'>, record: { serial: number; nonce: number }): void {
    const fields = { uuid, product_id: product.id, lot_id: product.lot_id };
    const { master_key_sealed } = product;
    if (master_key_sealed === null) return;
    try {
      const { serial, nonce } = record;
      const action = { kind: 'clock', timeS: Math.floor(clock.now() / 1_000), nonce } as const;
      const message = adminMessage(deps, { ...product, master_key_sealed }, { serial, action });
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
      const { id, clock_record_at, master_key_sealed } = product;
      if (nonce === null || master_key_sealed === null) return;
      if (clock_record_at !== null && now - clock_record_at < DELIVERED_WITHIN_MS) return;
      const serial = await nextAdminSerial(tx, { id, now });
      await saveClockRecordMade(tx, { id, now });
      tx.onCommit(() => send(uuid, product, { serial, nonce }));
    },
  };
}
