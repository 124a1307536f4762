/** Counts openings by product and by a piece of time. */
import { type RawBuilder, sql } from 'kysely';
import { HOUR_MS } from '../../../shared/durations.js';
import { zoneOffsets } from '../../../shared/zone-offsets.js';
import type { Db } from '../../kernel/store/entry.js';
import { type ExportAsked, matchingRows } from '../../rest/entry.js';
import { OPENING_LIST } from './opening-list.js';

export interface HourCount {
  product_id: number;
  /** The number of the piece of time. */
  piece: number;
  openings_count: number;
  failed_count: number;
}

/** Reads at most one more than `most`, in the order of products and time. */
export async function sumOpenings(
  db: Db,
  rows: ExportAsked,
  { from_ms, to_ms, piece, most }: { from_ms: number; to_ms: number; piece: RawBuilder<number>; most: number },
): Promise<HourCount[]> {
  const found = await matchingRows(db, OPENING_LIST, rows)
    .where(sql<boolean>`openings.at >= ${from_ms} and openings.at < ${to_ms}`)
    .select([
      'openings.product_id',
      piece.as('piece'),
      sql<number>`count(*)`.as('openings_count'),
      sql<number>`sum(case when openings.outcome = 'failed' then 1 else 0 end)`.as('failed_count'),
    ])
    .groupBy([sql`1`, sql`2`])
    .orderBy(sql`1`)
    .orderBy(sql`2`)
    .limit(most + 1)
    .execute();
  return found.map(({ product_id, ...counts }) => ({
    product_id,
    piece: Number(counts.piece),
    openings_count: Number(counts.openings_count),
    failed_count: Number(counts.failed_count),
  }));
}

/** Pieces of equal length. They are literals in the SQL, because with parameters the database would divide as real numbers. */
export const pieceOfTime = (origin_ms: number, step_ms: number): RawBuilder<number> =>
  sql`(openings.at - ${sql.lit(origin_ms)}) / ${sql.lit(step_ms)}`;

/** The hour that clocks show, 0 to 23, as long as they were that far from UTC. */
export function hourOfDay(
  { from_ms, to_ms }: { from_ms: number; to_ms: number },
  timezone: string,
): RawBuilder<number> {
  const offsets = zoneOffsets(timezone);
  const hours: RawBuilder<unknown>[] = [];
  for (let from = from_ms; from < to_ms; ) {
    const { offset_ms, until_ms } = offsets(from);
    const local = sql`(openings.at + ${sql.lit(offset_ms)}) / ${sql.lit(HOUR_MS)} % 24`;
    hours.push(sql`when openings.at < ${sql.lit(until_ms)} then ${local}`);
    from = until_ms;
  }
  return sql`case ${sql.join(hours, sql` `)} end`;
}
