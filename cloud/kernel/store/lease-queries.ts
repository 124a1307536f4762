/** What is the same of all queues whose attempts are leased in a table. */
import type { Db } from './cloud-store.js';
import type { Database } from './schema.js';

/** The tables of such queues. */
type LeasedTable = {
  [Table in keyof Database]: 'lease_ends_at' extends keyof Database[Table] ? Table : never;
}[keyof Database];

/** Finds when the next attempt becomes due, or the next one under way counts as lost; null: there is neither. */
export async function nextDueMoment(db: Db, table: LeasedTable, now: number): Promise<number | null> {
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
