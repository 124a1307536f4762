/** Tables as a migration makes them: said as data by the rooms, and made here on either kind of database. */
import {
  type ColumnDefinitionBuilder,
  type CreateTableBuilder,
  type Kysely,
  type Migration,
  type RawBuilder,
  sql,
} from 'kysely';
import { adapterOf } from './database-adapter.js';
import { inOrderOfReferences } from './table-shapes.js';

// A migration sees the schema of its time, not the present types.
export type Schema = Kysely<unknown>;
export type ColumnType = 'text' | 'integer' | 'bigint' | 'double precision';

/** `id`: a number that the database gives, and never twice, because other systems and the history keep those of deleted things. */
export type Column =
  | 'id'
  | 'key'
  | ColumnType
  | `${ColumnType} null`
  | { type: ColumnType; default: number | string }
  /** The id of the thing that the row is a part of, and is deleted with. */
  | { partOf: string; isNullable?: true }
  /** The id of a thing without which the row remains: it becomes null. */
  | { refersTo: string };

/** Its columns; its name follows from them unless it has one. */
type Index = readonly string[] | { columns: readonly string[]; isUnique?: true; where?: string; name?: string };

interface Table {
  columns: Readonly<Record<string, Column>>;
  primaryKey?: readonly string[];
  indices?: readonly Index[];
  /** Makes what else belongs to it. */
  after?(db: Schema, name: string): Promise<void>;
}

/** Tables by name. What a migration made of them is not changed any more: a later migration changes the tables. */
export type Tables = Readonly<Record<string, Table>>;

/** Creates tables, in any order given: each after those that it refers to. */
export async function createTables(db: Schema, rooms: readonly Tables[]): Promise<void> {
  const tables = rooms.flatMap((room) => Object.entries(room)).map(([name, table]) => ({ name, table }));
  for (const { name, table } of inOrderOfReferences(tables.map((each) => ({ ...each, refersTo: namedBy(each) })))) {
    await createTable(db, name, table);
    await table.after?.(db, name);
  }
}

function referenceOf(column: Column): string | null {
  if (typeof column === 'string' || 'type' in column) return null;
  return 'partOf' in column ? column.partOf : column.refersTo;
}

const namedBy = ({ name, table }: { name: string; table: Table }): string[] =>
  Object.values(table.columns)
    .map(referenceOf)
    .filter((reference) => reference !== null && reference !== name) as string[];

async function createTable(db: Schema, name: string, { columns, primaryKey, indices = [] }: Table): Promise<void> {
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const [column, what] of Object.entries(columns))
    table = table.addColumn(column, typeOf(what), (built) => buildColumn(built, what));
  if (primaryKey !== undefined) table = table.addPrimaryKeyConstraint(`${name}_key`, [...primaryKey]);
  await table.execute();
  for (const index of indices) await createIndex(db, name, 'columns' in index ? index : { columns: index });
}

function typeOf(column: Column): ColumnType {
  if (typeof column !== 'string') return 'type' in column ? column.type : 'integer';
  if (column === 'id') return 'integer';
  return column === 'key' ? 'text' : (column.replace(' null', '') as ColumnType);
}

function buildColumn(built: ColumnDefinitionBuilder, column: Column): ColumnDefinitionBuilder {
  if (column === 'id') return built.primaryKey().autoIncrement();
  if (column === 'key') return built.notNull().primaryKey();
  if (typeof column === 'string') return column.endsWith(' null') ? built : built.notNull();
  if ('type' in column) return built.notNull().defaultTo(column.default);
  if ('refersTo' in column) return built.references(`${column.refersTo}.id`).onDelete('set null');
  const part = built.references(`${column.partOf}.id`).onDelete('cascade');
  return column.isNullable === true ? part : part.notNull();
}

/** A column that rows can get: in those that are there already it is null, or has the default. */
type AddedColumn =
  | `${ColumnType} null`
  | Extract<Column, { default: unknown } | { refersTo: unknown }>
  | { partOf: string; isNullable: true };

/** A migration that adds columns to a table. */
export const addColumns = (table: string, columns: Readonly<Record<string, AddedColumn>>): Migration => ({
  async up(db: Schema) {
    // SQLite adds one at a time.
    for (const [column, what] of Object.entries(columns)) {
      const altered = db.schema.alterTable(table);
      await altered.addColumn(column, typeOf(what), (built) => buildColumn(built, what)).execute();
    }
  },
});

/** A migration of several steps. */
export const inOrder = (...steps: readonly Migration[]): Migration => ({
  async up(db: Schema) {
    for (const step of steps) await step.up(db);
  },
});

async function createIndex(db: Schema, table: string, index: Exclude<Index, readonly string[]>): Promise<void> {
  const { columns, isUnique = false, where, name = `${table}_${columns.join('_')}` } = index;
  const built = db.schema
    .createIndex(name)
    .on(table)
    .columns([...columns]);
  const made = isUnique ? built.unique() : built;
  await (where === undefined ? made : made.where(sql<boolean>`${sql.raw(where)}`)).execute();
}

interface Trigger {
  name: string;
  table: string;
  /** `after update of lot_id` */
  event: string;
  /** By `old` and `new`. */
  condition?: string;
  /** Statements, in the language of the database's triggers. */
  body: string;
}

/** Creates a trigger for each row; on PostgreSQL with a function of its name. */
export async function createTrigger(db: Schema, { name, table, event, condition, body }: Trigger): Promise<void> {
  const begin = sql`create trigger ${sql.id(name)} ${sql.raw(event)} on ${sql.id(table)}`;
  if (!adapterOf(db).speaksPlpgsql) {
    await sql`${begin} ${when(condition)} begin ${sql.raw(body)} end`.execute(db);
    return;
  }
  await sql`
    create function ${sql.id(name)}() returns trigger language plpgsql as ${sql.lit(`begin ${body} return null; end`)}
  `.execute(db);
  await sql`${begin} for each row ${when(condition)} execute function ${sql.id(name)}()`.execute(db);
}

const when = (condition: string | undefined): RawBuilder<unknown> =>
  condition === undefined ? sql`` : sql`when (${sql.raw(condition)})`;

/** The database itself refuses to change or remove what was written. */
export async function appendOnly(db: Schema, table: string): Promise<void> {
  const message = `'${table} is only appended to'`;
  const body = adapterOf(db).speaksPlpgsql ? `raise exception ${message};` : `select raise(abort, ${message});`;
  for (const operation of ['update', 'delete'])
    await createTrigger(db, { name: `${table}_no_${operation}`, table, event: `before ${operation}`, body });
}
