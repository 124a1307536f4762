/** The first answers to POSTs that carried an `Idempotency-Key`. */
import { type Db, LOCKS, type Row, type Tx } from '../../kernel/entry.js';

export interface IdempotencyScope {
  /** `user 5`, `api 3`, `weblink AbCd`, `public 192.0.2.7`. */
  caller: string;
  route: string;
  key: string;
}

/** Finds what is kept of an earlier request, unless it is older than `since`. */
export async function findIdempotencyKey(
  db: Db,
  wanted: IdempotencyScope & { since: number },
): Promise<Row<'idempotency_keys'> | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('caller', '=', wanted.caller)
    .where('route', '=', wanted.route)
    .where('key', '=', wanted.key)
    .where('created_at', '>=', wanted.since)
    .executeTakeFirst();
}

/**
 * Keeps the key for a request that begins, and deletes every key older than `since`.
 * @returns false when another request has begun with it
 */
export async function beginIdempotencyKey(
  tx: Tx,
  begun: IdempotencyScope & { body_hash: string; created_at: number; since: number },
): Promise<boolean> {
  await tx.lock(LOCKS.idempotencyKey(begun));
  await pruneIdempotencyKeys(tx, begun.since);
  const { caller, route, key, body_hash, created_at } = begun;
  const row = { caller, route, key, body_hash, created_at, status: null, response: null, etag: null };
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

/** @param ended.response JSON text, sealed, what is shown once null */
export async function endIdempotencyKey(
  tx: Db,
  ended: IdempotencyScope & { status: number; response: string; etag: string | null },
): Promise<void> {
  await tx
    .updateTable('idempotency_keys')
    .set({ status: ended.status, response: ended.response, etag: ended.etag })
    .where('caller', '=', ended.caller)
    .where('route', '=', ended.route)
    .where('key', '=', ended.key)
    .execute();
}

/** Deletes what is kept of requests before `since`. */
export async function pruneIdempotencyKeys(tx: Db, since: number): Promise<void> {
  await tx.deleteFrom('idempotency_keys').where('created_at', '<', since).execute();
}

export async function deleteIdempotencyKey(tx: Db, { caller, route, key }: IdempotencyScope): Promise<void> {
  await tx
    .deleteFrom('idempotency_keys')
    .where('caller', '=', caller)
    .where('route', '=', route)
    .where('key', '=', key)
    .execute();
}
