/** The first answers to POSTs that carried an `Idempotency-Key`. */
import type { Db } from '../cloud-store.js';
import type { Row } from '../schema.js';

export interface IdempotencyScope {
  /** `user 5`, `api 3`, `public 192.0.2.7`. */
  caller: string;
  route: string;
  key: string;
}

/** What is kept of an earlier request, unless it is older than `since`. */
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

/** Takes the key for a request that begins. Every key older than `since` goes. */
export async function beginIdempotencyKey(
  tx: Db,
  begun: IdempotencyScope & { body_hash: string; created_at: number; since: number },
): Promise<void> {
  await tx.deleteFrom('idempotency_keys').where('created_at', '<', begun.since).execute();
  const { caller, route, key, body_hash, created_at } = begun;
  const row = { caller, route, key, body_hash, created_at, status: null, response: null };
  await tx.insertInto('idempotency_keys').values(row).execute();
}

/** @param ended.response JSON text, secrets null */
export async function endIdempotencyKey(
  tx: Db,
  ended: IdempotencyScope & { status: number; response: string },
): Promise<void> {
  await tx
    .updateTable('idempotency_keys')
    .set({ status: ended.status, response: ended.response })
    .where('caller', '=', ended.caller)
    .where('route', '=', ended.route)
    .where('key', '=', ended.key)
    .execute();
}

export async function deleteIdempotencyKey(tx: Db, { caller, route, key }: IdempotencyScope): Promise<void> {
  await tx
    .deleteFrom('idempotency_keys')
    .where('caller', '=', caller)
    .where('route', '=', route)
    .where('key', '=', key)
    .execute();
}
