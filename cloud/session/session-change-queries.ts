/** Writes changes that people make to single sessions. The records of gateways change sessions in batches (`cloud/ingest`). */
import type { Db } from '../store/cloud-store.js';
import type { NewRow } from '../store/schema.js';
import { memberTariffs, type SessionRow, type Tariff, zoneTariffs } from './session-queries.js';

export function insertSession(db: Db, row: NewRow<'sessions'>): Promise<SessionRow> {
  return db.insertInto('sessions').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Ends an open session and returns it as changed. */
export function endSession(
  db: Db,
  session: {
    id: number;
    ended_at: number;
    exit_type: NonNullable<SessionRow['exit_type']>;
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

/** Changes an open session and returns it as changed. */
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

/** Inserts a payment and adds it to what the session has paid. */
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

/** Finds the account and the lot of a zone. */
export function findZoneOwner(db: Db, id: number): Promise<{ account_id: number; lot_id: number } | undefined> {
  return db.selectFrom('zones').select(['account_id', 'lot_id']).where('id', '=', id).executeTakeFirst();
}

/** Finds the tariff that prices a session: the first of a group of the zone that the plate is a member of, else the zone's first. */
export async function findTariffFor(
  db: Db,
  session: { zone_id: number; plate_normalised: string },
): Promise<Tariff | null> {
  // Members may have no plate: a session without a plate must not match them.
  const plates_normalised = session.plate_normalised === '' ? [] : [session.plate_normalised];
  const [ofGroup] = await memberTariffs(db, { zone_ids: [session.zone_id], plates_normalised });
  if (ofGroup !== undefined) return { id: ofGroup.id, currency: ofGroup.currency };
  return (await zoneTariffs(db, [session.zone_id])).get(session.zone_id) ?? null;
}
