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
  created_at: number;
}

/**
 * Events after a cursor, in order; a null cursor: from the oldest kept. Null when the cursor is not of an event of this account
 * that is still in the journal: something after it may be gone.
 */
export async function eventsAfter(
  db: Db,
  options: { scope: EventScope; cursor: number | null; limit: number },
): Promise<JournalRow[] | null> {
  const { scope, cursor, limit } = options;
  const rows = scope.lot_ids?.size === 0 ? [] : await readEvents(db, { scope, after: cursor ?? 0, limit });
  // Asked last: what was still there after the events were read was there before them.
  return cursor === null || (await isKnownCursor(db, { account_id: scope.account_id, cursor })) ? rows : null;
}

function readEvents(db: Db, options: { scope: EventScope; after: number; limit: number }): Promise<JournalRow[]> {
  const { scope, after, limit } = options;
  let query = db
    .selectFrom('events')
    .select(['id', 'account_id', 'lot_id', 'event', 'payload', 'created_at'])
    .where('account_id', '=', scope.account_id)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit);
  if (scope.lot_ids !== null) query = query.where('lot_id', 'in', [...scope.lot_ids]);
  return query.execute();
}

async function isKnownCursor(db: Db, options: { account_id: number; cursor: number }): Promise<boolean> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('id', '=', options.cursor)
    .where('account_id', '=', options.account_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Events of all accounts after one and up to another (null: all), in order. */
export function eventsUpTo(
  db: Db,
  options: { after: number; upTo: number | null; limit: number },
): Promise<JournalRow[]> {
  let query = db
    .selectFrom('events')
    .select(['id', 'account_id', 'lot_id', 'event', 'payload', 'created_at'])
    .where('id', '>', options.after)
    .orderBy('id')
    .limit(options.limit);
  if (options.upTo !== null) query = query.where('id', '<=', options.upTo);
  return query.execute();
}

/** The id of the newest event; 0 when there is none. */
export async function newestEventId(db: Db): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
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
