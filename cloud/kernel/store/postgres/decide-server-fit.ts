/** Judges whether this program can work with a PostgreSQL server and database. Pure. */

const VERSION_MIN = 15;

export interface ServerFacts {
  /** Whether what a connection sets is there in its next transaction, and at no other connection. */
  is_session_kept: boolean;
  /** What a connection that asked for a limit of its waits for locks has (ms); another than it asked for: the wish was lost on the way. */
  lock_timeout: number;
  /** 15 */
  version: number;
  /** `15.18 (Debian 15.18-0+deb12u1)` */
  version_text: string;
  encoding: string;
  user_name: string;
  database_name: string;
  /** null: none that this user may use. */
  schema_name: string | null;
  may_create: boolean;
  is_read_only: boolean;
  /** How many tables there are, of whomever. */
  tables: number;
  /** Whether this program's migrations ran here. */
  has_migrations: boolean;
  /** A table in which this user may not read and write; null: there is none. */
  closed_table: string | null;
}

/** @param asked what every connection asks for when it is made. @returns what is wrong, and what to do; null: nothing is */
export function decideServerFit(facts: ServerFacts, asked: { lock_timeout: number }): string | null {
  if (!facts.is_session_kept || facts.lock_timeout !== asked.lock_timeout) {
    const what = facts.is_session_kept
      ? 'drops the settings that connections ask for'
      : 'shares connections between transactions';
    return `a connection pooler (such as PgBouncer) stands before its server and ${what}, so that locks, limits and news between processes are lost. Give the address of the server itself`;
  }
  const { version, version_text, encoding, user_name, database_name, schema_name } = facts;
  if (version < VERSION_MIN) {
    return `its server is PostgreSQL ${version_text}, and ${VERSION_MIN} is the oldest that works. Use a newer server`;
  }
  if (encoding !== 'UTF8') {
    return `its encoding is ${encoding}. Create another one: create database NAME encoding UTF8 template template0`;
  }
  if (schema_name === null) {
    return `user ${user_name} may use no schema of it. Grant it: grant all on schema public to ${user_name}`;
  }
  if (facts.is_read_only) {
    return 'it can only be read, because the server is a standby or is set to read only. Give the address of the primary';
  }
  if (facts.has_migrations) {
    if (facts.closed_table === null) return null;
    return `user ${user_name} may not read and write its table ${facts.closed_table}. Grant it: grant all on all tables in schema ${schema_name} to ${user_name}, or use the user who made them`;
  }
  if (facts.tables > 0) {
    return `it has ${facts.tables} tables of another program. Create a database of its own: create database NAME`;
  }
  if (!facts.may_create) {
    return `user ${user_name} may not create tables. Grant it: alter database ${database_name} owner to ${user_name}, or grant all on schema ${schema_name} to ${user_name}`;
  }
  return null;
}
