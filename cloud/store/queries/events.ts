/** The event journal: what the realtime connection replays. */
import type { Db } from '../cloud-store.js';

/** Whose events: one account, and in it some lots or all of them (null). */
export interface EventScope {
  account_id: number;
  lot_ids: ReadonlySet<number> | null;
}

/** An event as the journal holds it; `payload` is JSON text, image links not signed yet. */
export interface JournalRow {
  id: number;
  account_id: number;
  lot_id: number;
  event: string;
  payload: string;
}

/** Events after a cursor, in order. */
export async function eventsAfter(
  db: Db,
  options: { scope: EventScope; cursor: number; limit: number },
): Promise<JournalRow[]> {
  const { scope, cursor, limit } = options;
  if (scope.lot_ids?.size === 0) return [];
  let query = db
    .selectFrom('events')
    .select(['id', 'account_id', 'lot_id', 'event', 'payload'])
    .where('account_id', '=', scope.account_id)
    .where('id', '>', cursor)
    .orderBy('id')
    .limit(limit);
  if (scope.lot_ids !== null) query = query.where('lot_id', 'in', [...scope.lot_ids]);
  return query.execute();
}

/** Whether the cursor is of an event of this account that is still in the journal. */
export async function isKnownCursor(db: Db, options: { account_id: number; cursor: number }): Promise<boolean> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('id', '=', options.cursor)
    .where('account_id', '=', options.account_id)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Deletes the oldest events, up to the newest one recorded before `before` (wall milliseconds), at most `limit` of them,
 * and returns how many. What is left of the journal never has a hole, whatever the wall clock did, so that a cursor in it
 * misses nothing. Each account's newest event stays: its reader resumes after a quiet week.
 */
export async function pruneEvents(tx: Db, options: { before: number; limit: number }): Promise<number> {
  const result = await tx
    .with('doomed', (with_) =>
      with_
        .selectFrom('events')
        .select('id')
        .where('id', '<=', ({ selectFrom }) =>
          selectFrom('events')
            .select(({ fn }) => fn.max('id').as('id'))
            .where('created_at', '<', options.before),
        )
        .where('id', 'not in', ({ selectFrom }) =>
          selectFrom('events')
            .select(({ fn }) => fn.max('id').as('id'))
            .groupBy('account_id'),
        )
        .orderBy('id')
        .limit(options.limit),
    )
    .deleteFrom('events')
    .where('id', 'in', ({ selectFrom }) => selectFrom('doomed').select('id'))
    .executeTakeFirstOrThrow();
  return Number(result.numDeletedRows);
}
