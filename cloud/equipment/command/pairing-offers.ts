/**
 * Answers the offers of products in pairings. A label's secret is in the memory of the process that was asked for the pairing; the offer
 * comes to the process that hears the gateway, which tells the others of it.
 */
import { z } from 'zod';
import { eventIdSchema, gatewayUuidSchema } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import type { PairingOfferRecord } from '../../../shared/uplink.js';
import { type CloudStore, LOCKS, type Tx } from '../../kernel/store/entry.js';
import { findGatewayUuid } from '../gateway/gateway-queries.js';
import type { Pairings } from '../pairing/pairings.js';
import { findProduct } from '../product/product-queries.js';
import type { AttemptMessenger } from './attempt-messenger.js';
import { findCommand } from './command-queries.js';
import { PAIR } from './ordered-command.js';

/** What processes tell each other of: a product's offer. */
const OFFER = 'pairing_offer';
const offerSchema = z.object({
  gateway_id: z.number(),
  product_id: z.number(),
  event_id: eventIdSchema,
  offer: z.string(),
});

export interface ReceivedOffer {
  gateway_id: number;
  record: PairingOfferRecord;
}

export interface PairingOffers {
  /**
   * Answers a product's offer within the transaction that keeps its record; the answer is sent after the commit.
   * @returns false: that gateway never got such a pairing
   */
  apply(tx: Tx, received: ReceivedOffer): Promise<boolean>;
  close(): void;
}

export function createPairingOffers(deps: {
  store: CloudStore;
  pairings: Pick<Pairings, 'holds' | 'answer'>;
  messenger: Pick<AttemptMessenger, 'answerOffer'>;
  logger: Logger;
}): PairingOffers {
  const { store, pairings, messenger, logger } = deps;

  async function apply(tx: Tx, { gateway_id, record }: ReceivedOffer): Promise<boolean> {
    const { event_id, product_id, offer } = record;
    await tx.lock(LOCKS.command(event_id));
    const stored = await findCommand(tx, event_id);
    if (stored?.command.product_id !== product_id || stored.command.operation !== PAIR) return false;
    const attempt = stored.attempts.find((each) => each.gateway_id === gateway_id);
    if (attempt === undefined) return false;
    const product = await findProduct(tx, product_id);
    const uuid = gatewayUuidSchema.safeParse(await findGatewayUuid(tx, gateway_id));
    const isOver = stored.command.status !== 'pending' || attempt.outcome !== null;
    if (isOver || product === undefined || !uuid.success) return true;
    if (!pairings.holds(event_id)) {
      tx.onCommit(() => store.peers?.notify(OFFER, { gateway_id, product_id, event_id, offer }));
      return true;
    }
    const answer = await pairings.answer(tx, { event_id, product, offer });
    if (answer !== null) tx.onCommit(() => messenger.answerOffer(uuid.data, { event_id, answer }));
    return true;
  }

  const stop = store.peers?.onNotice(OFFER, (news) => {
    const notice = offerSchema.safeParse(news);
    if (!notice.success || !pairings.holds(notice.data.event_id)) return;
    const { gateway_id, ...record } = notice.data;
    store
      .change((tx) => apply(tx, { gateway_id, record: { kind: 'pairing_offer', ...record } }))
      .catch((error: unknown) => {
        logger.error({ event_id: record.event_id, err: error }, "a product's offer could not be answered");
      });
  });
  return { apply, close: () => stop?.() };
}
