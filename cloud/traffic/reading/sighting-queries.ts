/** Sightings with their images. */
import { imagesOfOwners } from '../image/image-queries.js';
import { type Db, insertRows, type NewRow, type Row } from '../../kernel/store/entry.js';
import type { ReadingImages } from '../image/reading-images-payload.js';

export type SightingRow = Row<'sightings'> & { images: ReadingImages };

export async function sightingsByIds(db: Db, ids: readonly number[]): Promise<SightingRow[]> {
  const sightings = await db.selectFrom('sightings').selectAll().where('id', 'in', ids).execute();
  const images = await imagesOfOwners(
    db,
    sightings.map(({ uid }) => uid),
  );
  return sightings.map((row) => ({ ...row, images: images.get(row.uid) ?? { full: null, cropped: null } }));
}

export const insertSightings = (db: Db, rows: readonly NewRow<'sightings'>[]): Promise<void> =>
  insertRows(db, 'sightings', rows);

/** Lists sightings before a time, the oldest first. */
export async function oldSightings(db: Db, options: { before: number; limit: number }): Promise<string[]> {
  const rows = await db
    .selectFrom('sightings')
    .select('uid')
    .where('created_at', '<', options.before)
    .orderBy('created_at')
    .limit(options.limit)
    .execute();
  return rows.map(({ uid }) => uid);
}

/** Removes sightings with the rows of their images. */
export async function deleteSightings(db: Db, uids: string[]): Promise<void> {
  if (uids.length === 0) return;
  await db.deleteFrom('images').where('owner_uid', 'in', uids).execute();
  await db.deleteFrom('sightings').where('uid', 'in', uids).execute();
}
