/** Keeps and reads how full zones and places were. Writing needs the lock of the lot's occupancy. */
import type { CloudStore, Db, Row } from '../../kernel/store/entry.js';
import { type Quarter, QUARTER_MS, quarterOf, quietQuarter, withChange } from './decide-quarter.js';
import type { Stay } from './decide-session-quarters.js';

export type Owner = Pick<Row<'occupancy_quarters'>, 'owner' | 'owner_id'>;

/** A change of how many are occupied. */
export interface CountChange {
  /** Wall milliseconds. */
  at: number;
  delta: number;
  /** How many are occupied after all changes that are known. */
  count: number;
}

const quartersOf = (db: Db, { owner, owner_id }: Owner) =>
  db.selectFrom('occupancy_quarters').where('owner', '=', owner).where('owner_id', '=', owner_id);

const countOf = (db: Db, { owner, owner_id }: Owner) =>
  db
    .selectFrom('occupancy_counts')
    .select(['last_count', 'last_at'])
    .where('owner', '=', owner)
    .where('owner_id', '=', owner_id)
    .executeTakeFirst();

/**
 * Adds a change, which may be older than others that are kept already. It reads and writes two rows by their keys, whenever it happened
 * and however much is kept.
 */
export async function noteCountChange(tx: Db, owner: Owner, change: CountChange): Promise<void> {
  const { at, count } = change;
  const quarter = quarterOf(at);
  const known = await countOf(tx, owner);
  // The newest change sets the true count, which also covers what was not recorded: a place was moved, a sensor removed.
  const delta = known !== undefined && at >= known.last_at ? count - known.last_count : change.delta;
  const last_count = (known?.last_count ?? count - change.delta) + delta;
  const row = await quartersOf(tx, owner).selectAll().where('quarter', '=', quarter).executeTakeFirst();
  const changed = withChange(row === undefined ? quietQuarter(quarter, 0) : quarterFrom(row, 0), { at, delta });
  const columns = {
    delta: changed.last_count,
    min_delta: changed.min_count,
    max_delta: changed.max_count,
    area_delta: changed.area,
    last_at: changed.last_at,
  };
  await tx
    .insertInto('occupancy_quarters')
    .values({ ...owner, quarter, ...columns })
    .onConflict((conflict) => conflict.columns(['owner', 'owner_id', 'quarter']).doUpdateSet(columns))
    .execute();
  const counted = { last_count, last_at: Math.max(at, known?.last_at ?? at) };
  await tx
    .insertInto('occupancy_counts')
    .values({ ...owner, ...counted })
    .onConflict((conflict) => conflict.columns(['owner', 'owner_id']).doUpdateSet(counted))
    .execute();
}

/** Adds the count at the beginning of a quarter to what is kept of it. */
function quarterFrom(row: Row<'occupancy_quarters'>, first_count: number): Quarter {
  const { quarter, last_at } = row;
  return {
    quarter,
    first_count,
    last_count: first_count + row.delta,
    min_count: first_count + row.min_delta,
    max_count: first_count + row.max_delta,
    area: first_count * QUARTER_MS + row.area_delta,
    last_at,
  };
}

/**
 * Reads the quarters of a range, after one that stands for how it began. The count at the beginning is what remains of the present one
 * without the changes since: at most the quarters of a year are added up.
 */
export async function readQuarters(db: Db, owner: Owner, range: { from: number; to: number }): Promise<Quarter[]> {
  const known = await countOf(db, owner);
  if (known === undefined) return [];
  const rows = await quartersOf(db, owner)
    .selectAll()
    .where('quarter', '>=', range.from)
    .where('quarter', '<', range.to)
    .orderBy('quarter')
    .execute();
  const { later } = await quartersOf(db, owner)
    .select(({ fn }) => fn.sum<number | string | null>('delta').as('later'))
    .where('quarter', '>=', range.to)
    .executeTakeFirstOrThrow();
  const within = rows.reduce((sum, { delta }) => sum + delta, 0);
  let count = known.last_count - Number(later ?? 0) - within;
  const quarters = [quietQuarter(range.from - QUARTER_MS, count)];
  for (const row of rows) {
    const quarter = quarterFrom(row, count);
    quarters.push(quarter);
    count = quarter.last_count;
  }
  return quarters;
}

/** How many stays are read at once. */
const PAGE = 5_000;

/** Reads the stays in a zone that may count in a range, in the order in which they began, page by page. */
export async function* readStays(
  db: Db,
  { zone, from, to }: { zone: Pick<Row<'zones'>, 'id' | 'lot_id'>; from: number; to: number },
): AsyncGenerator<Stay[]> {
  let last = { id: Number.MAX_SAFE_INTEGER, began_ms: from };
  for (;;) {
    const { id, began_ms } = last;
    const page = await db
      .selectFrom('sessions')
      .select(['id', 'created_at as began_ms', 'ended_at as ended_ms'])
      .where('lot_id', '=', zone.lot_id)
      .where('zone_id', '=', zone.id)
      .where('created_at', '>=', began_ms)
      .where('created_at', '<', to)
      .where((eb) => eb.or([eb('created_at', '>', began_ms), eb('id', '>', id)]))
      .orderBy('created_at')
      .orderBy('id')
      .limit(PAGE)
      .execute();
    if (page.length > 0) yield page;
    const end = page.at(-1);
    if (end === undefined || page.length < PAGE) return;
    last = end;
  }
}

/** How many quarters one transaction removes: a gateway may have sent a year's at once, and all accounts wait for the writer. */
const QUARTERS_AT_ONCE = 2_000;

/** Removes old quarters, some at a time, and what is kept of zones and places that were deleted. */
export async function pruneQuarters(store: Pick<CloudStore, 'change'>, before: number): Promise<void> {
  for (let removed = QUARTERS_AT_ONCE; removed >= QUARTERS_AT_ONCE; ) {
    removed = await store.change((tx) => pruneSome(tx, before));
  }
  await store.change(async (tx) => {
    for (const [owner, table] of OWNERS) {
      await tx
        .deleteFrom('occupancy_counts')
        .where('owner', '=', owner)
        .where('last_at', '<', before)
        .where('owner_id', 'in', (eb) => eb.selectFrom(table).select('id').where('deleted_at', '<', before))
        .execute();
    }
  });
}

async function pruneSome(tx: Db, before: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('occupancy_quarters')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('owner', 'owner_id', 'quarter'),
        'in',
        selectFrom('occupancy_quarters')
          .select(['owner', 'owner_id', 'quarter'])
          .where('quarter', '<', before)
          .orderBy('quarter')
          .limit(QUARTERS_AT_ONCE)
          .$asTuple('owner', 'owner_id', 'quarter'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Selects the rows of deleted zones and places. */
const OWNERS = [
  ['zone', 'deleted_zones'],
  ['place', 'deleted_parking_places'],
] as const;
