/** Sums over the sessions that a caller may see and a request's filters match. */
import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../kernel/auth/entry.js';
import type { Db, RunReport } from '../../kernel/store/entry.js';
import { type Condition, matchingRows } from '../../rest/entry.js';
import { SESSION_LIST } from './session-list.js';

export interface SessionsAsked {
  caller: Pick<Caller, 'account_id' | 'lot_ids'>;
  conditions: readonly Condition[];
}

/** Pieces of time of equal length, numbered from `origin_ms`. Only times from `from_ms` until just before `to_ms` count. */
export interface Buckets {
  origin_ms: number;
  step_ms: number;
  from_ms: number;
  to_ms: number;
}

/** Sums over the sessions of one currency that began in one piece of time. */
export interface BegunSums {
  bucket: number;
  /** null: of sessions without a tariff. */
  currency: string | null;
  begun: number;
  ended: number;
  /** The durations of the ended sessions, each in whole seconds as it is shown. */
  seconds: number;
  /** Minor units of the currency. */
  paid: number;
}

export async function sumBegunSessions(db: Db, asked: SessionsAsked, buckets: Buckets): Promise<BegunSums[]> {
  return matchingRows(db, SESSION_LIST, asked)
    .where(within('sessions.created_at', buckets))
    .select([
      bucketOf('sessions.created_at', buckets).as('bucket'),
      'sessions.currency',
      sql<number>`count(*)`.as('begun'),
      sql<number>`count(sessions.ended_at)`.as('ended'),
      secondsOfEnded().as('seconds'),
      sumOf(sql`sessions.amount_paid_minor`).as('paid'),
    ])
    .groupBy([sql`1`, 'sessions.currency'])
    .execute();
}

/** Counts the sessions that ended in each piece of time, also those that began before. */
export async function countEndedSessions(
  db: Db,
  asked: SessionsAsked,
  buckets: Buckets,
): Promise<{ bucket: number; ended: number }[]> {
  return matchingRows(db, SESSION_LIST, asked)
    .where(within('sessions.ended_at', buckets))
    .select([bucketOf('sessions.ended_at', buckets).as('bucket'), sql<number>`count(*)`.as('ended')])
    .groupBy(sql`1`)
    .execute();
}

/** Counts the sessions that began before a time and did not end before it. */
export async function countOpenSessions(db: Db, asked: SessionsAsked, at_ms: number): Promise<number> {
  const begun = matchingRows(db, SESSION_LIST, asked).where(sql<boolean>`sessions.created_at < ${at_ms}`);
  const count = async (where: RawBuilder<boolean>) => {
    const row = await begun.where(where).select(sql<number>`count(*)`.as('open')).executeTakeFirstOrThrow();
    return row.open;
  };
  // Two queries, because each has an index of its own.
  return (await count(sql`sessions.ended_at is null`)) + (await count(sql`sessions.ended_at >= ${at_ms}`));
}

export const VEHICLE_SORTS = {
  visits_count: 'visits',
  total_duration: 'seconds',
  last_seen_at: 'last_seen',
  plate: 'plate',
} as const;

export interface VehicleSums {
  /** Normalised. */
  plate: string;
  visits: number;
  ended: number;
  /** The durations of the ended visits, each in whole seconds as it is shown. */
  seconds: number;
  /** A currency of its visits; null when they have none. */
  currency: string | null;
  /** 1: visits have other currencies too, so that `paid` is no sum. */
  is_mixed: number;
  /** Minor units of the currency. */
  paid: number;
  /** Wall milliseconds. */
  first_seen: number;
  last_seen: number;
}

