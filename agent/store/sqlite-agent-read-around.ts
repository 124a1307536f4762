/** Reads a table of a damaged file: from its start to the damage, row by row through it, and from its far side to the end. */
import type Database from 'better-sqlite3';

const PAGE_ROWS = 200;
/** How many row numbers inside the damage are looked for one by one. */
const HOLE_ROWS_MAX = 10_000;

/** Yields the rows that can be read between two rowids, ascending; `at` is the rowid. */
export function* readAround<Row extends object>(
  damaged: Database.Database,
  table: string,
  [low, high]: [number, number],
): Generator<Row & { at: number }> {
  const rows = damaged.prepare<[number, number, number], Row & { at: number }>(
    `SELECT rowid AS at, * FROM ${table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?`,
  );
  const page = (from: number, to: number, count: number) => attempt(() => rows.all(from, to, count));
  const nearEnd = yield* readForward(page, [low, high]);
  if (nearEnd > high) return;
  const farSide = findFarSide(damaged, table, [nearEnd, high]);
  const holeEnd = Math.min(farSide, nearEnd + HOLE_ROWS_MAX);
  for (let at = nearEnd; at < holeEnd; at++) yield* page(at, at, 1) ?? [];
  yield* readForward(page, [farSide, high]);
}

/** Yields rows up to the first that cannot be read. Returns its rowid, or one above `high` when all could. */
function* readForward<Row extends { at: number }>(
  page: (from: number, to: number, rows: number) => Row[] | null,
  [low, high]: [number, number],
): Generator<Row, number> {
  let next = low;
  while (next <= high) {
    const read = page(next, high, PAGE_ROWS) ?? page(next, high, 1);
    if (read === null) return next;
    if (read.length === 0) return high + 1;
    const rows = risingFrom(next, read);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return next;
    next = last.at + 1;
  }
  return next;
}

/** Returns the rows up to the first whose number does not rise: damaged pages may lead in a circle. */
function risingFrom<Row extends { at: number }>(from: number, rows: readonly Row[]): Row[] {
  let next = from;
  const end = rows.findIndex(({ at }) => {
    const isRising = at >= next;
    next = at + 1;
    return !isRising;
  });
  return rows.slice(0, end === -1 ? rows.length : end);
}

/** Finds the lowest rowid that can be reached from the end of the table, or one above `high`. */
function findFarSide(damaged: Database.Database, table: string, [low, high]: [number, number]): number {
  const rowids = damaged
    .prepare<[number, number, number], number>(
      `SELECT rowid FROM ${table} WHERE rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?`,
    )
    .pluck();
  let lowest = high + 1;
  for (;;) {
    const page = (count: number) => attempt(() => rowids.all(low, lowest - 1, count));
    const reached = (page(PAGE_ROWS) ?? page(1))?.at(-1);
    if (reached === undefined || reached >= lowest) return lowest;
    lowest = reached;
  }
}

/** Returns the answer, or null when the damage prevents it. */
export function attempt<Answer>(read: () => Answer): Answer | null {
  try {
    return read();
  } catch {
    return null;
  }
}
