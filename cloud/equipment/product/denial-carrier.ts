/**
 * Brings denials of credentials to products: any gateway that hears the product carries an admin record, one at a time to each product, until
 * the product has confirmed it. A product that can deny no further id raises the generation of the guests' slot instead, and the cloud with
 * it.
 */
import { type GatewayUuid, gatewayUuidSchema } from '../../../shared/ids.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import { groupBy } from '../../../shared/grouping.js';
import type { AdminAction } from '../../../shared/product-protocol/admin-record.js';
import { GENERATION_MAX, NO_EXPIRY_S, SLOTS } from '../../../shared/product-protocol/token-codec.js';
import type { ProductReport } from '../../../shared/uplink-reports.js';
import { findGatewayUuid } from '../gateway/gateway-queries.js';
import { pendingRevocationsOf } from '../gateway/slot-revocation-queries.js';
import {
  pendingDenialsOf,
  saveDenialDelivered,
  saveDenialRefused,
  saveDenialSent,
  saveDenialsRaised,
  type TokenDenial,
} from '../key/denial-queries.js';
import { type CloudStore, LOCKS, type Row, type Tx } from '../../kernel/entry.js';
import { type AdminSenderDeps, createAdminSender, DELIVERED_WITHIN_MS, isOnItsWay } from './admin-message.js';
import type { ProductReceptions } from './product-receptions.js';
import { findProduct, nextAdminSerial, saveGuestGeneration } from './product-queries.js';

const REPEATED_AFTER_MAX_MS = 15 * 60_000;

export interface DenialCarrier {
  /**
   * Applies what the products of a gateway's report answered, and sends the gateway what they have still to be told. The transaction holds the
   * locks of their states.
   * @param asked.isTold products that are told something else just now; the next report tells them
   */
  answer(
    tx: Tx,
    asked: { uuid: GatewayUuid; heard: readonly HeardProduct[]; isTold: ReadonlySet<number> },
  ): Promise<void>;
  /** Tells products at once what is pending, if a gateway hears them; else the next report does. Call it after a commit. */
  tell(product_ids: Iterable<number>): void;
  close(): Promise<void>;
}

/** A product that a gateway reported as online. */
export interface HeardProduct {
  product: Row<'products'>;
  report: ProductReport;
}

export interface DenialCarrierDeps extends AdminSenderDeps {
  store: Pick<CloudStore, 'change' | 'reader'>;
  receptions: Pick<ProductReceptions, 'recent'>;
}

