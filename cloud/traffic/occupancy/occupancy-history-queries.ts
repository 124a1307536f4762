/** Keeps and reads how full zones and places were. Writing needs the lock of the lot's occupancy. */
import type { Db, Row } from '../../kernel/entry.js';
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
  db.selectFrom('occupancy_quarters').selectAll().where('owner', '=', owner).where('owner_id', '=', owner_id);

const lastUntil = (db: Db, owner: Owner, quarter: number) =>
  quartersOf(db, owner).where('quarter', '<=', quarter).orderBy('quarter', 'desc').limit(1).executeTakeFirst();
const firstAfter = (db: Db, owner: Owner, quarter: number) =>
  quartersOf(db, owner).where('quarter', '>', quarter).orderBy('quarter').limit(1).executeTakeFirst();

/** Adds a change, which may be older than others that are kept already. */
export async function noteCountChange(tx: Db, owner: Owner, change: CountChange): Promise<void> {
  const { at } = change;
  const quarter = quarterOf(at);
  const before = await lastUntil(tx, owner, quarter);
  const after = await firstAfter(tx, owner, quarter);
  const isNewest = after === undefined && at >= (before?.last_at ?? 0);
  // The newest change sets the true count, which also covers what was not recorded: a place was moved, a sensor removed.
  const delta = isNewest && before !== undefined ? change.count - before.last_count : change.delta;
  const known = before?.last_count ?? after?.first_count ?? change.count - change.delta;
  const base = before?.quarter === quarter ? before : quietQuarter(quarter, known);
  const { quarter: _quarter, ...columns } = withChange(base, { at, delta });
  await tx
    .insertInto('occupancy_quarters')
    .values({ ...owner, quarter, ...columns })
    .onConflict((conflict) => conflict.columns(['owner', 'owner_id', 'quarter']).doUpdateSet(columns))
    .execute();
  if (after === undefined || delta === 0) return;
  await tx
    .updateTable('occupancy_quarters')
    .set((eb) => ({
      first_count: eb('first_count', '+', delta),
      last_count: eb('last_count', '+', delta),
      min_count: eb('min_count', '+', delta),
      max_count: eb('max_count', '+', delta),
      area: eb('area', '+', delta * QUARTER_MS),
    }))
    .where('owner', '=', owner.owner)
    .where('owner_id', '=', owner.owner_id)
    .where('quarter', '>', quarter)
    .execute();
}

/** Reads the quarters of a range, with the last one before it; if there is none, the next one stands for how it began. */
export async function readQuarters(db: Db, owner: Owner, range: { from: number; to: number }): Promise<Quarter[]> {
  const before = await lastUntil(db, owner, range.from - 1);
  const within = await quartersOf(db, owner)
    .where('quarter', '>=', range.from)
    .where('quarter', '<', range.to)
    .orderBy('quarter')
    .execute();
  if (before !== undefined || within.length > 0) return [...(before === undefined ? [] : [before]), ...within];
  const after = await firstAfter(db, owner, range.to - 1);
  return after === undefined ? [] : [quietQuarter(range.from - QUARTER_MS, after.first_count)];
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

/** Removes old quarters, except the last old quarter of each zone or place, which says how the next one began. Deleted ones need none. */
export async function pruneQuarters(tx: Db, before: number): Promise<void> {
  await tx
    .deleteFrom('occupancy_quarters')
    .where('quarter', '<', before)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('occupancy_quarters as newer')
          .select('newer.quarter')
          .whereRef('newer.owner', '=', 'occupancy_quarters.owner')
          .whereRef('newer.owner_id', '=', 'occupancy_quarters.owner_id')
          .whereRef('newer.quarter', '>', 'occupancy_quarters.quarter')
          .where('newer.quarter', '<', before),
      ),
    )
    .execute();
  for (const [owner, table] of OWNERS) {
    await tx
      .deleteFrom('occupancy_quarters')
      .where('owner', '=', owner)
      .where('quarter', '<', before)
      .where('owner_id', 'in', (eb) => eb.selectFrom(table).select('id').where('deleted_at', '<', before))
      .execute();
  }
}

/** Selects the rows of deleted zones and places. */
const OWNERS = [
  ['zone', 'deleted_zones'],
  ['place', 'deleted_parking_places'],
] as const;
