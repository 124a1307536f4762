/** Reads decisions piece by piece, in the order of their times, with what they saw. */
import { sql } from 'kysely';
import type { Db, Row } from '../../kernel/store/entry.js';

export interface ReplayLot {
  id: number;
  account_id: number;
  account: string;
  name: string;
}

/** Finds the lots of this name, of all accounts or of one; a number also names the lot with this id. */
export function findReplayLots(db: Db, wanted: { lot: string; account: string | undefined }): Promise<ReplayLot[]> {
  const id = /^\d{1,15}$/.test(wanted.lot) ? Number(wanted.lot) : -1;
  let query = db
    .selectFrom('lots')
    .innerJoin('accounts', 'accounts.id', 'lots.account_id')
    .select(['lots.id', 'lots.account_id', 'lots.name', 'accounts.name as account'])
    .where((eb) => eb.or([eb('lots.name', '=', wanted.lot), eb('lots.id', '=', id)]))
    .orderBy('lots.id');
  if (wanted.account !== undefined) query = query.where('accounts.name', '=', wanted.account);
  return query.execute();
}

export interface Range {
  lot: ReplayLot;
  /** Wall milliseconds, the end not included. */
  from: number;
  to: number;
}

const readingsIn = (db: Db, { lot, from, to }: Range) =>
  db
    .selectFrom('plate_readings')
    // The plus keeps the planner from the account's index, which would read the readings of all its lots.
    .where(sql<number>`+account_id`, '=', lot.account_id)
    .where('lot_id', '=', lot.id)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('lpr_camera_id', 'is not', null);

export async function countReadings(db: Db, range: Range): Promise<number> {
  const row = await readingsIn(db, range)
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** A place in the order of times, ids among equal ones. */
export type Place = Pick<Row<'plate_readings'>, 'created_at' | 'id'>;

export type ReadingToReplay = Pick<
  Row<'plate_readings'>,
  | 'id'
  | 'created_at'
  | 'lpr_camera_id'
  | 'plate_normalised'
  | 'confidence'
  | 'access_decision'
  | 'access_decision_reason'
  | 'decision_trace'
>;

export function readingsAfter(
  db: Db,
  range: Range,
  { after, limit }: { after: Place; limit: number },
): Promise<ReadingToReplay[]> {
  return readingsIn(db, { ...range, from: Math.max(range.from, after.created_at) })
    .select(['id', 'created_at', 'lpr_camera_id', 'plate_normalised', 'confidence'])
    .select(['access_decision', 'access_decision_reason', 'decision_trace'])
    .where((eb) => eb.or([eb('created_at', '>', after.created_at), eb('id', '>', after.id)]))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Finds the names that cameras have in a site file, including deleted cameras. */
export async function deviceIdsOfCameras(db: Db, account_id: number): Promise<Map<number, string>> {
  const present = await db
    .selectFrom('lpr_cameras')
    .select(['id', 'device_id'])
    .where('account_id', '=', account_id)
    .execute();
  const deleted = await db
    .selectFrom('deleted_lpr_cameras')
    .select(['id', 'device_id'])
    .where('account_id', '=', account_id)
    .execute();
  return new Map([...deleted, ...present].map(({ id, device_id }) => [id, device_id]));
}

export type SessionToCount = Pick<Row<'sessions'>, 'id' | 'created_at' | 'ended_at'> &
  Pick<Row<'zones'>, 'name' | 'occupancy_max_hours'>;

/** Lists sessions that began in the range, after a place in the order of beginnings. */
export function sessionsAfter(
  db: Db,
  { lot, from, to }: Range,
  { after, limit }: { after: Place; limit: number },
): Promise<SessionToCount[]> {
  return db
    .selectFrom('sessions')
    .innerJoin('zones', 'zones.id', 'sessions.zone_id')
    .select(['sessions.id', 'sessions.created_at', 'sessions.ended_at', 'zones.name', 'zones.occupancy_max_hours'])
    .where('sessions.account_id', '=', lot.account_id)
    .where('sessions.lot_id', '=', lot.id)
    .where('sessions.created_at', '>=', Math.max(from, after.created_at))
    .where('sessions.created_at', '<', to)
    .where((eb) => eb.or([eb('sessions.created_at', '>', after.created_at), eb('sessions.id', '>', after.id)]))
    .orderBy('sessions.created_at')
    .orderBy('sessions.id')
    .limit(limit)
    .execute();
}
