/** Reads lists. Only here are scope, filters, sort and page put together. */
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type Caller, hearsWholeAccount } from '../../kernel/auth/entry.js';
import { type Database, type Db, rowsOf, type RunReport } from '../../kernel/store/entry.js';
import { type Condition, hasNoValue, type Sort } from './filter-parser.js';
import { type Column, type ColumnName, type FilterField, NEVER, toSql, type Where } from './list-fields.js';

export type Id = number | string;

/** A query of any of the tables: columns are named with their table. */
interface Query {
  readonly isSelectQueryBuilder: true;
}

/** The definition of a list; `cloud/rest/list/README.md` shows one. */
export interface ListTable<Row, Key extends Id = number> {
  /**
   * The rows that are counted: a table; or, if filters, sorts or scope need more, a query from a `*-queries.ts` that joins only what they
   * need and keeps each item one row.
   */
  from: keyof Database | ((db: Db) => Query);
  id: ColumnName;
  /** When a row was changed last: `updated_at` of its table when left out. */
  changedAt?: ColumnName;
  /** The time that `date_from` and `date_to` compare: `created_at` of its table when left out. */
  datedBy?: ColumnName;
  scope: ListScope;
  /**
   * Selects the lots (`lot_id`) on which a row acts besides the one that it is in: the zones of a group are in several. Everybody of the
   * account sees the row, and who has all of these lots writes it. Left out: it acts on no others.
   */
  actsOn?: RawBuilder<unknown>;
  /** true: who hears of the whole account (`eventScopeOf`) has all of these lots. */
  actsAsHeard?: true;
  /** Besides `id`, `updated_at`, `date_from` and `date_to`, which every list has. */
  filters: Readonly<Record<string, FilterField>>;
  /** The column of each sort besides `id` and `updated_at`, or a function if it depends on the time. */
  sorts: Readonly<Record<string, Column | ((now: number) => Column)>>;
  /** `id:desc` when left out. */
  defaultSort?: Sort;
  /** Reads the rows of these ids with all that their representations show, in any order. */
  rows(db: Db, ids: readonly Key[]): Promise<Row[]>;
  /** Reads the scope from a row, if the row has it: one row is then found by one query instead of two. */
  scopeOf?(row: Row): { account_id: number; lot_id: number | null };
}

/** The columns that say whose a row is. A caller sees the rows of its account that are in one of its lots. */
export interface ListScope {
  account_id: ColumnName;
  /** Left out for rows that belong to the whole account, or to several lots. */
  lot_id?: ColumnName;
  /** Selects the lots (`lot_id`) of a row that may be in several: who has one of them sees it. */
  lots?: RawBuilder<unknown>;
  /** true: rows may be in no lot; the whole account sees these, or its Super Admins alone. */
  lotless?: true | 'Super Admin';
  /** A column that is 1 in those rows which Super Admins alone see while they are in no lot. */
  confidential?: ColumnName;
}

export interface ListRequest {
  /** Without a role: no Super Admin. */
  caller: Pick<Caller, 'account_id' | 'lot_ids'> & Partial<Pick<Caller, 'role' | 'has_own_lots'>>;
  conditions: readonly Condition[];
  sort: Sort;
  page: number;
  size: number;
  /** Wall milliseconds. */
  now: number;
}

type AnyTable = Pick<ListTable<unknown, never>, 'from' | 'id' | 'scope' | 'filters' | 'sorts'>;

/** A query of any tables: columns are named with their table. */
export type AnyQuery = SelectQueryBuilder<Database, keyof Database, object>;

/** Reads one page, and counts the rows of all pages. */
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
 * Reads all matching rows by id, the newest first, in pieces. Each piece is one report, so that memory stays small and others get their
 * turn. A piece is read while the one before it is used.
 * @param request.read reads the rows of a query that selects nothing yet; each of its rows is one
 */