/** Reads one page of the plates, and counts all plates. */
export async function listVehicles(
  db: Db,
  asked: SessionsAsked,
  page: { sort: keyof typeof VEHICLE_SORTS; direction: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ vehicles: VehicleSums[]; total: number }> {
  const sums = vehicleSums(db, asked).as('vehicles');
  const { sort, direction } = page;
  const sorted = db
    .selectFrom(sums)
    .selectAll()
    .select(sql<number>`count(*) over ()`.as('total'))
    .orderBy(sql.ref(VEHICLE_SORTS[sort]), direction);
  const rows = await (sort === 'plate' ? sorted : sorted.orderBy('plate', direction))
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const [first] = rows;
  const total = first?.total ?? (page.offset === 0 ? 0 : await countVehicles(db, asked));
  return { vehicles: rows, total };
}

/** Reads all plates in their order, piece by piece; each piece is one report. */
export async function* readVehiclePieces(
  report: RunReport,
  asked: SessionsAsked,
  pieceRows: number,
): AsyncGenerator<VehicleSums[]> {
  for (let last = ''; ; ) {
    const after = last;
    const rows = await report((db) =>
      vehicleSums(db, asked)
        .where(sql<boolean>`sessions.plate_normalised > ${after}`)
        .orderBy('sessions.plate_normalised')
        .limit(pieceRows)
        .execute(),
    );
    if (rows.length > 0) yield rows;
    if (rows.length < pieceRows) return;
    last = rows.at(-1)?.plate ?? last;
  }
}

function vehicleSums(db: Db, asked: SessionsAsked) {
  return matchingRows(db, SESSION_LIST, asked)
    .where('sessions.plate_normalised', '<>', '')
    .select([
      'sessions.plate_normalised as plate',
      sql<number>`count(*)`.as('visits'),
      sql<number>`count(sessions.ended_at)`.as('ended'),
      secondsOfEnded().as('seconds'),
      sql<number>`min(sessions.created_at)`.as('first_seen'),
      sql<number>`max(coalesce(sessions.ended_at, sessions.created_at))`.as('last_seen'),
      sql<string | null>`min(sessions.currency)`.as('currency'),
      sql<number>`case when min(sessions.currency) <> max(sessions.currency) then 1 else 0 end`.as('is_mixed'),
      sumOf(sql`sessions.amount_paid_minor`).as('paid'),
    ])
    .groupBy('sessions.plate_normalised');
}

async function countVehicles(db: Db, asked: SessionsAsked): Promise<number> {
  const { total } = await matchingRows(db, SESSION_LIST, asked)
    .where('sessions.plate_normalised', '<>', '')
    .select(sql<number>`count(distinct sessions.plate_normalised)`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** The newest readings of a plate in the caller's lots: its spelling, and how a camera last saw the vehicle. */
export interface NewestReadings {
  plate: string;
  written: string | null;
  seen: Record<'type' | 'make' | 'color' | 'model' | 'country_code', string | null>;
}

const NOTHING_SEEN: NewestReadings['seen'] = { type: null, make: null, color: null, model: null, country_code: null };

export async function newestReadings(
  db: Db,
  caller: SessionsAsked['caller'],
  plates: readonly string[],
): Promise<Map<string, NewestReadings>> {
  if (plates.length === 0) return new Map();
  const lots = sql.raw([...caller.lot_ids].map(Number).join(', '));
  // The plus keeps the database from using an index of the lot, which is in the wanted order too, but holds far more rows per plate.
  const newest = (where: RawBuilder<unknown>) => sql<number | null>`(
    select reading.id from plate_readings as reading
    where reading.plate_normalised = asked.plate and reading.account_id = ${caller.account_id}
      and +reading.lot_id in (${lots}) and reading.session_id is not null ${where}
    order by reading.created_at desc, reading.id desc limit 1)`;
  const { rows } = await sql<{ plate: string; written_id: number | null; seen_id: number | null }>`
    with asked(plate) as (values ${sql.join(plates.map((plate) => sql`(${plate})`))})
    select asked.plate, ${newest(sql``)} as written_id,
      ${newest(sql`and reading.lpr_camera_id is not null`)} as seen_id from asked`.execute(db);
  const ids = [...new Set(rows.flatMap(({ written_id, seen_id }) => [written_id, seen_id]))].filter(
    (id) => id !== null,
  );
  const readings =
    ids.length === 0
      ? []
      : await db
          .selectFrom('plate_readings')
          .select(['id', 'plate', 'type', 'make', 'color', 'model', 'country_code'])
          .where('id', 'in', ids)
          .execute();
  const byId = new Map(readings.map(({ id, plate, ...seen }) => [id, { plate, seen }]));
  return new Map(
    rows.map(({ plate, written_id, seen_id }) => [
      plate,
      {
        plate,
        written: byId.get(written_id ?? -1)?.plate ?? null,
        seen: byId.get(seen_id ?? -1)?.seen ?? NOTHING_SEEN,
      },
    ]),
  );
}

/** Origin and step are literals in the SQL, because with parameters the database would divide as real numbers. */
function bucketOf(column: string, { origin_ms, step_ms }: Buckets): RawBuilder<number> {
  return sql`(${sql.ref(column)} - ${sql.lit(origin_ms)}) / ${sql.lit(step_ms)}`;
}

const within = (column: string, { from_ms, to_ms }: Buckets) =>
  sql<boolean>`${sql.ref(column)} >= ${from_ms} and ${sql.ref(column)} < ${to_ms}`;

const sumOf = (expression: Expression<unknown>) => sql<number>`coalesce(sum(${expression}), 0)`;

const secondsOfEnded = () => sumOf(sql`(sessions.ended_at - sessions.created_at) / 1000`);
