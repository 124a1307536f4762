import { PostgresAdapter, sql } from 'kysely';
import type { DatabaseAdapter } from '../database-adapter.js';
import { identify, lastIds, setLastIds } from './postgres-identity.js';

/** Of fewer rows the values themselves are not more work than the text that holds them all. */
const ROWS_AS_TEXT_MIN = 4;

/**
 * PostgreSQL takes any number of rows as one parameter. A statement with a parameter for each value of hundreds of rows would be built,
 * sent, parsed and planned anew each time; this one is always the same, and is prepared.
 */
export class JsonRowsAdapter extends PostgresAdapter implements DatabaseAdapter {
  readonly speaksPlpgsql = true;

  lookupRows(columns: Readonly<Record<string, 'integer' | 'text'>>, rows: readonly object[]) {
    const types = { integer: sql`bigint`, text: sql`text collate "C"` };
    const list = Object.entries(columns).map(([name, type]) => sql`${sql.ref(name)} ${types[type]}`);
    const text = JSON.stringify(rows);
    return sql`(select * from json_to_recordset(cast(${text} as json)) as given(${sql.join(list)}))`;
  }

  /** null also for a text with half a surrogate pair, which PostgreSQL does not read in JSON. */
  rowsLike(table: string, rows: readonly object[]) {
    if (rows.length < ROWS_AS_TEXT_MIN) return null;
    const text = JSON.stringify(rows);
    if (text.includes('\\ud') || text.includes('\\u0000')) return null;
    return sql`json_populate_recordset(null::${sql.table(table)}, ${text})`;
  }

  /** The types of its columns are checks enough. */
  async dropValueChecks() {}
  async addValueChecks() {}

  identify = identify;
  lastIds = lastIds;
  setLastIds = setLastIds;
  /** `backup` leaves a server's databases to the server's own tools. */
  async endBackupMark() {}
}
