/** What products are told by admin records: to refuse gateways that are gone (revocations), and credentials of keys (denials). */
import type { Clock } from '../../../shared/clock.js';
import { GATEWAY_ERROR, isUndelivered } from '../../../shared/gateway-error-types.js';
import type { Logger } from '../../../shared/logger.js';
import type { AdminAction } from '../../../shared/product-protocol/admin-record.js';
import { GENERATION_MAX, NO_EXPIRY_S, SLOTS } from '../../../shared/product-protocol/token-codec.js';
import type { ProductReport } from '../../../shared/uplink-reports.js';
import {
  pendingRevocationsOf,
  saveRevocationAnswered,
  saveRevocationSent,
  saveRevocationUndelivered,
  type SlotRevocation,
} from '../gateway/slot-revocation-queries.js';
import {
  pendingDenialsOf,
  saveDenialDelivered,
  saveDenialRefused,
  saveDenialSent,
  saveDenialsRaised,
  saveDenialUndelivered,
  type TokenDenial,
} from '../denial/denial-queries.js';
import type { Row, Tx } from '../../kernel/store/entry.js';
import { type AdminWords, DELIVERED_WITHIN_MS, isOnItsWay, UNREACHED_AGAIN_MS } from './admin-message.js';
import { saveGuestGeneration } from './product-queries.js';

/** A product that a gateway reported as online. */
export interface HeardProduct {
  product: Row<'products'>;
  report: ProductReport;
}

/** Something that a product has still to be told. */
export interface Pending {
  product_id: number;
  /** The serial of the record that tells it; null: none was sent, or the product refused it. */
  sent_serial: number | null;
}

/** A kind of what admin records tell. */
export interface AdminContent<P extends Pending> {
  words: AdminWords;
  /** Lists what the products have still to be told, the oldest first. */
  pendingOf(tx: Tx, product_ids: readonly number[], now: number): Promise<P[]>;
  /**
   * Applies the product's answer.
   * @param pending.own what the product had to be told
   * @param pending.answered the one of them that the product answers; undefined: none
   * @returns what the product has still to be told by a record
   */
  settle(tx: Tx, heard: HeardProduct, pending: { own: P[]; answered: P | undefined }): Promise<P[]>;
  /** Whether a gateway may still be delivering the record, so that no other is sent. */
  isUnderWay(pending: P, now: number): boolean;
  saveSent(tx: Tx, pending: P, sent: { serial: number; now: number }): Promise<void>;
  /** What the record says, and further fields for the log. */
  orderOf(pending: P): { action: AdminAction; fields: Readonly<Record<string, unknown>> };
}

interface ContentDeps {
  clock: Clock;
  logger: Logger;
}

/** Revocations: the record raises the generation of the slot that the gateway had. */
export function revocationContent({ clock, logger }: ContentDeps): AdminContent<SlotRevocation> {
  async function applyAnswer(tx: Tx, { product, report }: HeardProduct, sent: SlotRevocation): Promise<void> {
    const now = clock.now();
    const type = report.admin?.error_type ?? null;
    const isConfirmed = type === null;
    const fields = { product_id: product.id, lot_id: product.lot_id, revoked_gateway_id: sent.gateway_id };
    if (type !== null && isUndelivered(type)) {
      await saveRevocationUndelivered(tx, {
        id: sent.id,
        sent_at: now - DELIVERED_WITHIN_MS + UNREACHED_AGAIN_MS,
        now,
      });
      tx.onCommit(() => logger.info({ ...fields, type }, 'a revocation did not reach its product; it is sent again'));
      return;
    }
    await saveRevocationAnswered(tx, { id: sent.id, told_at: isConfirmed ? now : null, now });
    tx.onCommit(() => {
      if (isConfirmed) logger.info(fields, 'a product has confirmed that it refuses a gateway that is gone');
      else logger.warn(fields, 'a product did not accept a revocation; it is told again');
    });
  }

  /** No record can say a generation above the highest. The product stays among those that have not heard of the revocation. */
  async function reportHopeless(tx: Tx, product: Row<'products'>, own: readonly SlotRevocation[]): Promise<void> {
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
    words: {
      sent: 'a product is told to refuse a gateway that is gone',
      notSent: 'a revocation could not be sent to a gateway',
      notMinted: 'a revocation could not be minted',
    },
    pendingOf: pendingRevocationsOf,
    async settle(tx, heard, { own, answered }) {
      if (answered !== undefined) await applyAnswer(tx, heard, answered);
      await reportHopeless(tx, heard.product, own);
      return own.filter((revocation) => revocation !== answered && revocation.generation <= GENERATION_MAX);
    },
    isUnderWay: isOnItsWay,
    saveSent: (tx, { id }, { serial, now }) => saveRevocationSent(tx, { id, sent_serial: serial, now }),
    orderOf: ({ gateway_id: revoked_gateway_id, slot, generation }) => ({
      action: { kind: 'raise_gen', slot, gen: generation },
      fields: { revoked_gateway_id, slot },
    }),
  };
}

