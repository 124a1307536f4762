/** The statements that are the same for all tables of deliveries. */
import type { UpdateObject } from 'kysely';
import type { Db } from '../store/cloud-store.js';
import type { Database, Row } from '../store/schema.js';
import type { DeliveryAnswer, DeliveryOutcome, LeasedDelivery } from './delivery-rule.js';
import type { DeliveryTable } from './delivery-tables.js';

/** Finds when the next attempt becomes due, or the next one under way counts as lost; null: there is neither. */
export async function nextDueMoment(db: Db, table: DeliveryTable, now: number): Promise<number | null> {
  const next = async (column: 'next_attempt_at' | 'lease_ends_at') => {
    const row = await db
      .selectFrom(table)
      .select(({ fn }) => fn.min<number | null>(column).as('at'))
      .where('ended_at', 'is', null)
      .where(column, '>', now)
      .executeTakeFirstOrThrow();
    return row.at === null ? [] : [row.at];
  };
  const moments = [...(await next('next_attempt_at')), ...(await next('lease_ends_at'))];
  return moments.length === 0 ? null : Math.min(...moments);
}

/**
 * Leases deliveries for one attempt each. Until `leaseEndsAt` no other process leases them. If this process dies, another one leases them
 * after that.
 * @param lease.set further columns
 * @returns them in the order of the ids
 */
export async function leaseDeliveries<Table extends DeliveryTable>(
  tx: Db,
  table: Table,
  lease: { ids: readonly number[]; now: number; leaseEndsAt: number; set: UpdateObject<Database, Table> },
): Promise<(Row<Table> & LeasedDelivery)[]> {
  const { ids, now, leaseEndsAt, set } = lease;
  if (ids.length === 0) return [];
  const rows = await tx
    .updateTable(table as DeliveryTable)
    .set(({ ref, fn, val, eb }) => ({
      ...(set as object),
      lease_ends_at: leaseEndsAt,
      attempts: eb(ref('attempts'), '+', val(1)),
      tries_began_at: fn.coalesce('tries_began_at', val(now)),
    }))
    .where('id', 'in', ids)
    .returningAll()
    .execute();
  // The statement has set `tries_began_at`.
  return (rows as unknown as (Row<Table> & LeasedDelivery)[]).toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

/** Gives up all leases: their deliveries are due again. */
export async function endLeases(tx: Db, table: DeliveryTable): Promise<void> {
  await tx
    .updateTable(table)
    .set({ lease_ends_at: null })
    .where('ended_at', 'is', null)
    .where('lease_ends_at', 'is not', null)
    .execute();
}

/**
 * Records how an attempt ended. It is ignored if another attempt has begun since, because the lease of this one ended. A delivery that was
 * accepted counts as such even if somebody ended it during the attempt.
 * @param more.set further columns
 */
export async function recordAttempt<Table extends DeliveryTable>(
  tx: Db,
  table: Table,
  { item, answer, nextAttemptAt }: DeliveryOutcome<LeasedDelivery, DeliveryAnswer>,
  more: { now: number; set: UpdateObject<Database, Table> },
): Promise<void> {
  const { now, set } = more;
  const last_error = answer.end === 'accepted' ? null : answer.reason;
  const next = nextAttemptAt === null ? { ended_at: now } : { next_attempt_at: nextAttemptAt };
  await tx
    .updateTable(table as DeliveryTable)
    .set({ ...(set as object), last_error, lease_ends_at: null, ...next })
    .where('id', '=', item.id)
    .where('attempts', '=', item.attempts)
    .$if(last_error !== null, (query) => query.where('ended_at', 'is', null))
    .execute();
}

/** The columns of a delivery that is not tried any more. */
export const endedBecause = (last_error: string, now: number) => ({ ended_at: now, lease_ends_at: null, last_error });

/** Deletes at most `limit` deliveries that ended before `before`, and returns how many. */
export async function pruneDeliveries(
  tx: Db,
  table: DeliveryTable,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom(table)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom(table)
        .select('id')
        // A delivery that ended before was created before: not every table has an index of their ends.
        .where('created_at', '<', before)
        .where('ended_at', '<', before)
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Finds how many deliveries have not ended, and since when the oldest of them waits (wall milliseconds; null: there is none). */
export async function waitingDeliveries(
  db: Db,
  table: DeliveryTable,
): Promise<{ count: number; oldest_at: number | null }> {
  // Both together, because SQLite would look for the oldest alone through all deliveries in the order of their time.
  const { count, oldest_at } = await db
    .selectFrom(table)
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<number | null>('created_at').as('oldest_at')])
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { count: Number(count), oldest_at };
}
