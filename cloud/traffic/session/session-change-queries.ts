/** Writes changes that people make to single sessions. The records of gateways change sessions in batches (`cloud/traffic/ingest`). */
import { type Db, LOCKS, type NewRow, type Tx } from '../../kernel/store/entry.js';
import { loadPricesAt, type PricedBy, WITHOUT_TARIFF } from '../tariff/tariff-version-queries.js';
import { settlePrices } from './session-price-queries.js';
import { memberTariffOf } from './member-tariff.js';
import { memberTariffs, type SessionRow, zoneTariffs } from './session-queries.js';

export function insertSession(db: Db, row: NewRow<'sessions'>): Promise<SessionRow> {
  return db.insertInto('sessions').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Ends an open session, with its price. */
export async function endSession(
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
): Promise<void> {
  await db
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
    .execute();
  await settlePrices(db, [session.id]);
}

/** The columns about free minutes that somebody granted. */
type GrantColumn = 'discount_time' | 'discount_reason' | 'discount_granted_by' | 'discount_granted_at';

export async function changeSession(
  db: Db,
  session: {
    id: number;
    now: number;
    set: Partial<PricedBy & Pick<SessionRow, GrantColumn | 'plate_normalised' | 'entry_reading_id'>>;
  },
): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ ...session.set, updated_at: session.now })
    .where('id', '=', session.id)
    .execute();
}

/** Finds the session that a reading began. No other transaction changes the open sessions of the lot until this one ends. */
export async function findSessionBegunBy(tx: Tx, reading: { id: number; lot_id: number }): Promise<SessionRow | null> {
  await tx.lock(LOCKS.openSessions(reading.lot_id));
  const session = await tx
    .selectFrom('plate_readings')
    .innerJoin('sessions', 'sessions.id', 'plate_readings.session_id')
    .selectAll('sessions')
    .where('plate_readings.id', '=', reading.id)
    .whereRef('sessions.entry_reading_id', '=', 'plate_readings.id')
    .executeTakeFirst();
  return session ?? null;
}

/** Whether anything was ever paid for a session, also if it was paid back. */
export async function hasPayments(db: Db, session_id: number): Promise<boolean> {
  const payments = db.selectFrom('session_payments').select('id').where('session_id', '=', session_id);
  return (await payments.limit(1).executeTakeFirst()) !== undefined;
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

/**
 * Finds what prices a session: the first tariff of a group of the zone that the plate is a member of, else the zone's first, as it was at
 * the session's beginning.
 */
export async function findPricedBy(
  db: Db,
  session: { account_id: number; zone_id: number; plate_normalised: string; created_at: number },
): Promise<PricedBy> {
  const { account_id, zone_id, created_at: at } = session;
  // Members may have no plate: a session without a plate must not match them.
  const plates_normalised = session.plate_normalised === '' ? [] : [session.plate_normalised];
  const ofGroups = await memberTariffs(db, { account_ids: [account_id], zone_ids: [zone_id], plates_normalised });
  const tariff_id = memberTariffOf(ofGroups, session) ?? (await zoneTariffs(db, [zone_id])).get(zone_id);
  if (tariff_id === undefined) return WITHOUT_TARIFF;
  return (await loadPricesAt(db, [{ tariff_id, at }]))(tariff_id, at);
}
