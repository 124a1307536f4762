import { type Db, saveEach } from '../../kernel/store/entry.js';
import { encodeJson } from '../../../shared/json-text-codec.js';
import { createSessionCharge, storedPriceLines } from './session-bill.js';

/**
 * Stores what ended sessions cost, and the lines that it is made of; the price never changes again. Call it in the transaction that ends the sessions, after they were
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
  const chargeOf = createSessionCharge();
  await saveEach(
    db,
    'sessions',
    sessions.map(({ session_id, created_at, ended_at, discount_time, timezone, ...version }) => {
      const priced = { session: { created_at, discount_time }, version, timezone: timezone ?? 'UTC' };
      const { price_minor, lines } = chargeOf(priced, ended_at ?? created_at);
      return { id: session_id, set: { price_minor, price_lines: encodeJson(storedPriceLines(lines)) } };
    }),
  );
}
