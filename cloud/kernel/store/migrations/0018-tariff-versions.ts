/** What tariffs were from when on, and what sessions owe by that: a later edit or deletion of a tariff changes no price. */
import { sql } from 'kysely';
import { decodeJson, type JsonText } from '../../../../shared/json-text-codec.js';
import { priceStaysBy, type TariffWindow } from '../../price/price-stay.js';
import {
  BIG,
  create,
  ID,
  INTEGER,
  OPTIONAL_BIG,
  OPTIONAL_INTEGER,
  OPTIONAL_TEXT,
  type Schema,
  TEXT,
  TIME,
} from './create-table.js';

/** How many sessions are priced by one statement. */
const PIECE_ROWS = 500;

export async function up(db: Schema): Promise<void> {
  // There is no foreign key to the tariffs, because a version outlives its tariff.
  await create(db, 'tariff_versions', {
    columns: {
      id: ID,
      account_id: INTEGER,
      tariff_id: INTEGER,
      valid_from: TIME,
      currency: TEXT,
      free_minutes: INTEGER,
      price_minor: BIG,
      step_minutes: INTEGER,
      daily_max_minor: OPTIONAL_BIG,
      windows: TEXT,
    },
    indices: [['tariff_id', 'valid_from']],
  });
  const added = { tariff_version_id: OPTIONAL_INTEGER, currency: OPTIONAL_TEXT, price_minor: OPTIONAL_BIG };
  for (const [column, [type]] of Object.entries(added)) {
    await db.schema.alterTable('sessions').addColumn(column, type).execute();
  }
  await sql`insert into tariff_versions (account_id, tariff_id, valid_from, currency, free_minutes, price_minor,
      step_minutes, daily_max_minor, windows)
    select account_id, id, updated_at, currency, free_minutes, price_minor, step_minutes, daily_max_minor, windows
    from tariffs order by id`.execute(db);
  // Of a tariff that was deleted before, nothing is known any more.
  await sql`update sessions set
    tariff_version_id = (select id from tariff_versions where tariff_versions.tariff_id = sessions.tariff_id),
    currency = (select currency from tariff_versions where tariff_versions.tariff_id = sessions.tariff_id)
    where tariff_id is not null`.execute(db);
  await priceEndedSessions(db);
}

interface EndedSession {
  id: number;
  created_at: number;
  ended_at: number;
  discount_time: number | null;
  timezone: string | null;
  version_id: number;
  free_minutes: number;
  price_minor: number;
  step_minutes: number;
  daily_max_minor: number | null;
  windows: JsonText<TariffWindow[]>;
}

/** Ended sessions keep what they would have owed until now. */
async function priceEndedSessions(db: Schema): Promise<void> {
  for (let last = 0; ; ) {
    const { rows } = await sql<EndedSession>`
      select sessions.id, sessions.created_at, sessions.ended_at, sessions.discount_time, lots.timezone,
        versions.id as version_id, versions.free_minutes, versions.price_minor, versions.step_minutes,
        versions.daily_max_minor, versions.windows
      from sessions inner join tariff_versions as versions on versions.id = sessions.tariff_version_id
        left join lots on lots.id = sessions.lot_id
      where sessions.id > ${last} and sessions.ended_at is not null
      order by sessions.id limit ${PIECE_ROWS}`.execute(db);
    if (rows.length === 0) return;
    const cases = rows.map((row) => sql`when ${row.id} then ${priceOf(row)}`);
    const ids = rows.map(({ id }) => sql`${id}`);
    await sql`update sessions set price_minor = case id ${sql.join(cases, sql` `)} else price_minor end
      where id in (${sql.join(ids)})`.execute(db);
    last = rows.at(-1)?.id ?? last;
  }
}

function priceOf({ windows, timezone, created_at, ended_at, discount_time, ...tariff }: EndedSession): number {
  const terms = { ...tariff, windows: decodeJson(windows) };
  const stay = { began_ms: created_at, ended_ms: ended_at, discount_minutes: discount_time };
  return priceStaysBy(terms, timezone ?? 'UTC')(stay);
}
