/** The form in which migrations describe a table: its columns by name, keys and indices. Released migrations use it, so only add to it. */
import {
  type ColumnDefinitionBuilder,
  type CreateTableBuilder,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  sql,
} from 'kysely';

// A migration sees the schema of its time, not the present types.
export type Schema = Kysely<unknown>;
type ColumnType = 'text' | 'integer' | 'bigint' | 'double precision';
type Column = [type: ColumnType, build?: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder];

const required = (type: ColumnType): Column => [type, (column) => column.notNull()];
export const ID: Column = ['integer', (column) => column.primaryKey().autoIncrement()];
export const KEY: Column = ['text', (column) => column.notNull().primaryKey()];
export const TEXT = required('text');
export const INTEGER = required('integer');
export const TIME = required('bigint');
export const BIG = required('bigint');
export const OPTIONAL_TEXT: Column = ['text'];
export const OPTIONAL_INTEGER: Column = ['integer'];
export const OPTIONAL_TIME: Column = ['bigint'];
export const OPTIONAL_BIG: Column = ['bigint'];
export const OPTIONAL_DOUBLE: Column = ['double precision'];
export const TIMESTAMPS = { created_at: TIME, updated_at: TIME };

/** The row is a part of the thing that it refers to, and is deleted with it. */
export const partOf = (table: string): Column => [
  'integer',
  (column) => column.notNull().references(`${table}.id`).onDelete('cascade'),
];

/** The row remains when the thing that it refers to is deleted; the reference becomes null. */
export const optionally = (table: string): Column => [
  'integer',
  (column) => column.references(`${table}.id`).onDelete('set null'),
];

/** The row refers to nothing, or is a part of the thing that it refers to and is deleted with it. */
export const optionalPartOf = (table: string): Column => [
  'integer',
  (column) => column.references(`${table}.id`).onDelete('cascade'),
];

interface TableDefinition {
  columns: Record<string, Column>;
  primaryKey?: string[];
  unique?: string[][];
  indices?: string[][];
  /** Indices of only the rows that have not ended. */
  indicesOfOpen?: string[][];
}

export async function create(db: Schema, name: string, definition: TableDefinition): Promise<void> {
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const [column, [type, build]] of Object.entries(definition.columns))
    table = table.addColumn(column, type, build);
  if (definition.primaryKey !== undefined) table = table.addPrimaryKeyConstraint(`${name}_key`, definition.primaryKey);
  await table.execute();
  const index = (columns: string[]) =>
    db.schema
      .createIndex(`${name}_${columns.join('_')}`)
      .on(name)
      .columns(columns);
  for (const columns of definition.unique ?? []) await index(columns).unique().execute();
  for (const columns of definition.indices ?? []) await index(columns).execute();
  for (const columns of definition.indicesOfOpen ?? [])
    await index(columns).where(sql.ref('ended_at'), 'is', null).execute();
}

/** Creates a table of pairs, which can be found from both sides; `position` keeps their order. */
export async function createPairs(
  db: Schema,
  name: string,
  pair: { left: [string, string]; right: [string, string]; ordered?: true },
) {
  const { left, right } = pair;
  await create(db, name, {
    columns: {
      [left[0]]: partOf(left[1]),
      [right[0]]: partOf(right[1]),
      ...(pair.ordered ? { position: INTEGER } : {}),
    },
    primaryKey: [left[0], right[0]],
    indices: [[right[0]]],
  });
}

/** Whether the database is a PostgreSQL server; else it is a SQLite file. Their triggers are written in different languages. */
export const isPostgres = (db: Schema): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

/** The database itself refuses to change or remove what was written. */
export async function appendOnly(db: Schema, name: string): Promise<void> {
  const message = `${name} is only appended to`;
  for (const operation of ['update', 'delete']) {
    const trigger = `${name}_no_${operation}`;
    if (isPostgres(db)) {
      await createPostgresTrigger(db, trigger, {
        when: sql`before ${sql.raw(operation)} on ${sql.id(name)} for each row`,
        body: `raise exception '${message}';`,
      });
    } else {
      await sql`
        create trigger ${sql.id(trigger)} before ${sql.raw(operation)} on ${sql.id(name)}
        begin select raise(abort, ${sql.lit(message)}); end
      `.execute(db);
    }
  }
}

/** Creates a trigger with its function of the same name. @param definition.body statements of PL/pgSQL */
export async function createPostgresTrigger(
  db: Schema,
  name: string,
  { when, body }: { when: RawBuilder<unknown>; body: string },
): Promise<void> {
  await sql`
    create function ${sql.id(name)}() returns trigger language plpgsql as ${sql.lit(`begin ${body} return null; end`)}
  `.execute(db);
  await sql`create trigger ${sql.id(name)} ${when} execute function ${sql.id(name)}()`.execute(db);
}
