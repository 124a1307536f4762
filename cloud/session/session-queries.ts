/** Reads and writes sessions. */
import { sql } from 'kysely';
import type { Db, Tx } from '../store/cloud-store.js';
import { LOCKS } from '../store/locks.js';
import { insertNumbered } from '../store/rows-of-statement.js';
import type { NewRow, Row } from '../store/schema.js';

export type SessionRow = Row<'sessions'>;

export async function findSessionsByUid(db: Db, uids: string[]): Promise<SessionRow[]> {
  if (uids.length === 0) return [];
  return db.selectFrom('sessions').selectAll().where('uid', 'in', uids).execute();
}

interface PlatesInLot {
  lot_id: number;
  plates_normalised: string[];
}

/** Lists the open sessions of plates in a lot. No other transaction changes them until this one ends. */
export async function lockOpenSessions(tx: Tx, wanted: PlatesInLot): Promise<SessionRow[]> {
  await tx.lock(LOCKS.openSessions(wanted.lot_id));
  return findOpenSessions(tx, wanted);
}

export async function findOpenSessions(db: Db, wanted: PlatesInLot): Promise<SessionRow[]> {
  if (wanted.plates_normalised.length === 0) return [];
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('lot_id', '=', wanted.lot_id)
    .where('plate_normalised', 'in', wanted.plates_normalised)
    .where('ended_at', 'is', null)
    .execute();
}

/** Locks the open sessions of the session's lot: no other transaction changes them until this one ends. */
export async function lockSessionsBeside(tx: Tx, session_id: number): Promise<void> {
  const row = await tx.selectFrom('sessions').select('lot_id').where('id', '=', session_id).executeTakeFirst();
  if (row !== undefined) await tx.lock(LOCKS.openSessions(row.lot_id));
}

/** A plate, and the wall milliseconds from which on it is of interest. */
export interface PlateSince {
  plate_normalised: string;
  since: number;
}

/** Lists sessions of plates in a lot, ended or not: for each plate the last one that began by its time, and all that began later. */
export async function sessionsSince(
  db: Db,
  wanted: { lot_id: number; plates: readonly PlateSince[] },
): Promise<SessionRow[]> {
  if (wanted.plates.length === 0) return [];
  // The plus keeps SQLite from choosing the lot's index for its order: a lot has far more sessions than a plate.
  const { rows } = await sql<SessionRow>`
    with asked(plate, since) as (values ${plateValues(wanted.plates)})
    select sessions.* from asked inner join sessions
      on sessions.plate_normalised = asked.plate and sessions.lot_id = ${wanted.lot_id}
      and sessions.created_at >= coalesce(
        (select last.created_at from sessions as last
          where last.plate_normalised = asked.plate and +last.lot_id = ${wanted.lot_id} and last.created_at <= asked.since
          order by last.created_at desc limit 1),
        asked.since)`.execute(db);
  return rows;
}

/** Writes the rows of a `values` list. */
export const plateValues = (plates: readonly PlateSince[]) =>
  sql.join(plates.map(({ plate_normalised, since }) => sql`(${plate_normalised}, cast(${since} as bigint))`));

/** Inserts sessions. @returns their ids, in the order of the rows */
export function insertSessions(db: Db, rows: readonly NewRow<'sessions'>[]): Promise<number[]> {
  return insertNumbered(db, 'sessions', rows);
}

/** Finds for each zone the id of its first tariff, which prices its sessions. */
export async function zoneTariffs(db: Db, zone_ids: number[]): Promise<Map<number, number>> {
  if (zone_ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('zone_tariffs')
    .select(['zone_id', 'tariff_id'])
    .where('zone_id', 'in', zone_ids)
    .orderBy('position', 'desc')
    .execute();
  return new Map(rows.map(({ zone_id, tariff_id }) => [zone_id, tariff_id]));
}

/** Finds for each deleted zone the id of the tariff that priced its sessions, even if the tariff was deleted too. */
export async function deletedZoneTariffs(db: Db, zone_ids: number[]): Promise<Map<number, number>> {
  if (zone_ids.length === 0) return new Map();
  const rows = await db.selectFrom('deleted_zones').select(['id', 'tariff_id']).where('id', 'in', zone_ids).execute();
  return new Map(rows.flatMap(({ id, tariff_id }) => (tariff_id === null ? [] : [[id, tariff_id]])));
}

export interface MemberTariff {
  tariff_id: number;
  zone_id: number;
  plate_normalised: string;
}

/** Lists the tariffs of groups that plates are members of, in the groups' zones, deleted ones too. The first one of a plate and zone prices its sessions. */
export async function memberTariffs(
  db: Db,
  wanted: { zone_ids: number[]; plates_normalised: string[] },
): Promise<MemberTariff[]> {
  if (wanted.zone_ids.length === 0 || wanted.plates_normalised.length === 0) return [];
  return db
    .selectFrom('members')
    .innerJoin('group_members', 'group_members.member_id', 'members.id')
    .innerJoin(
      (eb) =>
        eb
          .selectFrom('group_zones')
          .select(['group_id', 'zone_id'])
          .where('zone_id', 'in', wanted.zone_ids)
          .unionAll(
            eb
              .selectFrom('deleted_zone_groups')
              .select(['group_id', 'zone_id'])
              .where('zone_id', 'in', wanted.zone_ids),
          )
          .as('zones_of_group'),
      (join) => join.onRef('zones_of_group.group_id', '=', 'group_members.group_id'),
    )
    .innerJoin('group_tariffs', 'group_tariffs.group_id', 'group_members.group_id')
    .select(['group_tariffs.tariff_id', 'zones_of_group.zone_id', 'members.plate_normalised'])
    .where('members.plate_normalised', 'in', wanted.plates_normalised)
    .orderBy('group_members.group_id')
    .orderBy('group_tariffs.position')
    .execute();
}
