/** Reads and writes sessions. */
import { expressionBuilder, sql } from 'kysely';
import {
  lookupRows,
  type Database,
  type Db,
  insertNumbered,
  LOCKS,
  type NewRow,
  type Row,
  type Tx,
} from '../../kernel/store/entry.js';
import { END_OF_MEMBER } from '../../guests/entry.js';
import type { MemberTariff } from './member-tariff.js';

export type SessionRow = Row<'sessions'>;

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

/** A plate in a lot. */
export interface PlateOfLot {
  lot_id: number;
  plate_normalised: string;
}

/** The same with the wall milliseconds of a read. */
export interface PlateAt extends PlateOfLot {
  at: number;
}

export const PLATE_AT_COLUMNS = { lot_id: 'integer', plate_normalised: 'text', at: 'integer' } as const;

/**
 * Lists the sessions that reads may belong to, perhaps some of them twice: those that are named, the open ones of a plate (few, because an
 * entry ends those before it), and two beside each time, found by lot, plate and time however many the plate has.
 * @param wanted.uids of sessions
 * @param wanted.open plates whose open sessions are wanted
 * @param wanted.around reads of which the last session that began by that time is wanted, and the next that began later, ended or not
 */
export async function sessionsOfReads(
  db: Db,
  wanted: { uids: readonly string[]; open: readonly PlateOfLot[]; around: readonly PlateAt[] },
): Promise<SessionRow[]> {
  if (wanted.uids.length + wanted.open.length + wanted.around.length === 0) return [];
  const eb = expressionBuilder<{ named: Database['sessions'] }, 'named'>();
  const open = lookupRows(db, { lot_id: 'integer', plate_normalised: 'text' }, wanted.open);
  const around = lookupRows(db, PLATE_AT_COLUMNS, wanted.around);
  const { rows } = await sql<SessionRow>`
    select named.* from sessions as named where ${eb('named.uid', 'in', wanted.uids)}
    union all
    select standing.* from ${open} as asked inner join sessions as standing
      on standing.lot_id = asked.lot_id and standing.plate_normalised = asked.plate_normalised
      and standing.ended_at is null
    union all
    select beside.* from (
      select (select last.id from sessions as last
        where last.lot_id = asked.lot_id and last.plate_normalised = asked.plate_normalised
          and last.created_at <= asked.at
        order by last.created_at desc, last.id desc limit 1) as id from ${around} as asked
      union
      select (select next.id from sessions as next
        where next.lot_id = asked.lot_id and next.plate_normalised = asked.plate_normalised
          and next.created_at > asked.at
        order by next.created_at, next.id limit 1) as id from ${around} as asked
    ) as found inner join sessions as beside on beside.id = found.id`.execute(db);
  return rows;
}

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

/** Finds what `zoneTariffs` finds for zones that may be deleted: then the tariff that priced their sessions, even if it was deleted too. */
export async function tariffsOfAnyZones(db: Db, zone_ids: readonly number[]): Promise<Map<number, number>> {
  if (zone_ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('zone_tariffs')
    .select(['zone_id', 'tariff_id', 'position'])
    .where('zone_id', 'in', zone_ids)
    .unionAll((eb) =>
      eb
        .selectFrom('deleted_zones')
        .select(['id as zone_id', 'tariff_id', sql<number>`-1`.as('position')])
        .where('id', 'in', zone_ids)
        .where('tariff_id', 'is not', null)
        .$castTo<{ zone_id: number; tariff_id: number; position: number }>(),
    )
    .execute();
  rows.sort((a, b) => b.position - a.position);
  return new Map(rows.map(({ zone_id, tariff_id }) => [zone_id, tariff_id]));
}

/** Lists the tariffs of groups that plates are members of, in the groups' zones, deleted ones too. */
export async function memberTariffs(
  db: Db,
  wanted: { account_ids: number[]; zone_ids: number[]; plates_normalised: string[] },
): Promise<MemberTariff[]> {
  if (wanted.zone_ids.length === 0 || wanted.plates_normalised.length === 0) return [];
  return (
    db
      .selectFrom('member_plates')
      .innerJoin('members', 'members.id', 'member_plates.member_id')
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
      .select(['group_tariffs.tariff_id', 'zones_of_group.zone_id', 'member_plates.plate_normalised'])
      .select(['members.valid_from', END_OF_MEMBER.as('ends_at')])
      // Other accounts may have any number of members with these plates.
      .where('member_plates.account_id', 'in', wanted.account_ids)
      .where('member_plates.plate_normalised', 'in', wanted.plates_normalised)
      .orderBy('group_members.group_id')
      .orderBy('group_tariffs.position')
      .execute()
  );
}
