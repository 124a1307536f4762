/** Reads and writes the event journal, which the realtime connection replays. */
import type { EventName, EventPayload } from '../../../shared/events/event-schemas.js';
import type { Db } from './cloud-store.js';
import type { JsonText } from '../../../shared/json-text-codec.js';

/** The events that are wanted: those of one account, and in it of some lots or of all (null). */
export interface EventScope {
  account_id: number;
  lot_ids: ReadonlySet<number> | null;
}

/** An event as the journal holds it; `payload` is JSON text in which image links are not signed yet. */
export interface JournalRow {
  id: number;
  account_id: number;
  lot_id: number;
  event: EventName;
  payload: JsonText<EventPayload<EventName>>;
  created_at: number;
}

const COLUMNS = ['id', 'account_id', 'lot_id', 'event', 'payload', 'created_at'] as const;

/**
 * Lists events after a cursor, in order; with a null cursor from the oldest one. null when the cursor is not one of this account, or events
 * after it may be gone from the journal.
 */
export async function eventsAfter(
  db: Db,
  options: { scope: EventScope; cursor: number | null; limit: number },
): Promise<JournalRow[] | null> {
  const { scope, cursor, limit } = options;
  const rows = scope.lot_ids?.size === 0 ? [] : await readEvents(db, { scope, after: cursor ?? 0, limit });
  // This is asked last: a cursor that is still there after the events were read was there before.
  return cursor === null || (await isKnownCursor(db, { account_id: scope.account_id, cursor })) ? rows : null;
}

function readEvents(db: Db, options: { scope: EventScope; after: number; limit: number }): Promise<JournalRow[]> {
  const { scope, after, limit } = options;
  let query = db
    .selectFrom('events')
    .select(COLUMNS)
    .where('account_id', '=', scope.account_id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit);
  if (scope.lot_ids !== null) query = query.where('lot_id', 'in', [...scope.lot_ids]);
  return query.execute();
}

/**
 * Whether a cursor was given, and nothing after it is gone: its event is there, or it is where the journal begins (0), or goes on in a restored
 * database, and the event that follows is there or has not come yet.
 */
async function isKnownCursor(db: Db, { account_id, cursor }: { account_id: number; cursor: number }): Promise<boolean> {
  const found = await db
    .selectFrom('events')
    .select('id')
    .where('account_id', '=', account_id)
    .where('id', 'in', [cursor, cursor + 1])
    .execute();
  if (found.some(({ id }) => id === cursor)) return true;
  const head = await db
    .selectFrom('journal_heads')
    .select(['seq', 'leapt_to'])
    .where('account_id', '=', account_id)
    .executeTakeFirst();
  if (cursor !== 0 && cursor !== head?.leapt_to) return false;
  return found.length > 0 || cursor === (head?.seq ?? 0);
}

/** Lists events of an account after one and up to another, in order. */
export function eventsBetween(
  db: Db,
  options: { account_id: number; after: number; upTo: number; limit: number },
): Promise<JournalRow[]> {
  const { account_id, after, upTo, limit } = options;
  return db
    .selectFrom('events')
    .select(COLUMNS)
    .where('account_id', '=', account_id)
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/**
 * Assigns the next ids of accounts, as one of a transaction's last statements: their rows are locked until the commit, in the order of the
 * accounts, so that transactions do not wait for each other in a circle.
 * @param counts how many, each of another account
 * @returns the last of them by account
 */
export async function advanceJournalHeads(
  tx: Db,
  counts: readonly { account_id: number; by: number }[],
): Promise<Map<number, number>> {
  if (counts.length === 0) return new Map();
  const rows = await tx
    .insertInto('journal_heads')
    .values(
      counts.toSorted((a, b) => a.account_id - b.account_id).map(({ account_id, by }) => ({ account_id, seq: by })),
    )
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet(({ eb, ref }) => ({ seq: eb(ref('journal_heads.seq'), '+', ref('excluded.seq')) })),
    )
    .returning(['account_id', 'seq'])
    .execute();
  return new Map(rows.map(({ account_id, seq }) => [account_id, seq]));
}

/** Lists the id of the newest event of each account that ever had one. */
export function journalHeads(db: Db): Promise<{ account_id: number; seq: number }[]> {
  return db.selectFrom('journal_heads').select(['account_id', 'seq']).execute();
}

/** Finds the id of the newest event of one account; 0 when it never had an event. */
export async function journalHeadOf(db: Db, account_id: number): Promise<number> {
  const row = await db
    .selectFrom('journal_heads')
    .select('seq')
    .where('account_id', '=', account_id)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

/**
 * Deletes the oldest events of each account, up to its newest one from before `before` (wall milliseconds), at most `limit` in all, and
 * returns how many. The rest of an account's journal never has a hole, even if the wall clock jumped, so that a reader with a cursor in
 * it misses nothing. Each account's newest event remains, so that its reader can resume after a quiet week.
 */
export async function pruneEvents(tx: Db, options: { before: number; limit: number }): Promise<number> {
  const result = await tx
    .with('ends', (with_) =>
      with_
        .selectFrom('events')
        .select(['account_id', ({ fn }) => fn.max('id').as('last_old')])
        .where('created_at', '<', options.before)
        .groupBy('account_id'),
    )
    .deleteFrom('events')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('account_id', 'id'),
        'in',
        selectFrom('ends')
          .innerJoin('journal_heads as head', 'head.account_id', 'ends.account_id')
          .innerJoin('events as old', (join) =>
            join
              .onRef('old.account_id', '=', 'ends.account_id')
              .onRef('old.id', '<=', 'ends.last_old')
              .onRef('old.id', '<', 'head.seq'),
          )
          .select(['old.account_id', 'old.id'])
          .orderBy('old.account_id')
          .orderBy('old.id')
          .limit(options.limit)
          .$asTuple('account_id', 'id'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(result.numDeletedRows);
}

/**
 * Finds how far all journals reach together: the sum of their heads, and when the oldest event happened that is not the newest of its
 * account (wall milliseconds; null: there is none).
 */
export async function journalExtent(db: Db): Promise<{ head: number; oldest_at: number | null }> {
  const { head } = await db
    .selectFrom('journal_heads')
    .select(({ fn }) => fn.sum<number | null>('seq').as('head'))
    .executeTakeFirstOrThrow();
  // With a join SQLite would go through all events of one account after the other.
  const oldest = await db
    .selectFrom('events')
    .select('events.created_at')
    .where('events.id', '<', ({ selectFrom }) =>
      selectFrom('journal_heads as head').select('head.seq').whereRef('head.account_id', '=', 'events.account_id'),
    )
    .orderBy('events.created_at')
    .limit(1)
    .executeTakeFirst();
  return { head: Number(head ?? 0), oldest_at: oldest?.created_at ?? null };
}
