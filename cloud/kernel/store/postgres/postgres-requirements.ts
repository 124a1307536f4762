/** Looks whether a PostgreSQL server and database are such that this program can work with them. */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { errorText } from '../../../../shared/error-text.js';
import { StoreError } from '../cloud-store.js';
import { shownDatabaseUrl } from '../database-url.js';
import { MIGRATION_TABLE } from '../migrate.js';
import { decideServerFit, type ServerFacts } from './decide-server-fit.js';
import { clientConfig, LOCK_TIMEOUT_MS } from './postgres-pool.js';

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
  const problem = decideServerFit(await readFacts(url), { lock_timeout: LOCK_TIMEOUT_MS });
  if (problem !== null) throw new StoreError('io', `Cannot use the database ${shownDatabaseUrl(url)}: ${problem}.`);
}

async function readFacts(url: string): Promise<ServerFacts> {
  const clients: Client[] = [];
  const open = async (): Promise<Client> => {
    const client = new Client(clientConfig({ url, isReadOnly: false }));
    clients.push(client);
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  try {
    const client = await open();
    const is_session_kept = await keepsSessions(client, await open());
    const { rows } = await client.query<Omit<ServerFacts, 'is_session_kept'>>(
      `select current_setting('server_version_num')::int / 10000 as version,
        current_setting('server_version') as version_text,
        (select setting::int from pg_settings where name = 'lock_timeout') as lock_timeout,
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
    return { ...facts, is_session_kept };
  } catch (error) {
    throw new StoreError('io', `Cannot open the database ${shownDatabaseUrl(url)}: ${reasonOf(error)}.`, {
      cause: error,
    });
  } finally {
    for (const each of clients) await each.end().catch(() => {});
  }
}

/**
 * Sets something for a connection and reads it in its next transaction, while another connection is in one. A pooler that hands connections of
 * the server out by transaction gives the other one what the first one had.
 */
async function keepsSessions(client: Client, other: Client): Promise<boolean> {
  const mark = randomUUID();
  const markOf = async (each: Client) =>
    (await each.query<{ mark: string | null }>("select current_setting('parking.mark', true) as mark")).rows[0]?.mark;
  await client.query("select set_config('parking.mark', $1, false)", [mark]);
  await other.query('begin');
  try {
    return (await markOf(other)) !== mark && (await markOf(client)) === mark;
  } finally {
    await other.query('rollback');
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as { code?: string };
  const known = REASONS[code ?? ''];
  if (known !== undefined) return known;
  const text = errorText(error);
  // The client's own time limit has no code.
  return /^timeout/i.test(text) ? NO_ANSWER : text;
}
