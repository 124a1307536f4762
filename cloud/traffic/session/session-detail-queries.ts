/** Reads sessions and payments with everything that REST shows of them. The routes check whether the caller may see them. */
import { type SqlBool, sql } from 'kysely';
import { imagesOfOwners } from '../image/image-queries.js';
import { type PlateReadingDetails, withImages } from '../reading/reading-detail-queries.js';
import type { ReadingImages } from '../image/reading-images-payload.js';
import { timezonesOfLots } from '../../site/entry.js';
import { currencyDigitsExceptions } from '../../../shared/currencies.js';
import type { Db, Row } from '../../kernel/store/entry.js';
import { versionsByIds } from '../tariff/tariff-version-queries.js';

/** A session has two readings, and more when the vehicle is read again and again at its exit. */
const SESSION_READINGS_MAX = 1_000;

/** The reading that began or ended a session. */
export interface SessionPlate {
  reading_id: number;
  plate: string;
  images: ReadingImages;
}

/** A session as it is shown. */
export interface ShownSession {
  session: Pick<Row<'sessions'>, (typeof SHOWN_COLUMNS)[number]>;
  /** What the session is priced by; null: no tariff applies. */
  version: Row<'tariff_versions'> | null;
  /** The time zone of the lot, in which tariff windows are written. */
  timezone: string;
  entry: SessionPlate | null;
  exit: SessionPlate | null;
}

export const SHOWN_COLUMNS = [
  'id',
  'public_id',
  'lot_id',
  'zone_id',
  'tariff_id',
  'tariff_version_id',
  'currency',
  'price_minor',
  'price_lines',
  'entry_reading_id',
  'exit_reading_id',
  'entry_type',
  'entry_source_id',
  'exit_type',
  'exit_source_id',
  'ended_at',
  'discount_time',
  'discount_reason',
  'discount_granted_by',
  'discount_granted_at',
  'amount_paid_minor',
  'possibly_exited',
  'created_at',
  'updated_at',
] as const satisfies (keyof Row<'sessions'>)[];

export interface SessionDetails extends ShownSession {
  id: number;
  account_id: number;
  lot_id: number;
  session: Row<'sessions'>;
}

const NO_IMAGES: ReadingImages = { full: null, cropped: null };

export async function sessionsByIds(db: Db, ids: readonly number[]): Promise<SessionDetails[]> {
  const rows = await db
    .selectFrom('sessions')
    .leftJoin('plate_readings as entry', 'entry.id', 'sessions.entry_reading_id')
    .leftJoin('plate_readings as exit', 'exit.id', 'sessions.exit_reading_id')
    .selectAll('sessions')
    .select([
      'entry.plate as entry_plate',
      'entry.uid as entry_uid',
      'exit.plate as exit_plate',
      'exit.uid as exit_uid',
    ])
    .where('sessions.id', 'in', ids)
    .execute();
  const uids = rows.flatMap(({ entry_uid, exit_uid }) => [entry_uid, exit_uid]).filter((uid) => uid !== null);
  const images = await imagesOfOwners(db, uids);
  const versions = await versionsByIds(db, distinct(rows.map(({ tariff_version_id }) => tariff_version_id)));
  const timezones = await timezonesOfLots(db, distinct(rows.map(({ lot_id }) => lot_id)));
  const plateOf = (reading_id: number | null, plate: string | null, uid: string | null): SessionPlate | null =>
    reading_id === null || plate === null ? null : { reading_id, plate, images: images.get(uid ?? '') ?? NO_IMAGES };
  return rows.map(({ entry_plate, entry_uid, exit_plate, exit_uid, ...session }) => ({
    id: session.id,
    account_id: session.account_id,
    lot_id: session.lot_id,
    session,
    version: versions.get(session.tariff_version_id ?? -1) ?? null,
    timezone: timezones.get(session.lot_id) ?? 'UTC',
    entry: plateOf(session.entry_reading_id, entry_plate, entry_uid),
    exit: plateOf(session.exit_reading_id, exit_plate, exit_uid),
  }));
}

export async function findSessionDetails(db: Db, id: number): Promise<SessionDetails | null> {
  const [details] = await sessionsByIds(db, [id]);
  return details ?? null;
}

/** Lists the readings of a session, including entry and exit, oldest first. */
export async function readingsOfSession(db: Db, session: Row<'sessions'>): Promise<PlateReadingDetails[]> {
  const named = distinct([session.entry_reading_id, session.exit_reading_id]);
  const rows = await db
    .selectFrom('plate_readings')
    .selectAll()
    .where((eb) => eb.or([eb('session_id', '=', session.id), ...(named.length === 0 ? [] : [eb('id', 'in', named)])]))
    .orderBy('created_at')
    .orderBy('id')
    .limit(SESSION_READINGS_MAX)
    .execute();
  return withImages(db, rows);
}

/** The ids that are there, each once. */
export const distinct = (ids: readonly (number | null)[]): number[] => [...new Set(ids.filter((id) => id !== null))];

/** By which the list of sessions filters by status. */
export const SESSION_IS = {
  open: sql<SqlBool>`sessions.ended_at is null`,
  ended: sql<SqlBool>`sessions.ended_at is not null`,
};

/** The duration in whole seconds, as it is shown. @param now wall milliseconds: an open session lasts until then */
export const durationUntil = (now: number) =>
  sql`(coalesce(sessions.ended_at, cast(${now} as bigint)) - sessions.created_at) / 1000`;

/** The paid amount in the major unit of the session's currency. */
export function amountPaid() {
  const minorUnits = currencyDigitsExceptions().map(
    ({ currency, digits }) => sql`when ${sql.lit(currency)} then ${sql.lit(10 ** digits)}`,
  );
  return sql`sessions.amount_paid_minor / (1.0 * case sessions.currency ${sql.join(minorUnits, sql` `)} else 100 end)`;
}

export type PaymentRow = Row<'session_payments'> & { currency: string | null };

/** Payments with the currency of their sessions, which never changes once something was paid. */
export const sessionPaymentsByIds = (db: Db, ids: readonly number[]): Promise<PaymentRow[]> =>
  db
    .selectFrom('session_payments')
    .innerJoin('sessions', 'sessions.id', 'session_payments.session_id')
    .selectAll('session_payments')
    .select('sessions.currency')
    .where('session_payments.id', 'in', ids)
    .execute();
