/**
 * Has products refuse gateways that are gone: whichever gateway hears a product carries the admin record that raises the generation of the
 * slot, again and again until the product has confirmed it.
 */
import type { GatewayUuid } from '../../shared/ids.js';
import { groupBy } from '../../shared/grouping.js';
import type { Logger } from '../../shared/logger.js';
import type { Broker } from '../broker/broker.js';
import {
  pendingRevocationsOf,
  saveRevocationAnswered,
  saveRevocationSent,
  type SlotRevocation,
} from '../gateway/slot-revocation-queries.js';
import type { Tx } from '../store/cloud-store.js';
import type { Row } from '../store/schema.js';
import { adminMessage, type AdminMessageDeps, DELIVERED_WITHIN_MS } from './admin-message.js';
import type { HeardProduct } from './denial-carrier.js';
import { nextAdminSerial } from './product-queries.js';

export interface RevocationCarrier {
  /**
   * Applies what the products of a gateway's report answered, and sends the gateway after the commit what they have still to be told. The
   * transaction holds the locks of their states.
   */
  answer(tx: Tx, asked: { uuid: GatewayUuid; heard: readonly HeardProduct[] }): Promise<void>;
}

export function createRevocationCarrier(
  deps: AdminMessageDeps & { broker: Pick<Broker, 'publish'>; logger: Logger },
): RevocationCarrier {
  const { broker, clock, logger } = deps;

  function publish(uuid: GatewayUuid, product: Row<'products'>, revocation: SlotRevocation, serial: number): void {
    const { gateway_id, slot, generation } = revocation;
    const fields = { uuid, product_id: product.id, lot_id: product.lot_id, revoked_gateway_id: gateway_id, slot };
    const { master_key_sealed } = product;
    if (master_key_sealed === null) return;
    try {
      const action = { kind: 'raise_gen', slot, gen: generation } as const;
      const message = adminMessage(deps, { ...product, master_key_sealed }, { serial, action });
      broker.publish(uuid, 'admin', JSON.stringify(message)).catch((error: unknown) => {
        logger.warn({ ...fields, err: error }, 'a revocation could not be sent to a gateway');
      });
      logger.info(fields, 'a product is told to refuse a gateway that is gone');
    } catch (error) {
      logger.error({ ...fields, err: error }, 'a revocation could not be minted');
    }
  }

  async function applyAnswer(tx: Tx, { product, report }: HeardProduct, sent: SlotRevocation): Promise<void> {
    const now = clock.now();
    const isTold = report.admin?.error_type === null;
    const fields = { product_id: product.id, lot_id: product.lot_id, revoked_gateway_id: sent.gateway_id };
    await saveRevocationAnswered(tx, { id: sent.id, told_at: isTold ? now : null, now });
    tx.onCommit(() => {
      if (isTold) logger.info(fields, 'a product has confirmed that it refuses a gateway that is gone');
      else logger.warn(fields, 'a product did not accept a revocation; it is told again');
    });
  }

  return {
    async answer(tx, { uuid, heard }) {
      const pendingNow = await pendingRevocationsOf(
        tx,
        heard.map(({ product }) => product.id),
      );
      const pending = groupBy(pendingNow, ({ product_id }) => product_id);
      for (const each of heard) {
        const { product, report } = each;
        const own = pending.get(product.id) ?? [];
        const answered = own.find(({ sent_serial }) => sent_serial !== null && sent_serial === report.admin?.serial);
        if (answered !== undefined) await applyAnswer(tx, each, answered);
        const now = clock.now();
        const isUnderWay = ({ sent_at }: SlotRevocation) => sent_at !== null && now - sent_at < DELIVERED_WITHIN_MS;
        const waiting = own.filter((revocation) => revocation !== answered);
        const [oldest] = waiting;
        if (oldest === undefined || waiting.some(isUnderWay)) continue;
        const serial = await nextAdminSerial(tx, { id: product.id, now });
        await saveRevocationSent(tx, { id: oldest.id, sent_serial: serial, now });
        tx.onCommit(() => publish(uuid, product, oldest, serial));
      }
    },
  };
}
