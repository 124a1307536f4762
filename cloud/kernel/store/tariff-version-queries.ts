/**
 * Keeps what tariffs were. Whoever writes a tariff, over REST or by a site file, writes its row by `row-queries.ts`, which calls this: a
 * session is priced by its tariff as that was when the session began, and may be reported long after an edit.
 */
import type { Db } from './cloud-store.js';

const TERMS = ['currency', 'free_minutes', 'price_minor', 'step_minutes', 'daily_max_minor', 'windows'] as const;

/** Adds a version if the tariff's row differs from its newest one in what a price follows from. Call it after the row was written. */
export async function keepTariffVersion(tx: Db, tariff_id: number): Promise<void> {
  const tariff = await tx
    .selectFrom('tariffs')
    .select(['account_id', 'updated_at', ...TERMS])
    .where('id', '=', tariff_id)
    .executeTakeFirst();
  if (tariff === undefined) return;
  const newest = await tx
    .selectFrom('tariff_versions')
    .select(['valid_from', ...TERMS])
    .where('tariff_id', '=', tariff_id)
    .orderBy('valid_from', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest !== undefined && TERMS.every((term) => newest[term] === tariff[term])) return;
  const { updated_at, ...version } = tariff;
  // Clocks of processes differ: the version that is written last is the one that counts from then on.
  const valid_from = Math.max(updated_at, newest?.valid_from ?? updated_at);
  await tx
    .insertInto('tariff_versions')
    .values({ ...version, tariff_id, valid_from })
    .execute();
}
