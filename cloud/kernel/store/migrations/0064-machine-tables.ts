/**
 * What was stored by the tables of the runtime is from here on by tables of ours, so that it means the same under the next release.
 *
 * Amounts were counted in as many decimal digits as the tables of the runtime gave their currency (HUF 350 was kept as 35,000 under one
 * release of Node.js and as 350 under the next). From here on they are counted in those of ISO 4217. What was shown last is what was meant,
 * so that this asks the runtime that shows it a last time. Names of time zones were kept in the case in which they were sent.
 */
import { sql } from 'kysely';
import { currencyDigits } from '../../../../shared/currencies.js';
import { decodeJson, encodeJson, type JsonText } from '../../../../shared/json-text-codec.js';
import { zoneNamed } from '../../../../shared/zone-names.js';
import type { TariffWindow } from '../../price/price-stay.js';
import type { Schema } from './create-table.js';

export async function up(db: Schema): Promise<void> {
  const { rows } = await sql<{ currency: string }>`
    select currency from tariffs union select currency from tariff_versions
    union select currency from sessions where currency is not null`.execute(db);
  for (const { currency } of rows) {
    const factor = 10 ** (currencyDigits(currency) - digitsOfRuntime(currency));
    if (factor !== 1) await recount(db, currency, factor);
  }
  for (const table of ['lots', 'deleted_lots', 'lpr_cameras']) await spellZones(db, table);
}

async function spellZones(db: Schema, name: string): Promise<void> {
  const table = sql.table(name);
  const { rows } = await sql<{ timezone: string }>`select distinct timezone from ${table}`.execute(db);
  for (const { timezone } of rows) {
    const spelt = zoneNamed(timezone) ?? timezone;
    if (spelt !== timezone) await sql`update ${table} set timezone = ${spelt} where timezone = ${timezone}`.execute(db);
  }
}

function digitsOfRuntime(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

async function recount(db: Schema, currency: string, factor: number): Promise<void> {
  const times = sql.lit(factor);
  for (const table of ['tariffs', 'tariff_versions'].map((name) => sql.table(name))) {
    await sql`update ${table} set price_minor = price_minor * ${times}, daily_max_minor = daily_max_minor * ${times}
      where currency = ${currency}`.execute(db);
    const windowed = await sql<{ id: number; windows: JsonText<TariffWindow[]> }>`
      select id, windows from ${table} where currency = ${currency} and windows <> '[]'`.execute(db);
    for (const { id, windows } of windowed.rows) {
      const recounted = decodeJson(windows).map((window) => ({ ...window, price: window.price * factor }));
      await sql`update ${table} set windows = ${encodeJson(recounted)} where id = ${id}`.execute(db);
    }
  }
  await sql`update session_payments set amount_minor = amount_minor * ${times}
    where session_id in (select id from sessions where currency = ${currency})`.execute(db);
  await sql`update sessions set price_minor = price_minor * ${times}, amount_paid_minor = amount_paid_minor * ${times}
    where currency = ${currency}`.execute(db);
}