export function createDenialCarrier(deps: DenialCarrierDeps): DenialCarrier {
  const { store, receptions, clock, logger } = deps;
  const sendRecord = createAdminSender(deps, {
    sent: 'a product is told to refuse the credentials of a key',
    notSent: 'a denial could not be sent to a gateway',
    notMinted: 'a denial could not be minted',
  });
  let telling: Promise<void> = Promise.resolve();

  /** Sends the oldest of a product's pending denials, unless one is on its way. */
  async function send(
    tx: Tx,
    { uuid, product, pending }: { uuid: GatewayUuid; product: Row<'products'>; pending: readonly TokenDenial[] },
  ): Promise<void> {
    const now = clock.now();
    const isUnderWay = ({ sent_at, sent_count }: TokenDenial) =>
      sent_at !== null && now - sent_at < repeatedAfterMs(sent_count);
    const [oldest] = pending;
    if (oldest === undefined || product.master_key_sealed === null || pending.some(isUnderWay)) return;
    const serial = await nextAdminSerial(tx, { id: product.id, now });
    await saveDenialSent(tx, { id: oldest.id, sent_serial: serial, sent_count: oldest.sent_count + 1, now });
    tx.onCommit(() => sendRecord({ uuid, product, record: { serial, action: actionOf(oldest) } }));
  }

  /** @returns whether something of the product's denials changed */
  async function applyAnswer(tx: Tx, { product, report }: HeardProduct, pending: readonly TokenDenial[]) {
    const answered = pending.find(({ sent_serial }) => sent_serial !== null && sent_serial === report.admin?.serial);
    if (answered === undefined || report.admin === undefined) return false;
    const now = clock.now();
    const { error_type } = report.admin;
    const fields = { product_id: product.id, lot_id: product.lot_id, operation_token_id: answered.operation_token_id };
    if (error_type === null) {
      await saveDenialDelivered(tx, { ...answered, now });
      tx.onCommit(() => logger.info(fields, 'a product has confirmed that it refuses the credentials of a key'));
      return true;
    }
    if (error_type === GATEWAY_ERROR.UNKNOWN && answered.generation === null) {
      await raise(tx, product, answered);
      return true;
    }
    await saveDenialRefused(tx, { id: answered.id, now });
    tx.onCommit(() =>
      logger.warn({ ...fields, type: error_type }, 'a product did not accept a denial; it is told again'),
    );
    return true;
  }

  /** The product may have raised its generation once for each record that denied the id, of which only the last answer was heard. */
  async function raise(tx: Tx, product: Row<'products'>, denial: TokenDenial): Promise<void> {
    const generation = product.guest_generation + Math.max(1, denial.sent_count);
    const fields = { product_id: product.id, lot_id: product.lot_id };
    if (generation > GENERATION_MAX) {
      const message = 'a product can deny no further credentials: pair it anew';
      tx.onCommit(() => logger.error(fields, message));
      return;
    }
    await saveGuestGeneration(tx, { id: product.id, guest_generation: generation });
    await saveDenialsRaised(tx, { product_id: product.id, generation, now: clock.now() });
    tx.onCommit(() => logger.warn(fields, "a product's list of denied ids is full: all its keys get new credentials"));
  }

  const pendingOf = (tx: Tx, ids: readonly number[]) => pendingDenialsOf(tx, { product_ids: ids, now: clock.now() });

  async function tellOne(product_id: number): Promise<void> {
    const [nearest] = await receptions.recent(store.reader, product_id);
    if (nearest === undefined) return;
    await store.change(async (tx) => {
      await tx.lock(LOCKS.productState(product_id));
      const product = await findProduct(tx, product_id);
      const uuid = gatewayUuidSchema.safeParse(await findGatewayUuid(tx, nearest.gateway_id));
      if (product === undefined || !uuid.success) return;
      const revocations = await pendingRevocationsOf(tx, [product_id]);
      if (revocations.some((each) => isOnItsWay(each, clock.now()))) return;
      await send(tx, { uuid: uuid.data, product, pending: await pendingOf(tx, [product_id]) });
    });
  }

  return {
    async answer(tx, { uuid, heard, isTold }) {
      const ids = heard.map(({ product }) => product.id);
      const pending = groupBy(await pendingOf(tx, ids), ({ product_id }) => product_id);
      for (const each of heard) {
        const { product } = each;
        const own = pending.get(product.id);
        if (own === undefined) continue;
        const isChanged = await applyAnswer(tx, each, own);
        if (isTold.has(product.id)) continue;
        await send(tx, { uuid, product, pending: isChanged ? await pendingOf(tx, [product.id]) : own });
      }
    },
    tell(product_ids) {
      const wanted = [...new Set(product_ids)];
      telling = telling.then(async () => {
        for (const product_id of wanted) {
          await tellOne(product_id).catch((error: unknown) => {
            logger.error({ err: error, product_id }, 'a product could not be told what to refuse; a report does it');
          });
        }
      });
    },
    close: () => telling,
  };
}

/** A product runs on a battery: one that does not obey is asked less and less often. */
function repeatedAfterMs(sentCount: number): number {
  return Math.min(DELIVERED_WITHIN_MS * 2 ** Math.max(0, sentCount - 1), REPEATED_AFTER_MAX_MS);
}

function actionOf({ generation, credential_id, ends_at }: TokenDenial): AdminAction {
  if (generation !== null) return { kind: 'raise_gen', slot: SLOTS.guests, gen: generation };
  return { kind: 'deny', id: credential_id, expiresS: ends_at === null ? NO_EXPIRY_S : Math.floor(ends_at / 1_000) };
}
