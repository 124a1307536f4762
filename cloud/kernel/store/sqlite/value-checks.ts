/**
 * SQLite stores any value in any column. Each table has a check that refuses what a column of PostgreSQL refuses, so that a mistake is
 * found on either database: a part of a whole number, one that is too large, a text where a number belongs.
 */
import { type Kysely, sql } from 'kysely';
import { MIGRATION_TABLES } from '../migrate.js';

interface NumberColumn {
  table_name: string;
  table_sql: string;
  column_name: string;
  type: string;
}

const quoted = (name: string): string => `"${name}"`;
const nameOfCheck = (table: string): string => `${table}_values`;
const mentions = (tableSql: string, table: string): boolean => tableSql.includes(quoted(nameOfCheck(table)));

/** Comparing with what it is cast to costs less than asking for its type. */
function checkOfColumn({ column_name, type }: NumberColumn): string {
  const column = quoted(column_name);
  return `${column} is cast(${column} as ${type === 'double precision' ? 'real' : 'integer'})`;
}

/** The columns of numbers, by table. */
async function numberColumns<Schema>(db: Kysely<Schema>): Promise<Map<string, NumberColumn[]>> {
  const { rows } = await sql<NumberColumn>`
    select m.name as table_name, m.sql as table_sql, c.name as column_name, lower(c.type) as type
    from sqlite_master as m, pragma_table_info(m.name) as c
    where m.type = 'table' and lower(c.type) in ('integer', 'bigint', 'double precision')
    order by m.name, c.cid
  `.execute(db);
  const tables = new Map<string, NumberColumn[]>();
  for (const row of rows) {
    if (MIGRATION_TABLES.includes(row.table_name)) continue;
    tables.set(row.table_name, [...(tables.get(row.table_name) ?? []), row]);
  }
  return tables;
}

const dropCheck = <Schema>(db: Kysely<Schema>, table: string) =>
  sql.raw(`alter table ${quoted(table)} drop constraint ${quoted(nameOfCheck(table))}`).execute(db);

/** Removes the checks, because a column cannot be dropped that one mentions. */
export async function dropValueChecks<Schema>(db: Kysely<Schema>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const [table, [column]] of await numberColumns(tx)) {
      if (mentions(column?.table_sql ?? '', table)) await dropCheck(tx, table);
    }
  });
}

/** Gives each table the check of its columns, unless it has it. @throws StoreError when rows of a table break it */
export async function addValueChecks<Schema>(db: Kysely<Schema>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const [table, columns] of await numberColumns(tx)) {
      const check = `constraint ${quoted(nameOfCheck(table))} check (${columns.map(checkOfColumn).join(' and ')})`;
      const tableSql = columns[0]?.table_sql ?? '';
      if (tableSql.includes(check)) continue;
      if (mentions(tableSql, table)) await dropCheck(tx, table);
      await sql.raw(`alter table ${quoted(table)} add ${check}`).execute(tx);
    }
  });
}
