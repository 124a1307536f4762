/** Looks whether a PostgreSQL server and database are such that this program can work with them. */
import { Client } from 'pg';
import { StoreError } from '../cloud-store.js';
import { shownDatabaseUrl } from '../database-url.js';
import { MIGRATION_TABLE } from '../migrate.js';
import { decideServerFit, type ServerFacts } from './decide-server-fit.js';
import { clientConfig } from './postgres-pool.js';

const NO_ANSWER = 'the host does not answer. Correct host and port, or let this machine through its firewall';

/** By SQLSTATE or by Node.js' code. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there. Start the server, or correct host and port',
  ENOTFOUND: 'the name of the host is not known. Correct it',
  ETIMEDOUT: NO_ANSWER,
  EHOSTUNREACH: NO_ANSWER,
  '28P01': 'user or password is wrong. Correct them',
  '28000': 'the server does not let this user in. Create the user, let it in (pg_hba.conf), or correct its name',
  '3D000': 'there is no such database. Create it: create database NAME encoding UTF8 template template0',
  '42501': 'this user may not connect to it. Grant it: grant all on database NAME to USER',
  '53300': 'all connections of the server are in use. Raise its max_connections, or stop what uses them',
  '57P03': 'the server is starting or stopping. Try again in a moment',
};

/** @param url DATABASE_URL @throws StoreError */
export async function requireUsableDatabase(url: string): Promise<void> {
  const problem = decideServerFit(await readFacts(url));
  if (problem !== null) throw new StoreError('io', `Cannot use the database ${shownDatabaseUrl(url)}: ${problem}.`);
}

async function readFacts(url: string): Promise<ServerFacts> {
  let client: Client | undefined;
  try {
    client = new Client(clientConfig({ url, isReadOnly: false }));
    client.on('error', () => {});
    await client.connect();
    const { rows } = await client.query<ServerFacts>(
      `select current_setting('server_version_num')::int / 10000 as version,
        current_setting('server_version') as version_text,
        current_setting('server_encoding') as encoding,
        current_user as user_name, current_database() as database_name, current_schema() as schema_name,
        coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as may_create,
        current_setting('transaction_read_only') = 'on' as is_read_only,
        (select count(*) from pg_tables where schemaname = current_schema()) as tables,
        to_regclass(quote_ident(current_schema()) || '.${MIGRATION_TABLE}') is not null as has_migrations,
        (
          select min(relname) from pg_class
          where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
            and not (has_table_privilege(oid, 'SELECT') and has_table_privilege(oid, 'INSERT')
              and has_table_privilege(oid, 'UPDATE') and has_table_privilege(oid, 'DELETE'))
        ) as closed_table`,
    );
    const [facts] = rows;
    if (facts === undefined) throw new Error('the server answers nothing');
    return facts;
  } catch (error) {
    throw new StoreError('io', `Cannot open the database ${shownDatabaseUrl(url)}: ${reasonOf(error)}.`, {
      cause: error,
    });
  } finally {
    await client?.end().catch(() => {});
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  const known = REASONS[code ?? ''];
  if (known !== undefined) return known;
  // The client's own time limit has no code.
  if (/^timeout/i.test(message ?? '')) return NO_ANSWER;
  return message || `no connection (${code})`;
}
