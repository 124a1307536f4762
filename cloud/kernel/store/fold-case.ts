/**
 * The form in which texts are compared whatever their case, in every script. `fold_case` is the same in SQL on each kind of database: a
 * server's own `lower` knows the letters of the language that its database was made for, and often those of ASCII alone.
 */
import { sql } from 'kysely';
import type { Schema } from './create-tables.js';
import { adapterOf } from './database-adapter.js';

/** By way of the upper case, where ß and ﬁ are longer, and of the lower one before, as ẞ has none. The two small sigmas are one letter, and so are i and İ. */
export const foldCase = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().normalize('NFC').replaceAll('ς', 'σ').replaceAll('i\u0307', 'i');

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
