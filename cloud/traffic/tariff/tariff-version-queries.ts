/**
 * Keeps what tariffs were: a session is priced by its tariff as that was when the session began, and may be reported long after an edit.
 */
import { sql } from 'kysely';
import { lookupRows, type Db, type Row } from '../../kernel/store/entry.js';

const TERMS = ['currency', 'free_minutes', 'price_minor', 'step_minutes', 'daily_max_minor', 'windows', 'vat'] as const;

/**
 * Adds a version if the tariff's row differs from its newest one in what a price or its tax follows from, and has all of them know its name.
 * Whoever writes the row calls it then.
 */
export async function keepTariffVersion(tx: Db, tariff_id: number): Promise<void> {
  const tariff = await tx
    .selectFrom('tariffs')
    .select(['account_id', 'name', 'updated_at', ...TERMS])
    .where('id', '=', tariff_id)
    .executeTakeFirst();
  if (tariff === undefined) return;
  const newest = await tx
    .selectFrom('tariff_versions')
    .select(['valid_from', 'name', ...TERMS])
    .where('tariff_id', '=', tariff_id)
    .orderBy('valid_from', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const { name } = tariff;
  if (newest !== undefined && newest.name !== name) {
    await tx.updateTable('tariff_versions').set({ name }).where('tariff_id', '=', tariff_id).execute();
  }
  if (newest !== undefined && TERMS.every((term) => newest[term] === tariff[term])) return;
  const { updated_at, ...version } = tariff;
  // Clocks of processes differ: the version that is written last is the one that counts from then on.
  const valid_from = Math.max(updated_at, newest?.valid_from ?? updated_at);
  await tx
    .insertInto('tariff_versions')
    .values({ ...version, tariff_id, valid_from })
    .execute();
}

/** The columns of a session that say by what it is priced. */
export type PricedBy = Pick<Row<'sessions'>, 'tariff_id' | 'tariff_version_id' | 'currency'>;

export const WITHOUT_TARIFF: PricedBy = { tariff_id: null, tariff_version_id: null, currency: null };

/** Returns what prices a session that began at this time, in wall milliseconds. */
export type PricesAt = (tariff_id: number | null, at: number) => PricedBy;

/** Loads the versions that tariffs had at these times; the result knows only these tariffs and times. */
export async function loadPricesAt(db: Db, wanted: readonly { tariff_id: number; at: number }[]): Promise<PricesAt> {
  const found = new Map<string, PricedBy>();
  if (wanted.length > 0) {
    const asked = lookupRows(db, { tariff_id: 'integer', at: 'integer' }, wanted);
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
