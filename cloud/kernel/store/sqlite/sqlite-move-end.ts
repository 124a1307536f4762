/** Driver: one SQLite file that is moved from or to. No other program can open it meanwhile. */
import { existsSync } from 'node:fs';
import { Kysely, sql } from 'kysely';
import { StoreError } from '../cloud-store.js';
import { inUse, type MoveEnd, type MoveEndOptions, MoveRefusedError } from '../move-end.js';
import type { Database } from '../schema.js';
import { type CatalogRow, tableShapes } from '../table-shapes.js';
import { openSqliteConnection, type SqliteConnection } from './sqlite-connection.js';
import { createSqliteDialect } from './sqlite-dialect.js';
import { createOwnersFile, databasePathOf } from './sqlite-store.js';

/** How long it is waited for a program that just ends. */
const BUSY_TIMEOUT_MS = 5_000;

export async function openSqliteMoveEnd({ url, role }: MoveEndOptions): Promise<MoveEnd> {
  const path = databasePathOf(url);
  if (role === 'target') createOwnersFile(path);
  else if (!existsSync(path)) throw new MoveRefusedError(`There is no database ${path}.`);
  const connection = await openAlone(path);
  const db = new Kysely<Database>({ dialect: createSqliteDialect({ connection, begin: 'begin immediate' }) });
  return {
    db,
    async tables() {
      const { rows: columns } = await sql<CatalogRow>`
        select m.name as table_name, c.name as column_name, c.pk as key_place
        from sqlite_master as m, pragma_table_info(m.name) as c
        where m.type = 'table' and m.name not like 'sqlite!_%' escape '!' order by m.name, c.cid
      `.execute(db);
      const { rows: references } = await sql<{ table_name: string; refers_to: string }>`
        select m.name as table_name, f."table" as refers_to
        from sqlite_master as m, pragma_foreign_key_list(m.name) as f where m.type = 'table'
      `.execute(db);
      return tableShapes(columns, references);
    },
    alone: (work) => db.transaction().execute(work),
    close: () => connection.close(),
  };
}

async function openAlone(path: string): Promise<SqliteConnection> {
  try {
    return await openSqliteConnection({ path, readonly: false, isAlone: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  } catch (error) {
    if (error instanceof StoreError && error.code === 'locked') throw inUse(path);
    throw error;
  }
}
