/** Driver: a database of a PostgreSQL server that is moved from or to. Other programs can read it meanwhile, and not write. */
import { sql } from 'kysely';
import type { Logger } from '../../../../shared/logger.js';
import type { Db } from '../cloud-store.js';
import { shownDatabaseUrl } from '../database-url.js';
import { inUse, type MoveEnd, type MoveEndOptions } from '../move-end.js';
import { type CatalogRow, tableShapes } from '../table-shapes.js';
import { openKysely } from './postgres-dialect.js';
import { OWN_TABLES } from './postgres-identity.js';
import { openPool } from './postgres-pool.js';
import { requireUsableDatabase } from './postgres-requirements.js';

/** How long it is waited for a program that just ends: so often, with so many seconds between. */
const IN_USE_TRIES = 25;
const IN_USE_PAUSE_S = 0.2;

export async function openPostgresMoveEnd(options: MoveEndOptions & { logger: Logger }): Promise<MoveEnd> {
  const { url, role } = options;
  await requireUsableDatabase(url);
  const pool = openPool({ ...options, isReadOnly: role === 'source', connectionsMax: 1 });
  const begin = role === 'source' ? 'begin isolation level repeatable read' : 'begin';
  const db = openKysely({ connect: () => pool.connect(), begin: () => begin });

  async function tables() {
    const { rows: columns } = await sql<CatalogRow>`
      select pg_class.relname as table_name, attname as column_name,
        coalesce(array_position(keys.conkey, attnum), 0) as key_place
      from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
        left join pg_constraint as keys on keys.conrelid = pg_class.oid and keys.contype = 'p'
      where ${OWN_TABLES} order by table_name, attnum
    `.execute(db);
    const { rows: references } = await sql<{ table_name: string; refers_to: string }>`
      select pg_class.relname as table_name, target.relname as refers_to
      from pg_constraint join pg_class on pg_class.oid = conrelid join pg_class as target on target.oid = confrelid
      where contype = 'f' and ${OWN_TABLES}
    `.execute(db);
    return tableShapes(columns, references);
  }

  try {
    await requireUnused(db, url);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    db,
    tables,
    async alone(work) {
      const names = (await tables()).map(({ name }) => sql.table(name));
      const mode = role === 'source' ? sql`share` : sql`exclusive`;
      return db.transaction().execute(async (tx) => {
        // While one end works, the other one stands still for longer than a change ever does.
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
        if (names.length > 0) await sql`lock table ${sql.join(names)} in ${mode} mode`.execute(tx);
        return work(tx);
      });
    },
    close: () => pool.end(),
  };
}

/** Any connection of this program but this one: the cloud keeps its own open as long as it runs. */
async function requireUnused(db: Db, url: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and application_name like current_setting('application_name') || '%'
        and pid <> pg_backend_pid() limit 1
    `.execute(db);
    if (rows.length === 0) return;
    if (tries === IN_USE_TRIES) throw inUse(shownDatabaseUrl(url));
    await sql`select pg_sleep(${IN_USE_PAUSE_S})`.execute(db);
  }
}
