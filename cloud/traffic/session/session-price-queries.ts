/** Finds the version of a tariff by which a session is priced, and stores what ended sessions cost. */
import { sql } from 'kysely';
import { askedRows, type Db, type Row, saveEach } from '../../kernel/entry.js';
import { createSessionPrice } from './amount-due.js';

/** The columns of a session that say by what it is priced. */
export type PricedBy = Pick<Row<'sessions'>, 'tariff_id' | 'tariff_version_id' | 'currency'>;

export const WITHOUT_TARIFF: PricedBy = { tariff_id: null, tariff_version_id: null, currency: null };

/** Returns what prices a session that began at this time, in wall milliseconds. */
export type PricesAt = (tariff_id: number | null, at: number) => PricedBy;

/** Loads the versions that tariffs had at these times; the result knows only these tariffs and times. */
export async function loadPricesAt(db: Db, wanted: readonly { tariff_id: number; at: number }[]): Promise<PricesAt> {
  const found = new Map<string, PricedBy>();
  if (wanted.length > 0) {
    const asked = askedRows(db, { tariff_id: 'integer', at: 'integer' }, wanted);
    const { rows } = await sql<{ tariff_id: number; at: number; id: number; currency: string }>`
      select asked.tariff_id, asked.at, versions.id, versions.currency from ${asked} as asked
        inner join tariff_versions as versions on versions.id = coalesce(
          (select id from tariff_versions as then_valid
            where then_valid.tariff_id = asked.tariff_id and then_valid.valid_from <= asked.at
            order by then_valid.valid_from desc, then_valid.id desc limit 1),
          (select id from tariff_versions as earliest where earliest.tariff_id = asked.tariff_id
            order by earliest.valid_from, earliest.id limit 1))`.execute(db);
    for (const { tariff_id, at, id, currency } of rows) {
      found.set(`${tariff_id} ${at}`, { tariff_id, tariff_version_id: id, currency });
    }
  }
  return (tariff_id, at) => (tariff_id === null ? undefined : found.get(`${tariff_id} ${at}`)) ?? WITHOUT_TARIFF;
}

export async function versionsByIds(db: Db, ids: readonly number[]): Promise<Map<number, Row<'tariff_versions'>>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('tariff_versions').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Stores what ended sessions cost; the price never changes again. Call it in the transaction that ends the sessions, after they were
 * written. Open sessions, and those that have a price, remain as they are.
 */
export async function settlePrices(db: Db, session_ids: readonly number[]): Promise<void> {
  if (session_ids.length === 0) return;
  const sessions = await db
    .selectFrom('sessions')
    .innerJoin('tariff_versions', 'tariff_versions.id', 'sessions.tariff_version_id')
    .leftJoin('lots', 'lots.id', 'sessions.lot_id')
    .selectAll('tariff_versions')
    .select(['sessions.id as session_id', 'sessions.created_at', 'sessions.ended_at', 'sessions.discount_time'])
    .select('lots.timezone')
    .where('sessions.id', 'in', session_ids)
    .where('sessions.ended_at', 'is not', null)
    .where('sessions.price_minor', 'is', null)
    .execute();
  const priceOf = createSessionPrice();
  await saveEach(
    db,
    'sessions',
    sessions.map(({ session_id, created_at, ended_at, discount_time, timezone, ...version }) => {
      const priced = { session: { created_at, discount_time }, version, timezone: timezone ?? 'UTC' };
      return { id: session_id, set: { price_minor: priceOf(priced, ended_at ?? created_at) } };
    }),
  );
}
