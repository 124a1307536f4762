/** Reads and writes what gateways are asked and what they answer. */
import type { AskAnswer, AskAnswers, AskKind } from '../../../shared/uplink-asks.js';
import { decodeJson, encodeJson } from '../../../shared/json-text-codec.js';
import type { Db } from '../../kernel/store/entry.js';

/** So many asks and answers are kept of one gateway: those that are asked about first are forgotten. */
const KEPT_MAX = 64;

export interface Ask {
  gateway_id: number;
  kind: AskKind;
  /** 0: the gateway itself. */
  subject_id: number;
}

export interface KeptAsk<Kind extends AskKind> {
  /** Wall milliseconds, as the next. */
  asked_at: number;
  answered_at: number | null;
  fault: string | null;
  answer: AskAnswers[Kind] | null;
}

/** @returns null when it was never asked, or long ago */
export async function findAsk<Kind extends AskKind>(
  db: Db,
  { gateway_id, kind, subject_id }: Ask & { kind: Kind },
): Promise<KeptAsk<Kind> | null> {
  const row = await db
    .selectFrom('gateway_asks')
    .selectAll()
    .where('gateway_id', '=', gateway_id)
    .where('kind', '=', kind)
    .where('subject_id', '=', subject_id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const answer = row.answer === null ? null : (decodeJson(row.answer) as AskAnswers[Kind]);
  const answered_at = row.answered_at === null ? null : Number(row.answered_at);
  return { asked_at: Number(row.asked_at), answered_at, fault: row.fault, answer };
}

/**
 * Notes that the gateway is asked, unless it was asked the same a short while ago and has not answered yet.
 * @returns how long it has still to be left alone, in milliseconds; null: it may be asked
 */
export async function noteAsked(
  db: Db,
  { gateway_id, kind, subject_id, now, everyMs }: Ask & { now: number; everyMs: number },
): Promise<number | null> {
  const { numInsertedOrUpdatedRows: written = 0n } = await db
    .insertInto('gateway_asks')
    .values({ gateway_id, kind, subject_id, asked_at: now, answered_at: null, fault: null, answer: null })
    .onConflict((conflict) =>
      conflict
        .columns(['gateway_id', 'kind', 'subject_id'])
        .doUpdateSet({ asked_at: now })
        .where(({ eb, or, ref }) =>
          or([
            eb(ref('gateway_asks.asked_at'), '<=', now - everyMs),
            eb(ref('gateway_asks.answered_at'), '>=', ref('gateway_asks.asked_at')),
            // The clock of the server was set back.
            eb(ref('gateway_asks.asked_at'), '>', now),
          ]),
        ),
    )
    .executeTakeFirstOrThrow();
  if (written > 0n) {
    await forgetOldest(db, gateway_id);
    return null;
  }
  const kept = await findAsk(db, { gateway_id, kind, subject_id });
  return Math.max(1, (kept?.asked_at ?? now) + everyMs - now);
}

async function forgetOldest(db: Db, gateway_id: number): Promise<void> {
  const oldest = await db
    .selectFrom('gateway_asks')
    .select('asked_at')
    .where('gateway_id', '=', gateway_id)
    .orderBy('asked_at', 'desc')
    .offset(KEPT_MAX - 1)
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return;
  await db
    .deleteFrom('gateway_asks')
    .where('gateway_id', '=', gateway_id)
    .where('asked_at', '<', oldest.asked_at)
    .execute();
}

/** Keeps the first answer to the last ask. Any other is ignored: a gateway adds nothing that it was not asked. */
export async function saveAnswer(
  db: Db,
  { gateway_id, given, now }: { gateway_id: number; given: AskAnswer; now: number },
): Promise<void> {
  const { kind, subject_id, asked_ms, fault, answer } = given;
  await db
    .updateTable('gateway_asks')
    // A clock that was set back makes no answer that is older than its ask.
    .set({ answered_at: Math.max(now, asked_ms), fault, answer: answer === null ? null : encodeJson(answer) })
    .where('gateway_id', '=', gateway_id)
    .where('kind', '=', kind)
    .where('subject_id', '=', subject_id)
    .where('asked_at', '=', asked_ms)
    .where(({ eb, or, ref }) => or([eb('answered_at', 'is', null), eb('answered_at', '<', ref('asked_at'))]))
    .execute();
}

/** Finds the products of an account with these names. */
export async function productIdsByDevice(
  db: Db,
  { account_id, device_ids }: { account_id: number; device_ids: readonly string[] },
): Promise<Map<string, number>> {
  if (device_ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('products')
    .select(['id', 'device_id'])
    .where('account_id', '=', account_id)
    .where('device_id', 'in', [...device_ids])
    .execute();
  return new Map(rows.map(({ id, device_id }) => [device_id, id]));
}
