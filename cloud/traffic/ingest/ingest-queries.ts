/** Reads and writes what makes delivery exact: cursors, known uids, dead letters, early and lost records. */
import { sql } from 'kysely';
import type { Lane, OutboxEpoch } from '../../../shared/uplink.js';
import { type Db, insertRows, type NewRow, type Row } from '../../kernel/store/entry.js';

/** How many dead letters, and how many notes of lost records, are kept of one gateway: a person looks at the newest. */
export const FAULTS_OF_GATEWAY_MAX = 1_000;
/** How many cursors are kept of one gateway. An outbox has three; only a restored or cloned one begins others. */
export const CURSORS_OF_GATEWAY_MAX = 300;

/** SQLite knows no offset without a limit. */
const ALL_OTHERS = Number.MAX_SAFE_INTEGER;

export interface LaneKey {
  gateway_id: number;
  epoch: OutboxEpoch;
  lane: Lane;
}

/** Reads the last committed seq; 0 for an outbox epoch that never came. */
export async function readCursor(db: Db, key: LaneKey): Promise<number> {
  const row = await db
    .selectFrom('ingest_cursors')
    .select('seq')
    .where('gateway_id', '=', key.gateway_id)
    .where('epoch', '=', key.epoch)
    .where('lane', '=', key.lane)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

export const laneText = ({ gateway_id, epoch, lane }: LaneKey): string => `${gateway_id} ${epoch} ${lane}`;

export function readCursors(
  db: Db,
  key: Omit<LaneKey, 'lane'>,
): Promise<Pick<Row<'ingest_cursors'>, 'lane' | 'seq'>[]> {
  return db
    .selectFrom('ingest_cursors')
    .select(['lane', 'seq'])
    .where('gateway_id', '=', key.gateway_id)
    .where('epoch', '=', key.epoch)
    .execute();
}

/** Each row is of another lane. */
export async function writeCursors(db: Db, rows: NewRow<'ingest_cursors'>[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('ingest_cursors')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['gateway_id', 'epoch', 'lane']).doUpdateSet(({ ref }) => ({
        seq: ref('excluded.seq'),
        updated_at: ref('excluded.updated_at'),
      })),
    )
    .execute();
}

/** Removes the cursors that each of these gateways used longest ago. A gateway that returns with such an outbox numbers it anew. */
export async function keepNewestCursors(db: Db, gateway_ids: readonly number[]): Promise<void> {
  if (gateway_ids.length === 0) return;
  const ranked = db
    .selectFrom('ingest_cursors')
    .select(['gateway_id', 'updated_at'])
    .select(sql<number>`rank() over (partition by gateway_id order by updated_at desc)`.as('place'))
    .where('gateway_id', 'in', gateway_ids);
  await db
    .deleteFrom('ingest_cursors')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('gateway_id', 'updated_at'),
        'in',
        selectFrom(ranked.as('ranked'))
          .select(['gateway_id', 'updated_at'])
          .where('place', '>', CURSORS_OF_GATEWAY_MAX)
          .$asTuple('gateway_id', 'updated_at'),
      ),
    )
    .execute();
}

/** Finds which of these uids came before, in any outbox epoch. */
export async function knownUids(db: Db, uids: string[]): Promise<Set<string>> {
  if (uids.length === 0) return new Set();
  const rows = await db.selectFrom('ingest_uids').select('uid').where('uid', 'in', uids).execute();
  return new Set(rows.map((row) => row.uid));
}

export const rememberUids = (db: Db, rows: readonly NewRow<'ingest_uids'>[]): Promise<void> =>
  insertRows(db, 'ingest_uids', rows);

type FaultTable = 'dead_letters' | 'lost_records';

/** Inserts dead letters, and forgets the oldest of the same gateways beyond their maximum. */
export async function insertDeadLetters(db: Db, rows: NewRow<'dead_letters'>[]): Promise<void> {
  if (rows.length === 0) return;
  await db.insertInto('dead_letters').values(rows).execute();
  await keepNewestFaults(db, 'dead_letters', rows);
}

