/** Moves all rows of one database into an empty one of either kind, and compares what has arrived. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Migrations } from './cloud-store.js';
import { bringUpToDate } from './bring-up-to-date.js';
import { adapterOf } from './database-adapter.js';
import { findNotedIdentity, setMovedIdentity } from './identity-queries.js';
import { ranMigrations } from './migrate.js';
import { type MoveEnd, MoveRefusedError, type TableShape } from './move-end.js';
import { inOrderOfReferences } from './table-shapes.js';
import { errorText } from '../../../shared/error-text.js';

/** So few that rows of a megabyte fit into memory, and a statement has fewer values than any database allows. */
const PIECE_ROWS = 100;
const MODULUS = 1n << 256n;
const SHOWN_DIGITS = 16;

type Values = Record<string, unknown>;

export interface MoveProgress {
  step: 'copying' | 'comparing';
  table: string;
  rows: number;
  /** How many rows the table has. */
  of: number;
}

export interface MovedTable {
  name: string;
  rows: number;
  /** The same on both sides. */
  hash: string;
  /** Texts in which characters that PostgreSQL cannot store were replaced. */
  replaced: number;
}

/**
 * Copies every row, as one transaction: the target has all of it or nothing. The source is only read.
 * @param openTarget called when the source can be moved
 * @returns the tables in the order in which they were copied
 * @throws MoveRefusedError when nothing could be written
 * @throws Error when what has arrived is not what was sent; nothing is kept then
 */
export async function moveDatabase(
  from: MoveEnd,
  openTarget: () => Promise<MoveEnd>,
  { migrations, onProgress }: { migrations: Migrations; onProgress(progress: MoveProgress): void },
): Promise<MovedTable[]> {
  await requireNewestSchema(from, migrations);
  const tables = inOrderOfReferences(await from.tables());
  const isCopy = await isRestored(from.db);
  const to = await openTarget();
  try {
    await bringUpToDate(to.db, migrations);
    return await from.alone((source) =>
      to.alone(async (target) => {
        await requireEmpty(target, tables);
        const moved: MovedTable[] = [];
        for (const table of tables) moved.push(await moveTable({ source, target, table, onProgress }));
        await adapterOf(target).setLastIds(target, await adapterOf(source).lastIds(source));
        await setMovedIdentity(target, { isCopy });
        return moved;
      }),
    );
  } finally {
    await to.close();
  }
}

/** Whether the source itself was restored from a copy, and no cloud worked on it yet. */
async function isRestored(source: Db): Promise<boolean> {
  const { identity, isBackup } = await adapterOf(source).identify(source);
  const noted = await findNotedIdentity(source);
  return isBackup || (noted !== null && noted !== identity);
}

async function requireNewestSchema({ db }: MoveEnd, migrations: Migrations): Promise<void> {
  const ran = await ranMigrations(db);
  if (ran.length === 0) throw new MoveRefusedError('The source is no database of this program.');
  const unknown = ran.filter((name) => !(name in migrations));
  if (unknown.length > 0) {
    throw new MoveRefusedError(`The source is of another version (${unknown.at(-1)}): move it with that version.`);
  }
  const missing = Object.keys(migrations).filter((name) => !ran.includes(name));
  if (missing.length > 0) {
    throw new MoveRefusedError(
      `The source is of an older version, without ${missing[0]}: bring it up to date by parking-cloud migrate, and run this again.`,
    );
  }
}

async function requireEmpty(db: Db, tables: readonly TableShape[]): Promise<void> {
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length === 0) continue;
    throw new MoveRefusedError(
      `The target has data already (in table ${name}), and nothing is overwritten: give the address of an empty database.`,
    );
  }
}

async function moveTable(options: {
  source: Db;
  target: Db;
  table: TableShape;
  onProgress: (progress: MoveProgress) => void;
}): Promise<MovedTable> {
  const { source, target, table, onProgress } = options;
  const { name } = table;
  const of = await countRows(source, name);
  let replaced = 0;
  const sent = createRowSum();
  await eachPiece(source, table, async (rows) => {
    onProgress({ step: 'copying', table: name, rows: sent.rows, of });
    const storable = rows.map((row) => {
      const values = table.columns.map((column) => storableValue(row[column]));
      replaced += values.filter((value, index) => value !== row[table.columns[index] ?? '']).length;
      sent.add(values);
      return Object.fromEntries(table.columns.map((column, index) => [column, values[index]]));
    });
    await insertRows(target, name, storable);
  });
  const arrived = createRowSum();
  await eachPiece(target, table, async (rows) => {
    onProgress({ step: 'comparing', table: name, rows: arrived.rows, of });
    for (const row of rows) arrived.add(table.columns.map((column) => row[column]));
  });
  requireSame(name, [of, sent, arrived]);
  return { name, rows: sent.rows, hash: sent.hash(), replaced };
}

/** Counts rows, and sums their hashes, so that the order in which they are read does not matter. */
interface RowSum {
  add(values: readonly unknown[]): void;
  readonly rows: number;
  /** 16 hex digits. */
  hash(): string;
}

function createRowSum(): RowSum {
  let sum = 0n;
  let rows = 0;
  return {
    add(values) {
      const hash = createHash('sha256').update(JSON.stringify(values)).digest('hex');
      sum = (sum + BigInt(`0x${hash}`)) % MODULUS;
      rows += 1;
    },
    get rows() {
      return rows;
    },
    hash: () => sum.toString(16).padStart(64, '0').slice(0, SHOWN_DIGITS),
  };
}

function requireSame(name: string, [of, sent, arrived]: [number, RowSum, RowSum]): void {
  if (of === sent.rows && sent.rows === arrived.rows && sent.hash() === arrived.hash()) return;
  const sides = [sent, arrived].map((sum) => `${sum.rows} rows with hash ${sum.hash()}`);
  throw new Error(`Table ${name} is not the same on both sides: ${sides.join(', then ')}. The target keeps nothing.`);
}

async function countRows(db: Db, name: string): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(db);
  const [counted] = rows;
  if (counted === undefined) throw new Error(`The rows of ${name} were not counted`);
  return counted.rows;
}

/** Reads a table in the order of its key. */
async function eachPiece(db: Db, { name, key }: TableShape, work: (rows: Values[]) => Promise<void>): Promise<void> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let after = sql``;
  for (;;) {
    const { rows } = await sql<Values>`
      select * from ${sql.table(name)} ${after} order by ${columns} limit ${sql.lit(PIECE_ROWS)}
    `.execute(db);
    if (rows.length > 0) await work(rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PIECE_ROWS) return;
    after = sql`where (${columns}) > (${sql.join(key.map((column) => last[column]))})`;
  }
}

async function insertRows(db: Db, name: string, rows: readonly Values[]): Promise<void> {
  try {
    // Every table is written in the same way; the columns are its own.
    await db
      .insertInto(name as 'events')
      .values(rows as never)
      .execute();
  } catch (error) {
    const reason = errorText(error);
    // The statement, whose text follows, is a list of a thousand places.
    throw new Error(`Table ${name} cannot be copied: ${reason.replace(/ at: .*$/s, '')}`, { cause: error });
  }
}

/** PostgreSQL stores no NUL. No text has one that this version let in. */
const storableValue = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
