/** How lists are read: scope, filters, sort and page come together here, and nowhere else. */
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '../../auth/caller.js';
import type { Condition, Sort } from '../../list/filter-parser.js';
import type { Db } from '../cloud-store.js';
import type { Database } from '../schema.js';
import { type Column, type ColumnName, type FilterField, toSql, type Where } from './list-fields.js';

type Id = number | string;

/** A query of some of the tables. Columns are named with their table, so that any will do. */
interface Query {
  readonly isSelectQueryBuilder: true;
}

/** What a list is made of; `cloud/list/README.md` shows one. */
export interface ListTable<Row, Key extends Id = number> {
  /** The rows that are counted, with no more joins than filters, sorts and scope need: one row for each record. */
  from(db: Db): Query;
  id: ColumnName;
  scope: ListScope;
  filters: Readonly<Record<string, FilterField>>;
  /** A function where the column depends on the time. */
  sorts: Readonly<Record<string, Column | ((now: number) => Column)>>;
  /** `id:desc` when left out. */
  defaultSort?: Sort;
  /** The rows of these ids, in any order. */
  rows(db: Db, ids: readonly Key[]): Promise<Row[]>;
  /** What the scope's columns hold, where the row itself has it: one row is then found by one question instead of two. */
  scopeOf?(row: Row): { account_id: number; lot_id: number | null };
}

/** Whose the rows are. A caller sees its account's, as far as they are in a lot that is assigned to it. */
export interface ListScope {
  account_id: ColumnName;
  /** Left out for what belongs to the whole account. */
  lot_id?: ColumnName;
  /** True where rows may be in no lot: the whole account sees those. */
  lotless?: true;
}

export interface ListRequest {
  caller: Pick<Caller, 'account_id' | 'lot_ids'>;
  conditions: readonly Condition[];
  sort: Sort;
  page: number;
  size: number;
  /** Wall milliseconds. */
  now: number;
}

/** Declares a list; it is here for its types. */
export const listTable = <Row extends { id: Key }, Key extends Id = number>(
  table: ListTable<Row, Key>,
): ListTable<Row, Key> => table;

type AnyTable = Pick<ListTable<unknown, never>, 'from' | 'id' | 'scope' | 'filters' | 'sorts'>;

/** Of whatever tables: columns are named with theirs. */
export type AnyQuery = SelectQueryBuilder<Database, keyof Database, object>;

/** One page, and how many rows there are on all. */
export async function readPage<Row extends { id: Key }, Key extends Id>(
  db: Db,
  table: ListTable<Row, Key>,
  request: ListRequest,
): Promise<{ rows: Row[]; total: number }> {
  const { page, size, now } = request;
  const matching = matchingRows(db, table, request);
  const offset = (page - 1) * size;
  const ordered = orderedBy(matching, table, { sort: request.sort, now });
  const ids = await readIds(ordered.limit(size).offset(offset), table);
  const isLastPage = ids.length < size && (ids.length > 0 || page === 1);
  const total = isLastPage ? offset + ids.length : await countRows(matching);
  return { rows: await rowsInOrder(db, table, ids), total };
}

/**
 * All matching rows by id, the newest first, in pieces: each is one read, so that memory stays flat and others get their turn.
 * A piece is read while the one before is used.
 * @param request.select what is read of each row: joins that keep it one row, and columns, its id among them
 */
export async function* readPieces<Row extends { id: Key }, Key extends Id>(
  db: Db,
  table: Pick<AnyTable, 'from' | 'id' | 'scope' | 'filters'>,
  request: Pick<ListRequest, 'caller' | 'conditions'> & {
    pieceRows: number;
    select: (matching: AnyQuery) => SelectQueryBuilder<Database, keyof Database, Row>;
  },
): AsyncGenerator<Row[]> {
  const id = sql.ref(table.id);
  const matching = matchingRows(db, table, request).orderBy(id, 'desc').limit(request.pieceRows);
  const readPiece = (last: Key | undefined): Promise<Row[]> => {
    const piece = last === undefined ? matching : matching.where(sql<SqlBool>`${id} < ${last}`);
    return request.select(piece).execute() as Promise<Row[]>;
  };
  for (let reading = readPiece(undefined); ; ) {
    const rows = await reading;
    const isLast = rows.length < request.pieceRows;
    if (!isLast) {
      reading = readPiece(rows.at(-1)?.id);
      // Thrown where it is awaited; nobody does when the reader stops here.
      reading.catch(() => {});
    }
    if (rows.length > 0) yield rows;
    if (isLast) return;
  }
}

