/** The first answers to POSTs that carried an `Idempotency-Key`. */
import type { Db, Row, Tx } from '../../kernel/store/entry.js';

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
 * Begins the key in the transaction of its request. One that comes meanwhile waits until it is known what becomes of this one.
 * @param since a key that was begun before is forgotten
 * @returns false when another request has begun with it
 */
export async function beginIdempotencyKey(
  tx: Tx,
  begun: IdempotencyScope & { body_hash: string; created_at: number },
  since: number,
): Promise<boolean> {
  const { body_hash, created_at } = begun;
  const anew = { body_hash, created_at, status: null, response: null, etag: null };
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('idempotency_keys')
    .values({ ...begun, ...anew })
    .onConflict((conflict) =>
      conflict.columns(['caller', 'route', 'key']).doUpdateSet(anew).where('idempotency_keys.created_at', '<', since),
    )
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
