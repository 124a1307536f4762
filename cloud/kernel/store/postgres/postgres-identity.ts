/** What tells a database of a PostgreSQL server from its copies, and the ids that its tables have given. */
import { sql } from 'kysely';
import type { Db } from '../cloud-store.js';
import type { DatabaseIdentity } from '../database-adapter.js';

/** Tables of the schema that is in use. */
export const OWN_TABLES = sql`pg_class.relkind = 'r' and pg_class.relnamespace = current_schema()::regnamespace`;

/** A dump that was read back has tables with other numbers, and perhaps another database. */
const TABLES_IDENTITY = sql<{ identity: string }>`
  select concat_ws(' ', 'database', oid, 'table', cast('database_identity' as regclass)::oid) as identity
  from pg_database where datname = current_database()
`;

/** A server that was restored as a whole, or took over from another one, writes a timeline of its own: its last changes may be missing. */
const SERVER_IDENTITY = sql<{ identity: string }>`
  select concat_ws(' ', 'server', system_identifier, 'timeline', case when pg_is_in_recovery()
    then lpad(upper(to_hex(timeline_id)), 8, '0') else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end) as identity
  from pg_control_system(), pg_control_checkpoint()
`;

/** Not inside a transaction: some services that speak like PostgreSQL say nothing of their server, and that would end it. */
export async function identify(db: Db): Promise<DatabaseIdentity> {
  const ask = async (question: typeof TABLES_IDENTITY): Promise<string> => {
    const [row] = (await question.execute(db)).rows;
    if (row === undefined) throw new Error('The database does not say which one it is');
    return row.identity;
  };
  const server = await ask(SERVER_IDENTITY).catch(() => '');
  return { identity: `${server} ${await ask(TABLES_IDENTITY)}`.trim(), isBackup: false };
}

/** The sequence of each table whose ids the database gives. */
const SEQUENCES = sql`
  select pg_class.relname as table_name,
    pg_get_serial_sequence(quote_ident(pg_class.relname), attname)::regclass as sequence
  from pg_class join pg_attribute on attrelid = pg_class.oid and attidentity <> '' and not attisdropped
  where ${OWN_TABLES}
`;

export async function lastIds(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ table_name: string; last: number }>`
    select table_name, coalesce(pg_sequence_last_value(sequence), 0) as last from (${SEQUENCES}) as sequences
  `.execute(db);
  return new Map(rows.map(({ table_name, last }) => [table_name, Number(last)]));
}

export async function setLastIds(db: Db, last: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, id] of last) {
    if (id === 0) continue;
    await sql`select setval(sequence, ${id}) from (${SEQUENCES}) as sequences where table_name = ${name}`.execute(db);
  }
}
