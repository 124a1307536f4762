/** What a PostgreSQL server and database must be for this program, and what to do when they are not. */
import { Client } from 'pg';
import { StoreError } from '../cloud-store.js';
import { MIGRATION_TABLE } from '../migrate.js';
import { clientConfig } from './postgres-pool.js';

const VERSION_MIN = 15;

/** By SQLSTATE or by Node.js' code. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there. Start the server, or correct host and port',
  ENOTFOUND: 'the name of the host is not known. Correct it',
  ETIMEDOUT: 'the host does not answer. Correct host and port, or let this machine through its firewall',
  '28P01': 'the password is wrong. Correct user and password',
  '28000': 'the server does not let this user in. Let it in (pg_hba.conf), or correct the user',
  '3D000': 'there is no such database. Create it: create database NAME encoding UTF8 template template0',
  '53300': 'all connections of the server are in use. Raise its max_connections, or stop what uses them',
  '57P03': 'the server is starting or stopping. Try again in a moment',
};

interface Facts {
  version: number;
  version_text: string;
  encoding: string;
  user_name: string;
  database_name: string;
  schema_name: string | null;
  may_create: boolean;
  is_read_only: boolean;
  tables: number;
  has_migrations: boolean;
}

/** @param url DATABASE_URL @throws StoreError */
export async function requireUsableDatabase(url: string): Promise<void> {
  const facts = await readFacts(url);
  const problem = problemOf(facts);
  if (problem !== null) throw new StoreError('io', `Cannot use the database ${shown(url)}: ${problem}.`);
}

async function readFacts(url: string): Promise<Facts> {
  const client = new Client(clientConfig({ url, isReadOnly: false }));
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<Facts>(
      `select current_setting('server_version_num')::int / 10000 as version,
        current_setting('server_version') as version_text,
        current_setting('server_encoding') as encoding,
        current_user as user_name, current_database() as database_name, current_schema() as schema_name,
        coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as may_create,
        current_setting('transaction_read_only') = 'on' as is_read_only,
        (select count(*) from pg_tables where schemaname = current_schema()) as tables,
        to_regclass(quote_ident(current_schema()) || '.${MIGRATION_TABLE}') is not null as has_migrations`,
    );
    const [facts] = rows;
    if (facts === undefined) throw new Error('the server answers nothing');
    return facts;
  } catch (error) {
    throw new StoreError('io', `Cannot open the database ${shown(url)}: ${reasonOf(error)}.`, { cause: error });
  } finally {
    await client.end().catch(() => {});
  }
}

function problemOf(facts: Facts): string | null {
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
  if (!facts.has_migrations && facts.tables > 0) {
    return `it has ${facts.tables} tables of another program. Create a database of its own: create database NAME`;
  }
  if (!facts.may_create) {
    return `user ${user_name} may not create tables. Grant it: alter database ${database_name} owner to ${user_name}, or grant all on schema ${schema_name} to ${user_name}`;
  }
  return null;
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return REASONS[code ?? ''] ?? (message || `no connection (${code})`);
}

/** The address without its password. */
function shown(url: string): string {
  if (!URL.canParse(url)) return 'of DATABASE_URL';
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.href;
}
