/** Parking sessions. */
import type { SessionView } from '../../session/session-payload.js';
import type { Db } from '../cloud-store.js';
import type { NewRow, Row } from '../schema.js';
import { imagesOf } from './plate-readings.js';

export type SessionRow = Row<'sessions'>;

export function findSessionByUid(db: Db, uid: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('uid', '=', uid).executeTakeFirst();
}

/** Open sessions of a plate in a lot, the oldest first. */
export function openSessionsOf(db: Db, plate: { lot_id: number; plate_normalised: string }): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('lot_id', '=', plate.lot_id)
    .where('plate_normalised', '=', plate.plate_normalised)
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** The plate's session in the lot that was under way at a time and has ended since. */
export function findEndedSessionAt(
  db: Db,
  plate: { lot_id: number; plate_normalised: string; at: number },
): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('plate_normalised', '=', plate.plate_normalised)
    .where('lot_id', '=', plate.lot_id)
    .where('created_at', '<=', plate.at)
    .where('ended_at', '>', plate.at)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The plate's first session in the lot that began after a time, ended or not. */
export function findNextSession(
  db: Db,
  plate: { lot_id: number; plate_normalised: string; after: number },
): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('plate_normalised', '=', plate.plate_normalised)
    .where('lot_id', '=', plate.lot_id)
    .where('created_at', '>', plate.after)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

export function insertSession(db: Db, row: NewRow<'sessions'>): Promise<SessionRow> {
  return db.insertInto('sessions').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Ends a session that is open; returns it as it is then. */
export function endSession(
  db: Db,
  session: {
    id: number;
    ended_at: number;
    exit_type: string;
    exit_source_id: number;
    exit_reading_id: number | null;
    ended_by_look_alike: boolean;
    possibly_exited: boolean | null;
    now: number;
  },
): Promise<SessionRow> {
  return db
    .updateTable('sessions')
    .set({
      ended_at: session.ended_at,
      exit_type: session.exit_type,
      exit_source_id: session.exit_source_id,
      exit_reading_id: session.exit_reading_id,
      ended_by_look_alike: session.ended_by_look_alike ? 1 : 0,
      possibly_exited: session.possibly_exited === null ? null : Number(session.possibly_exited),
      updated_at: session.now,
    })
    .where('id', '=', session.id)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Changes a session that is open; returns it as it is then. */
export function updateOpenSession(
  db: Db,
  session: {
    id: number;
    now: number;
    set: Partial<Pick<SessionRow, 'discount_time' | 'plate_normalised' | 'entry_reading_id' | 'tariff_id'>>;
  },
): Promise<SessionRow> {
  return db
    .updateTable('sessions')
    .set({ ...session.set, updated_at: session.now })
    .where('id', '=', session.id)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Keeps a payment and adds it to what was paid. */
export async function addSessionPayment(db: Db, payment: NewRow<'session_payments'>): Promise<void> {
  await db.insertInto('session_payments').values(payment).execute();
  await db
    .updateTable('sessions')
    .set(({ eb, ref }) => ({
      amount_paid_minor: eb(ref('amount_paid_minor'), '+', payment.amount_minor),
      updated_at: payment.created_at,
    }))
    .where('id', '=', payment.session_id)
    .execute();
}

/** Whose a zone is and where. */
export function findZonePlace(db: Db, id: number): Promise<{ account_id: number; lot_id: number } | undefined> {
  return db.selectFrom('zones').select(['account_id', 'lot_id']).where('id', '=', id).executeTakeFirst();
}

/** What prices a stay: the first tariff of a group of the zone that the plate is a member of, else the zone's first. */
export async function findTariffFor(
  db: Db,
  stay: { zone_id: number; plate_normalised: string },
): Promise<{ id: number; currency: string } | null> {
  // Members may have no plate; a stay without one is no member's.
  const ofGroup = stay.plate_normalised === '' ? undefined : await findGroupTariff(db, stay);
  if (ofGroup !== undefined) return ofGroup;
  const ofZone = await db
    .selectFrom('zone_tariffs')
    .innerJoin('tariffs', 'tariffs.id', 'zone_tariffs.tariff_id')
    .select(['tariffs.id', 'tariffs.currency'])
    .where('zone_tariffs.zone_id', '=', stay.zone_id)
    .orderBy('zone_tariffs.position')
    .limit(1)
    .executeTakeFirst();
  return ofZone ?? null;
}

function findGroupTariff(db: Db, stay: { zone_id: number; plate_normalised: string }) {
  return db
    .selectFrom('members')
    .innerJoin('group_members', 'group_members.member_id', 'members.id')
    .innerJoin('group_zones', 'group_zones.group_id', 'group_members.group_id')
    .innerJoin('group_tariffs', 'group_tariffs.group_id', 'group_members.group_id')
    .innerJoin('tariffs', 'tariffs.id', 'group_tariffs.tariff_id')
    .select(['tariffs.id', 'tariffs.currency'])
    .where('members.plate_normalised', '=', stay.plate_normalised)
    .where('group_zones.zone_id', '=', stay.zone_id)
    .orderBy('group_members.group_id')
    .orderBy('group_tariffs.position')
    .limit(1)
    .executeTakeFirst();
}

/** A session with what its payloads take from its tariff and its entry. */
export async function sessionView(db: Db, session: SessionRow): Promise<SessionView> {
  const tariff =
    session.tariff_id === null
      ? undefined
      : await db.selectFrom('tariffs').select('currency').where('id', '=', session.tariff_id).executeTakeFirst();
  const reading =
    session.entry_reading_id === null
      ? undefined
      : await db
          .selectFrom('plate_readings')
          .select(['id', 'uid', 'plate'])
          .where('id', '=', session.entry_reading_id)
          .executeTakeFirst();
  if (reading === undefined) return { session, currency: tariff?.currency ?? null, entry: null };
  const images = await imagesOf(db, reading.uid);
  return {
    session,
    currency: tariff?.currency ?? null,
    entry: { reading_id: reading.id, plate: reading.plate, images },
  };
}
