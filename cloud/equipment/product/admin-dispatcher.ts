/**
 * Brings admin records to products: whichever gateway hears a product carries the record, again and again until the product has confirmed
 * it, and one record at a time to each product. What the records tell is the gateways and the credentials that a product has to refuse.
 */
import { type GatewayUuid, gatewayUuidSchema } from '../../../shared/ids.js';
import { groupBy } from '../../../shared/grouping.js';
import { findGatewayUuid } from '../gateway/gateway-queries.js';
import { productsToWarnOf } from '../gateway/slot-revocation-queries.js';
import { type CloudStore, LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';
import {
  type AdminContent,
  denialContent,
  type HeardProduct,
  type Pending,
  revocationContent,
} from './admin-contents.js';
import { type AdminSenderDeps, createAdminSender } from './admin-message.js';
import type { ProductReceptions } from './product-receptions.js';
import { findProduct, nextAdminSerial } from './product-queries.js';

export interface AdminDispatcher {
  /**
   * Applies what the products of a gateway's report answered, and sends the gateway what they have still to be told. The transaction holds the
   * locks of their states.
   * @param asked.isBusy products that are told something else just now; the next report tells them
   */
  answer(tx: Tx, asked: ProductAnswers): Promise<void>;
  /** Tells products at once which credentials to refuse, if a gateway hears them; else the next report does. Call it after a commit. */
  sendDenials(product_ids: Iterable<number>): void;
  /** Has the other gateways tell the products that they hear to refuse the device that this gateway had. Call it after a commit. */
  sendRevocations(gateway_id: number): void;
  close(): Promise<void>;
}

interface ProductAnswers {
  uuid: GatewayUuid;
  heard: readonly HeardProduct[];
  isBusy: ReadonlySet<number>;
}

export interface AdminDispatcherDeps extends AdminSenderDeps {
  store: Pick<CloudStore, 'change' | 'reader'>;
  receptions: Pick<ProductReceptions, 'recent'>;
}

export function createAdminDispatcher(deps: AdminDispatcherDeps): AdminDispatcher {
  const { store, receptions, logger } = deps;
  const revocations = createAdminQueue(deps, revocationContent(deps));
  const denials = createAdminQueue(deps, denialContent(deps));
  let sending: Promise<void> = Promise.resolve();

  /** @param but the gateway that is gone, or that another device is claimed as just now */
  async function sendOne(queue: AdminQueue, product_id: number, but?: number): Promise<void> {
    const heardBy = await receptions.recent(store.reader, product_id);
    const nearest = heardBy.find(({ gateway_id }) => gateway_id !== but);
    if (nearest === undefined) return;
    await store.change(async (tx) => {
      await tx.lock(LOCKS.productState(product_id));
      const product = await findProduct(tx, product_id);
      const uuid = gatewayUuidSchema.safeParse(await findGatewayUuid(tx, nearest.gateway_id));
      if (product === undefined || !uuid.success || (await revocations.isUnderWay(tx, product_id))) return;
      await queue.sendPending(tx, { uuid: uuid.data, product });
    });
  }

  async function sendAll(queue: AdminQueue, product_ids: Iterable<number>, but?: number): Promise<void> {
    for (const product_id of new Set(product_ids)) {
      await sendOne(queue, product_id, but).catch((error: unknown) => {
        logger.error({ err: error, product_id }, 'a product could not be told what to refuse; a report does it');
      });
    }
  }

  return {
    async answer(tx, asked) {
      const busy = await revocations.answer(tx, asked);
      await denials.answer(tx, { ...asked, isBusy: new Set([...asked.isBusy, ...busy]) });
    },
    sendDenials(product_ids) {
      const wanted = [...product_ids];
      sending = sending.then(() => sendAll(denials, wanted));
    },
    sendRevocations(gateway_id) {
      sending = sending
        .then(async () => sendAll(revocations, await productsToWarnOf(store.reader, gateway_id), gateway_id))
        .catch((error: unknown) =>
          logger.error({ err: error, gateway_id }, 'products could not be told of a gateway; reports do it'),
        );
    },
    close: () => sending,
  };
}

interface Recipient {
  uuid: GatewayUuid;
  product: Row<'products'>;
}

interface AdminQueue {
  /** @returns the products that a record of this content is on its way to, or would be sent to now */
  answer(tx: Tx, asked: ProductAnswers): Promise<number[]>;
  sendPending(tx: Tx, to: Recipient): Promise<void>;
  isUnderWay(tx: Tx, product_id: number): Promise<boolean>;
}

/** Carries the records of one kind of content. */
function createAdminQueue<P extends Pending>(deps: AdminSenderDeps, content: AdminContent<P>): AdminQueue {
  const { clock } = deps;
  const sendRecord = createAdminSender(deps, content.words);
  const isUnderWay = (pending: readonly P[], now: number) => pending.some((each) => content.isUnderWay(each, now));

  /** Sends the oldest of a product's pending records, unless one is on its way. */
  async function send(tx: Tx, { uuid, product }: Recipient, pending: readonly P[]): Promise<void> {
    const now = clock.now();
    const [oldest] = pending;
    if (oldest === undefined || product.master_key_sealed === null || isUnderWay(pending, now)) return;
    const serial = await nextAdminSerial(tx, { id: product.id, now });
    await content.saveSent(tx, oldest, { serial, now });
    const { action, fields } = content.orderOf(oldest);
    tx.onCommit(() => sendRecord({ uuid, product, record: { serial, action }, fields }));
  }

  return {
    async answer(tx, { uuid, heard, isBusy }) {
      const ids = heard.map(({ product }) => product.id);
      const pending = groupBy(await content.pendingOf(tx, ids, clock.now()), ({ product_id }) => product_id);
      const busy: number[] = [];
      for (const each of heard) {
        const { product, report } = each;
        const own = pending.get(product.id);
        if (own === undefined) continue;
        const answered = own.find(({ sent_serial }) => sent_serial !== null && sent_serial === report.admin?.serial);
        const left = await content.settle(tx, each, { own, answered });
        if (left.length === 0 || isBusy.has(product.id)) continue;
        busy.push(product.id);
        await send(tx, { uuid, product }, left);
      }
      return busy;
    },
    async sendPending(tx, to) {
      await send(tx, to, await content.pendingOf(tx, [to.product.id], clock.now()));
    },
    async isUnderWay(tx, product_id) {
      const now = clock.now();
      return isUnderWay(await content.pendingOf(tx, [product_id], now), now);
    },
  };
}