async function keepNewestFaults(db: Db, table: FaultTable, inserted: readonly { gateway_id: number }[]): Promise<void> {
  const gateway_ids = [...new Set(inserted.map((row) => row.gateway_id))];
  const ranked = db
    .selectFrom(table)
    .select('id')
    .select(sql<number>`row_number() over (partition by gateway_id order by id desc)`.as('place'))
    .where('gateway_id', 'in', gateway_ids);
  await db
    .deleteFrom(table)
    .where('id', 'in', (eb) =>
      eb.selectFrom(ranked.as('ranked')).select('ranked.id').where('place', '>', FAULTS_OF_GATEWAY_MAX),
    )
    .execute();
}

/** Keeps so many rows in all. Gateways with the most rows lose their oldest first, so that the flood of one gateway removes only its own. */
async function keepFaultsInAll(db: Db, table: FaultTable, kept: number): Promise<void> {
  await sql`
    delete from ${sql.table(table)} where id in (
      select id from (
        select id, row_number() over (partition by gateway_id order by id desc) as nth from ${sql.table(table)}
      ) as ranked order by nth, id desc limit ${ALL_OTHERS} offset ${kept})`.execute(db);
}

/** Finds why records of these gateways were given up. */
export async function deadLetterReasons(
  db: Db,
  wanted: { gateway_ids: readonly number[]; uids: readonly string[] },
): Promise<Pick<Row<'dead_letters'>, 'gateway_id' | 'uid' | 'reason'>[]> {
  if (wanted.uids.length === 0) return [];
  return db
    .selectFrom('dead_letters')
    .select(['gateway_id', 'uid', 'reason'])
    .where('gateway_id', 'in', wanted.gateway_ids)
    .where('uid', 'in', wanted.uids)
    .orderBy('id')
    .execute();
}

export async function insertEarlyRecords(db: Db, rows: NewRow<'early_records'>[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('early_records').values(rows).execute();
}

export async function countEarlyRecords(db: Db, gateway_id: number): Promise<number> {
  return (await countEarlyRecordsOf(db, [gateway_id])).get(gateway_id) ?? 0;
}

/** Counts them by gateway; a gateway without any is not among them. */
export async function countEarlyRecordsOf(db: Db, gateway_ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('early_records')
    .select(({ fn }) => ['gateway_id', fn.countAll<number | string>().as('count')])
    .where('gateway_id', 'in', gateway_ids)
    .groupBy('gateway_id')
    .execute();
  return new Map(rows.map(({ gateway_id, count }) => [gateway_id, Number(count)]));
}

/** Lists those of the uids whose records are early. */
export async function earlyUids(db: Db, uids: readonly string[]): Promise<string[]> {
  if (uids.length === 0) return [];
  const rows = await db.selectFrom('early_records').select('uid').where('uid', 'in', uids).execute();
  return rows.map(({ uid }) => uid);
}

export function earlyRecordsBefore(db: Db, before: number, limit: number): Promise<Row<'early_records'>[]> {
  return db.selectFrom('early_records').selectAll().where('created_at', '<', before).limit(limit).execute();
}

export async function deleteEarlyRecords(db: Db, rows: { uid: string }[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .deleteFrom('early_records')
    .where(
      'uid',
      'in',
      rows.map((row) => row.uid),
    )
    .execute();
}

/** Inserts notes of lost records, and forgets the oldest of the same gateways beyond their maximum. */
export async function insertLost(db: Db, rows: NewRow<'lost_records'>[]): Promise<void> {
  if (rows.length === 0) return;
  await db.insertInto('lost_records').values(rows).execute();
  await keepNewestFaults(db, 'lost_records', rows);
}

/**
 * Removes what is older than the given times. uids must be kept for longer than their record can be repeated.
 * @param faultsKept how many dead letters, and how many notes of lost records, are kept of all gateways together
 */
export async function pruneIngest(db: Db, before: { uids: number; faults: number }, faultsKept: number): Promise<void> {
  await db.deleteFrom('ingest_uids').where('created_at', '<', before.uids).execute();
  for (const table of ['dead_letters', 'lost_records'] as const) {
    await db.deleteFrom(table).where('created_at', '<', before.faults).execute();
    await keepFaultsInAll(db, table, faultsKept);
  }
}

/** Counts the records that wait for others. @returns oldest_at since when the oldest one waits, wall milliseconds; null: none waits */
export async function earlyExtent(db: Db): Promise<{ count: number; oldest_at: number | null }> {
  const { count, oldest_at } = await db
    .selectFrom('early_records')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<number | null>('created_at').as('oldest_at')])
    .executeTakeFirstOrThrow();
  return { count: Number(count), oldest_at };
}