/** What the caller may see of a list's rows, and all its filters match. For aggregates over a list. */
export function matchingRows(
  db: Db,
  table: Pick<AnyTable, 'from' | 'scope' | 'filters'>,
  request: Pick<ListRequest, 'caller' | 'conditions'>,
): AnyQuery {
  return [...scopeConditions(table.scope, request.caller), ...whereOf(table.filters, request.conditions)].reduce(
    (query, where) => query.where(where),
    table.from(db) as unknown as AnyQuery,
  );
}

/** Those of the ids that the caller may see. */
export async function visibleIds<Key extends Id>(
  db: Db,
  table: ListTable<unknown, Key>,
  request: { caller: ListRequest['caller']; ids: readonly Key[] },
): Promise<Key[]> {
  if (request.ids.length === 0) return [];
  const matching = matchingRows(db, table, { caller: request.caller, conditions: [] });
  return readIds(matching.where(sql<SqlBool>`${sql.ref(table.id)} in (${sql.join([...request.ids])})`), table);
}

/** One row by its id, as its list would show it to the caller; null when it would not. */
export async function visibleRow<Row extends { id: Key }, Key extends Id>(
  db: Db,
  table: ListTable<Row, Key>,
  request: { caller: ListRequest['caller']; id: Key },
): Promise<Row | null> {
  const { caller, id } = request;
  if (table.scopeOf === undefined) {
    const ids = await visibleIds(db, table, { caller, ids: [id] });
    return (await rowsInOrder(db, table, ids))[0] ?? null;
  }
  const [row] = await table.rows(db, [id]);
  return row !== undefined && isVisible(table.scopeOf(row), table.scope, caller) ? row : null;
}

/** The same as `scopeConditions`, of a row that is there. */
function isVisible(
  of: { account_id: number; lot_id: number | null },
  scope: ListScope,
  caller: ListRequest['caller'],
): boolean {
  if (of.account_id !== caller.account_id) return false;
  if (scope.lot_id === undefined) return true;
  return of.lot_id === null ? scope.lotless === true : caller.lot_ids.has(of.lot_id);
}

function scopeConditions(scope: ListScope, caller: ListRequest['caller']): Where[] {
  const account: Where = sql`${sql.ref(scope.account_id)} = ${caller.account_id}`;
  if (scope.lot_id === undefined) return [account];
  const lot = sql.ref(scope.lot_id);
  // Numbers of ours, written out: an account's lots may be more than a statement takes parameters.
  const lots = sql.raw([...caller.lot_ids].map(Number).join(', '));
  const assigned: Where = caller.lot_ids.size === 0 ? sql`1 = 0` : sql`${lot} in (${lots})`;
  return [account, scope.lotless ? sql`(${lot} is null or ${assigned})` : assigned];
}

function whereOf(filters: AnyTable['filters'], conditions: readonly Condition[]): Where[] {
  return conditions.map(({ field, rule, values }) => {
    const filter = filters[field];
    if (filter === undefined) throw new Error(`the list has no filter ${field}`);
    return filter.where(rule, values);
  });
}

/** Ties by id in the same direction. */
function orderedBy(
  query: AnyQuery,
  table: Pick<AnyTable, 'sorts' | 'id'>,
  order: { sort: Sort; now: number },
): AnyQuery {
  const { field, direction } = order.sort;
  const sort = table.sorts[field];
  if (sort === undefined) throw new Error(`the list has no sort ${field}`);
  const column = typeof sort === 'function' ? sort(order.now) : sort;
  const sorted = query.orderBy(toSql(column), direction);
  return column === table.id ? sorted : sorted.orderBy(sql.ref(table.id), direction);
}

async function readIds<Key extends Id>(query: AnyQuery, table: ListTable<unknown, Key>): Promise<Key[]> {
  const rows = await query.select(sql.ref(table.id).as('id')).execute();
  return rows.map(({ id }) => id as Key);
}

async function countRows(matching: AnyQuery): Promise<number> {
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return Number(total);
}

/** What was removed since its id was read is left out. */
async function rowsInOrder<Row extends { id: Key }, Key extends Id>(
  db: Db,
  table: ListTable<Row, Key>,
  ids: readonly Key[],
): Promise<Row[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await table.rows(db, ids)).map((row) => [row.id, row]));
  return ids.map((id) => rows.get(id)).filter((row) => row !== undefined);
}
