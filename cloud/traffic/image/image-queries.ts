/** Reads and writes the rows of images; their bytes are in the image store. */
import type { ReadingImages } from './reading-images-payload.js';
import { type Db, insertRows, type NewRow, type Row } from '../../kernel/store/entry.js';

/** Finds the images of owners, by owner uid; an owner without images is left out. */
export async function imagesOfOwners(db: Db, ownerUids: readonly string[]): Promise<Map<string, ReadingImages>> {
  if (ownerUids.length === 0) return new Map();
  const rows = await db
    .selectFrom('images')
    .select(['uid', 'owner_uid', 'role'])
    .where('owner_uid', 'in', ownerUids)
    .orderBy('uid')
    .execute();
  const images = new Map<string, ReadingImages>();
  for (const { uid, owner_uid, role } of rows) {
    const pair = images.get(owner_uid) ?? { full: null, cropped: null };
    pair[role] ??= uid;
    images.set(owner_uid, pair);
  }
  return images;
}

export const insertImages = (db: Db, rows: readonly NewRow<'images'>[]): Promise<void> =>
  insertRows(db, 'images', rows);

export function findImage(db: Db, uid: string): Promise<Row<'images'> | undefined> {
  return db.selectFrom('images').selectAll().where('uid', '=', uid).executeTakeFirst();
}

export async function findImages(db: Db, uids: string[]): Promise<Row<'images'>[]> {
  if (uids.length === 0) return [];
  return db.selectFrom('images').selectAll().where('uid', 'in', uids).execute();
}

export async function saveImagesArrived(db: Db, images: { uids: string[]; now: number }): Promise<void> {
  if (images.uids.length === 0) return;
  await db
    .updateTable('images')
    .set({ arrived_at: images.now })
    .where('uid', 'in', images.uids)
    .where('arrived_at', 'is', null)
    .execute();
}

/** Lists those of the images whose bytes have arrived. */
export async function arrivedImages(db: Db, uids: readonly string[]): Promise<string[]> {
  if (uids.length === 0) return [];
  const rows = await db
    .selectFrom('images')
    .select('uid')
    .where('uid', 'in', uids)
    .where('arrived_at', 'is not', null)
    .execute();
  return rows.map(({ uid }) => uid);
}

/** Lists the accounts that keep pictures only for some days. */
export async function imageRetentions(db: Db): Promise<{ account_id: number; days: number }[]> {
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'image_retention_days'])
    .where('image_retention_days', 'is not', null)
    .execute();
  return rows.flatMap(({ id, image_retention_days: days }) => (days === null ? [] : [{ account_id: id, days }]));
}

/** Lists pictures of an account from before a time, the oldest first. @param options.missingBefore the time for those that never arrived */
export async function oldImages(
  db: Db,
  options: { account_id: number; before: number; missingBefore: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('images')
    .select('uid')
    .where('account_id', '=', options.account_id)
    .where('created_at', '<', options.before)
    .where((where) => where.or([where('arrived_at', 'is not', null), where('created_at', '<', options.missingBefore)]))
    .orderBy('created_at')
    .limit(options.limit)
    .execute();
  return rows.map(({ uid }) => uid);
}

export async function deleteImages(db: Db, uids: string[]): Promise<void> {
  if (uids.length > 0) await db.deleteFrom('images').where('uid', 'in', uids).execute();
}
