/** `fold_case` in the SQL of a server: the same as `foldCase`. */
import { sql } from 'kysely';
import type { Schema } from './create-tables.js';
import { adapterOf } from './database-adapter.js';

/** By their coverage: ICU's has all of Unicode; the others are of the C library, for servers that were built without ICU. */
const COLLATIONS = ['und-x-icu', 'pg_c_utf8', 'C.utf8', 'C.UTF-8'];

/** Makes the function where it is written in SQL. A connection of SQLite has it from the program. */
export async function addFoldCase(db: Schema): Promise<void> {
  if (!adapterOf(db).speaksPlpgsql) return;
  const { rows } = await sql<{ name: string }>`
    select collname as name from pg_collation
    where collname = any(${COLLATIONS}) and collencoding in (-1, pg_char_to_encoding('UTF8'))
    order by array_position(cast(${COLLATIONS} as text[]), cast(collname as text)) limit 1`.execute(db);
  const collation = rows[0] === undefined ? '' : ` collate "${rows[0].name}"`;
  const body = `select replace(replace(normalize(lower(upper(lower($1${collation}))), NFC), 'ς', 'σ'), 'i\u0307', 'i') collate "C"`;
  await sql`create function fold_case(text) returns text language sql immutable parallel safe as ${sql.lit(body)}`.execute(
    db,
  );
}
