/** Reads and writes weblinks. */
import type { Db, NewRow, Row } from '../../kernel/store/entry.js';

export const weblinksByIds = (db: Db, ids: readonly string[]): Promise<Row<'weblinks'>[]> =>
  db.selectFrom('weblinks').selectAll().where('id', 'in', ids).execute();

/** The source of the list of weblinks, without the revoked ones. */
export const liveWeblinksWithProducts = (db: Db) =>
  db
    .selectFrom('weblinks')
    .innerJoin('products', 'products.id', 'weblinks.product_id')
    .where('weblinks.revoked_at', 'is', null);

/** Finds the links of the accounts that are neither revoked nor sent with a key, the oldest first. */
export const ownWeblinks = (db: Db, accountIds: readonly number[]): Promise<Row<'weblinks'>[]> =>
  db
    .selectFrom('weblinks')
    .selectAll()
    .where('account_id', 'in', accountIds)
    .where('revoked_at', 'is', null)
    .where('operation_token_id', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

export async function insertWeblink(tx: Db, row: NewRow<'weblinks'>): Promise<Row<'weblinks'>> {
  return tx.insertInto('weblinks').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Changes a weblink. @returns the changed row; undefined when the weblink is gone or was revoked */
export function updateWeblink(
  tx: Db,
  id: string,
  set: { [Name in keyof Row<'weblinks'>]?: Row<'weblinks'>[Name] | undefined },
): Promise<Row<'weblinks'> | undefined> {
  return tx
    .updateTable('weblinks')
    .set(set)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Finds a link that works now: it is not revoked, it is valid now, and if it was sent with a key, that key is active and valid now too. */
export function findLiveWeblink(db: Db, id: string, now: number): Promise<Row<'weblinks'> | undefined> {
  return db
    .selectFrom('weblinks')
    .leftJoin('operation_tokens as key', 'key.id', 'weblinks.operation_token_id')
    .selectAll('weblinks')
    .where('weblinks.id', '=', id)
    .where('weblinks.revoked_at', 'is', null)
    .where('weblinks.start_time', '<=', now)
    .where((eb) => eb.or([eb('weblinks.end_time', 'is', null), eb('weblinks.end_time', '>', now)]))
    .where((eb) => {
      const isUnended = eb.or([eb('key.end_time', 'is', null), eb('key.end_time', '>', now)]);
      const isActive = eb.and([eb('key.status', '=', 'active'), eb('key.start_time', '<=', now), isUnended]);
      return eb.or([eb('weblinks.operation_token_id', 'is', null), isActive]);
    })
    .executeTakeFirst();
}

/** Counts one use of a link, and of the key that it was sent with. */
export async function countWeblinkUse(
  tx: Db,
  link: Pick<Row<'weblinks'>, 'id' | 'operation_token_id'>,
  use: { event_id: string; now: number },
): Promise<void> {
  await tx
    .updateTable('weblinks')
    .set((eb) => ({ used_count: eb('used_count', '+', 1), last_event_id: use.event_id, updated_at: use.now }))
    .where('id', '=', link.id)
    .execute();
  if (link.operation_token_id === null) return;
  await tx
    .updateTable('operation_tokens')
    .set((eb) => ({ used_count: eb('used_count', '+', 1), updated_at: use.now }))
    .where('id', '=', link.operation_token_id)
    .execute();
}
