/** Plate readings with their images. */
import { imagesOfOwners } from '../image/image-queries.js';
import type { Db, Row } from '../../kernel/entry.js';
import type { ReadingImages } from '../image/reading-images-payload.js';

export interface PlateReadingDetails {
  id: number;
  account_id: number;
  lot_id: number;
  reading: Row<'plate_readings'>;
  images: ReadingImages;
}

export async function findPlateReadingDetails(db: Db, id: number): Promise<PlateReadingDetails | null> {
  return (await plateReadingsByIds(db, [id]))[0] ?? null;
}

export async function plateReadingsByIds(db: Db, ids: readonly number[]): Promise<PlateReadingDetails[]> {
  return withImages(db, await db.selectFrom('plate_readings').selectAll().where('id', 'in', ids).execute());
}

export async function withImages(db: Db, readings: readonly Row<'plate_readings'>[]): Promise<PlateReadingDetails[]> {
  const uids = readings.map(({ uid }) => uid).filter((uid) => uid !== null);
  const images = await imagesOfOwners(db, uids);
  return readings.map((reading) => ({
    id: reading.id,
    account_id: reading.account_id,
    lot_id: reading.lot_id,
    reading,
    images: images.get(reading.uid ?? '') ?? { full: null, cropped: null },
  }));
}
