/** Reads plate readings with their images, or with what their decision saw. */
import { decodeJson } from '../../../shared/json-text-codec.js';
import { imagesOfOwners } from '../image/image-queries.js';
import type { Db, Row } from '../../kernel/store/entry.js';
import type { ReadingImages } from '../image/reading-images-payload.js';
import type { ExplainedReading } from './explanation-payload.js';

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

/** Finds a reading with what its decision saw. */
export async function findExplainedReading(db: Db, id: number): Promise<ExplainedReading | null> {
  const row = await db
    .selectFrom('plate_readings')
    .leftJoin('gateways', 'gateways.id', 'plate_readings.gateway_id')
    .leftJoin('deleted_gateways', 'deleted_gateways.id', 'plate_readings.gateway_id')
    .select([
      'plate_readings.id',
      'plate_readings.access_decision',
      'plate_readings.access_decision_reason',
      'plate_readings.created_at',
      'plate_readings.decided_at',
      'plate_readings.decision_trace',
    ])
    .select(({ fn }) => fn.coalesce('gateways.uuid', 'deleted_gateways.uuid').as('gateway_uuid'))
    .where('plate_readings.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { decision_trace, ...reading } = row;
  return { ...reading, trace: decision_trace === null ? null : decodeJson(decision_trace) };
}