export async function* readPieces<Row extends { id: Key }, Key extends Id>(
  report: RunReport,
  table: Pick<AnyTable, 'from' | 'id' | 'scope' | 'filters'>,
  request: Pick<ListRequest, 'caller' | 'conditions'> & {
    pieceRows: number;
    read: (db: Db, matching: AnyQuery) => Promise<Row[]>;
  },
): AsyncGenerator<Row[]> {
  const id = sql.ref(table.id);
  const readPiece = (last: Key | undefined): Promise<Row[]> =>
    report((db) => {
      const matching = matchingRows(db, table, request).orderBy(id, 'desc').limit(request.pieceRows);
      return request.read(db, last === undefined ? matching : matching.where(sql<SqlBool>`${id} < ${last}`));
    });
  for (let reading = readPiece(undefined); ; ) {
    const rows = await reading;
    const isLast = rows.length < request.pieceRows;
    if (!isLast) {
      reading = readPiece(rows.at(-1)?.id);
      // An error is thrown where the piece is awaited; when the reader stops here, nobody awaits it.
      reading.catch(() => {});
    }
    if (rows.length > 0) yield rows;
    if (isLast) return;
  }
}

/** Builds the query of the rows of a list that the caller may see and that match all filters, for sums over a list. */
export function matchingRows(
  db: Db,
  table: Pick<AnyTable, 'from' | 'scope' | 'filters'>,
  request: Pick<ListRequest, 'caller' | 'conditions'>,
): AnyQuery {
  return [...scopeConditions(table.scope, request.caller), ...whereOf(table.filters, request.conditions)].reduce(
    (query, where) => query.where(where),
    fromOf(db, table) as unknown as AnyQuery,
  );
}

const fromOf = (db: Db, { from }: Pick<AnyTable, 'from'>): Query =>
  typeof from === 'function' ? from(db) : rowsOf(db, from);

/** Finds those of the ids that the caller may see. */
export async function visibleIds<Key extends Id>(
  db: Db,
  table: ListTable<unknown, Key>,
  request: { caller: ListRequest['caller']; ids: readonly Key[] },
): Promise<Key[]> {
  if (request.ids.length === 0) return [];
  const matching = matchingRows(db, table, { caller: request.caller, conditions: [] });
  return readIds(matching.where(sql<SqlBool>`${sql.ref(table.id)} in (${sql.join([...request.ids])})`), table);
}

/** Finds the lot of a row, as the list's scope has it; null: it is in none. */
export async function lotOfRow<Key extends Id>(
  db: Db,
  table: ListTable<unknown, Key>,
  id: Key,
): Promise<number | null> {
  const { lot_id } = table.scope;
  if (lot_id === undefined) return null;
  const named = (fromOf(db, table) as unknown as AnyQuery).where(sql<SqlBool>`${sql.ref(table.id)} = ${id}`);
  const row = await named.select(sql.ref<number | null>(lot_id).as('lot_id')).executeTakeFirst();
  return row?.lot_id ?? null;
}

/** Finds those of the ids that the caller may write. */
export async function writableIds<Key extends Id>(
  db: Db,
  table: ListTable<unknown, Key>,
  request: { caller: Caller; ids: readonly Key[] },
): Promise<Key[]> {
  const visible = await visibleIds(db, table, request);
  const { caller } = request;
  if (table.actsOn === undefined || visible.length === 0) return visible;
  if (table.actsAsHeard && hearsWholeAccount(caller)) return visible;
  const named = fromOf(db, table) as unknown as AnyQuery;
  const elsewhere =
    caller.lot_ids.size === 0
      ? sql<SqlBool>`acted.lot_id is not null`
      : sql<SqlBool>`acted.lot_id not in (${lotsOf(caller)})`;
  return readIds(
    named
      .where(sql<SqlBool>`${sql.ref(table.id)} in (${sql.join([...visible])})`)
      .where(sql<SqlBool>`not exists (select 1 from (${table.actsOn}) as acted where ${elsewhere})`),
    table,
  );
}

/** Finds one row by its id for a write; null when the caller does not see it, or it acts on a lot that is not the caller's. */
export async function writableRow<Row extends { id: Key }, Key extends Id>(
  db: Db,
  table: ListTable<Row, Key>,
  request: { caller: Caller; id: Key },
): Promise<Row | null> {
  const { caller, id } = request;
  if (table.actsOn !== undefined && (await writableIds(db, table, { caller, ids: [id] })).length === 0) return null;
  return visibleRow(db, table, request);
}

