/**
 * Has products refuse gateways that are gone: whichever gateway hears a product carries the admin record that raises the generation of the
 * slot, again and again until the product has confirmed it.
 */
import type { GatewayUuid } from '../../../shared/ids.js';
import { groupBy } from '../../../shared/grouping.js';
import {
  pendingRevocationsOf,
  saveRevocationAnswered,
  saveRevocationSent,
  type SlotRevocation,
} from '../gateway/slot-revocation-queries.js';
import { GENERATION_MAX } from '../../../shared/product-protocol/token-codec.js';
import type { Row, Tx } from '../../kernel/entry.js';
import { type AdminSenderDeps, createAdminSender, isOnItsWay } from './admin-message.js';
import type { HeardProduct } from './denial-carrier.js';
import { nextAdminSerial } from './product-queries.js';

export interface RevocationCarrier {
  /**
   * Applies what the products of a gateway's report answered, and sends the gateway after the commit what they have still to be told. The
   * transaction holds the locks of their states.
   * @param asked.isTold products that are told something else just now; the next report tells them
   * @returns the products to which a revocation is on its way
   */
  answer(
    tx: Tx,
    asked: { uuid: GatewayUuid; heard: readonly HeardProduct[]; isTold: ReadonlySet<number> },
  ): Promise<number[]>;
}

export function createRevocationCarrier(deps: AdminSenderDeps): RevocationCarrier {
  const { clock, logger } = deps;
  const send = createAdminSender(deps, {
    sent: 'a product is told to refuse a gateway that is gone',
    notSent: 'a revocation could not be sent to a gateway',
    notMinted: 'a revocation could not be minted',
  });

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

  /** There is no record for a generation above the highest. The product remains among those that have not heard of it. */
  async function sayOfHopeless(tx: Tx, product: Row<'products'>, own: readonly SlotRevocation[]): Promise<void> {
    const now = clock.now();
    for (const revocation of own) {
      const { id, gateway_id: revoked_gateway_id, slot, generation } = revocation;
      if (generation <= GENERATION_MAX || isOnItsWay(revocation, now)) continue;
      await saveRevocationSent(tx, { id, sent_serial: null, now });
      const fields = { product_id: product.id, lot_id: product.lot_id, revoked_gateway_id, slot };
      tx.onCommit(() => logger.error(fields, 'a product cannot refuse a gateway that is gone: pair it anew'));
    }
  }

  return {
    async answer(tx, { uuid, heard, isTold }) {
      const onTheirWay: number[] = [];
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
        const waiting = own.filter((revocation) => revocation !== answered && revocation.generation <= GENERATION_MAX);
        await sayOfHopeless(tx, product, own);
        const [oldest] = waiting;
        if (oldest === undefined || isTold.has(product.id)) continue;
        onTheirWay.push(product.id);
        if (waiting.some((revocation) => isOnItsWay(revocation, now))) continue;
        const serial = await nextAdminSerial(tx, { id: product.id, now });
        await saveRevocationSent(tx, { id: oldest.id, sent_serial: serial, now });
        const { gateway_id: revoked_gateway_id, slot, generation } = oldest;
        const action = { kind: 'raise_gen', slot, gen: generation } as const;
        tx.onCommit(() => send({ uuid, product, record: { serial, action }, fields: { revoked_gateway_id, slot } }));
      }
      return onTheirWay;
    },
  };
}