const REPEATED_AFTER_MAX_MS = 15 * 60_000;

/** A product runs on a battery: one that does not obey is told less and less often. */
const repeatedAfterMs = (sentCount: number): number =>
  Math.min(DELIVERED_WITHIN_MS * 2 ** Math.max(0, sentCount - 1), REPEATED_AFTER_MAX_MS);

/** One that was not reached got nothing: it is told sooner. */
const unreachedAgainMs = (sentCount: number): number =>
  Math.min(UNREACHED_AGAIN_MS * 2 ** Math.max(0, sentCount - 1), DELIVERED_WITHIN_MS);

/**
 * Denials: the record names a credential. A product that can deny no further id raises the generation of the guests' slot instead, and the
 * cloud raises it too.
 */
export function denialContent({ clock, logger }: ContentDeps): AdminContent<TokenDenial> {
  async function applyAnswer(tx: Tx, { product, report }: HeardProduct, answered: TokenDenial): Promise<void> {
    const now = clock.now();
    const type = report.admin?.error_type ?? null;
    const fields = { product_id: product.id, lot_id: product.lot_id, operation_token_id: answered.operation_token_id };
    if (type === null) {
      await saveDenialDelivered(tx, { ...answered, now });
      tx.onCommit(() => logger.info(fields, 'a product has confirmed that it refuses the credentials of a key'));
    } else if (type === GATEWAY_ERROR.UNKNOWN && answered.generation === null) {
      await raise(tx, product, answered);
    } else if (isUndelivered(type)) {
      const { id, sent_count } = answered;
      const sent_at = now - repeatedAfterMs(sent_count) + unreachedAgainMs(sent_count);
      await saveDenialUndelivered(tx, { id, sent_at, now });
      tx.onCommit(() => logger.info({ ...fields, type }, 'a denial did not reach its product; it is sent again'));
    } else {
      await saveDenialRefused(tx, { id: answered.id, now });
      tx.onCommit(() => logger.warn({ ...fields, type }, 'a product did not accept a denial; it is told again'));
    }
  }

  /** The product may have raised its generation once for each record that denied the id, of which only the last answer was heard. */
  async function raise(tx: Tx, product: Row<'products'>, denial: TokenDenial): Promise<void> {
    const generation = product.guest_generation + Math.max(1, denial.sent_count);
    const fields = { product_id: product.id, lot_id: product.lot_id };
    if (generation > GENERATION_MAX) {
      tx.onCommit(() => logger.error(fields, 'a product can deny no further credentials: pair it anew'));
      return;
    }
    await saveGuestGeneration(tx, { id: product.id, guest_generation: generation });
    await saveDenialsRaised(tx, { product_id: product.id, generation, now: clock.now() });
    tx.onCommit(() => logger.warn(fields, "a product's list of denied ids is full: all its keys get new credentials"));
  }

  const pendingOf = (tx: Tx, product_ids: readonly number[], now: number) => pendingDenialsOf(tx, { product_ids, now });

  return {
    words: {
      sent: 'a product is told to refuse the credentials of a key',
      notSent: 'a denial could not be sent to a gateway',
      notMinted: 'a denial could not be minted',
    },
    pendingOf,
    async settle(tx, heard, { own, answered }) {
      if (answered === undefined) return own;
      await applyAnswer(tx, heard, answered);
      return pendingOf(tx, [heard.product.id], clock.now());
    },
    isUnderWay: ({ sent_at, sent_count }, now) => sent_at !== null && now - sent_at < repeatedAfterMs(sent_count),
    saveSent: (tx, { id, sent_count }, { serial, now }) =>
      saveDenialSent(tx, { id, sent_serial: serial, sent_count: sent_count + 1, now }),
    orderOf: (denial) => ({ action: denialAction(denial), fields: {} }),
  };
}

function denialAction({ generation, credential_id, ends_at }: TokenDenial): AdminAction {
  if (generation !== null) return { kind: 'raise_gen', slot: SLOTS.guests, gen: generation };
  return { kind: 'deny', id: credential_id, expiresS: ends_at === null ? NO_EXPIRY_S : Math.floor(ends_at / 1_000) };
}