/** Finds one row by its id, as its list would show it to the caller; null when the list would not show it. */
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

/** Judges a row that was read as `scopeConditions` does in the database. */
function isVisible(
  of: { account_id: number; lot_id: number | null },
  scope: ListScope,
  caller: ListRequest['caller'],
): boolean {
  if (of.account_id !== caller.account_id) return false;
  if (scope.lot_id === undefined) return true;
  return of.lot_id === null ? seesLotless(scope, caller) : caller.lot_ids.has(of.lot_id);
}

/** A token that is limited to lots sees no more than these, whatever its role is. */
function seesLotless({ lotless }: ListScope, { role, has_own_lots }: ListRequest['caller']): boolean {
  return lotless === 'Super Admin' ? role === 'Super Admin' && has_own_lots !== true : lotless === true;
}

/** The ids are written into the statement: an account may have more lots than a statement may have parameters. */
const lotsOf = ({ lot_ids }: ListRequest['caller']) => sql.raw([...lot_ids].map(Number).join(', '));

function scopeConditions(scope: ListScope, caller: ListRequest['caller']): Where[] {
  const account: Where = sql`${sql.ref(scope.account_id)} = ${caller.account_id}`;
  const { lot_id, lots, confidential } = scope;
  const isShown =
    confidential === undefined || caller.role === 'Super Admin' ? sql`` : sql` and ${sql.ref(confidential)} = 0`;
  const isIn = (lot: RawBuilder<unknown>): Where => {
    const assigned: Where = caller.lot_ids.size === 0 ? NEVER : sql`${lot} in (${lotsOf(caller)})`;
    return seesLotless(scope, caller) ? sql`((${lot} is null${isShown}) or ${assigned})` : assigned;
  };
  if (lots !== undefined) {
    return [account, sql`exists (select 1 from (${lots}) as of_row where ${isIn(sql.ref('of_row.lot_id'))})`];
  }
  return lot_id === undefined ? [account] : [account, isIn(sql.ref(lot_id))];
}

function whereOf(filters: AnyTable['filters'], conditions: readonly Condition[]): Where[] {
  return conditions.map(({ field, rule, values }) => {
    const filter = filters[field];
    if (filter === undefined) throw new Error(`the list has no filter ${field}`);
    return values.length === 0 && !hasNoValue(rule) ? NEVER : filter.where(rule, values);
  });
}

/** Sorts that every row has a value for. To say where others are would keep PostgreSQL from using their indices. */
const NEVER_NULL: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'at']);

/** Orders by the sort, and equal rows by id in the same direction. A row without a value is smaller than all others, in every database. */
function orderedBy(
  query: AnyQuery,
  table: Pick<AnyTable, 'sorts' | 'id'>,
  order: { sort: Sort; now: number },
): AnyQuery {
  const { field, direction } = order.sort;
  const sort = table.sorts[field];
  if (sort === undefined) throw new Error(`the list has no sort ${field}`);
  const column = typeof sort === 'function' ? sort(order.now) : sort;
  if (column === table.id) return query.orderBy(toSql(column), direction);
  const isNullable = !NEVER_NULL.has(field);
  const sorted = query.orderBy(toSql(column), (by) => {
    if (direction === 'asc') return isNullable ? by.asc().nullsFirst() : by.asc();
    return isNullable ? by.desc().nullsLast() : by.desc();
  });
  return sorted.orderBy(sql.ref(table.id), direction);
}

async function readIds<Key extends Id>(query: AnyQuery, table: ListTable<unknown, Key>): Promise<Key[]> {
  const rows = await query.select(sql.ref(table.id).as('id')).execute();
  return rows.map(({ id }) => id as Key);
}

async function countRows(matching: AnyQuery): Promise<number> {
  const { total } = await matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return Number(total);
}

/** Leaves out rows that were deleted since their ids were read. */
async function rowsInOrder<Row extends { id: Key }, Key extends Id>(
  db: Db,
  table: ListTable<Row, Key>,
  ids: readonly Key[],
): Promise<Row[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await table.rows(db, ids)).map((row) => [row.id, row]));
  return ids.map((id) => rows.get(id)).filter((row) => row !== undefined);
}
