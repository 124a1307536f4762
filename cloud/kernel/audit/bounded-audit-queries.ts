/**
 * Entries of the audit log that devices and strangers cause. So that none of them can fill the log, each has a number of entries within a
 * time; what exceeds it is counted, and becomes one entry when the time is over.
 */
import type { Tx } from '../store/cloud-store.js';
import { decodeJson, encodeJson } from '../../../shared/json-text-codec.js';
import { appendAudit, type AuditEntry } from './audit-log-queries.js';

export interface AuditBound {
  /** Whose entries they are: `gateway 7`. */
  key: string;
  /** How many entries there are within the time; the one that counts the others is among them. */
  max: number;
  periodMs: number;
}

/**
 * Adds an entry, or counts it. @returns whether it was added
 * @param excess what the entry that counts says, if it is not the latest one counted
 */
export async function appendBoundedAudit(
  tx: Tx,
  { key, max, periodMs }: AuditBound,
  entry: AuditEntry,
  excess: Pick<AuditEntry, 'action' | 'target' | 'details'> = entry,
): Promise<boolean> {
  const { created_at: now, ...about } = entry;
  const counted = encodeJson({ ...about, ...excess });
  await endBoundedAudit(tx, { now, key });
  const { entries_count } = await tx
    .insertInto('audit_counts')
    .values({
      key,
      entries_max: max,
      period_ms: periodMs,
      began_at: now,
      ends_at: now + periodMs,
      entries_count: 1,
      counted,
    })
    .onConflict((known) =>
      known.column('key').doUpdateSet(({ eb, ref }) => ({
        entries_count: eb(ref('audit_counts.entries_count'), '+', 1),
        counted,
      })),
    )
    .returning('entries_count')
    .executeTakeFirstOrThrow();
  const isWithin = entries_count <= max;
  if (isWithin) await appendAudit(tx, [entry]);
  return isWithin;
}

/** Writes the entries of what was counted in times that are over. @param of.key left out: of all */
export async function endBoundedAudit(tx: Tx, of: { now: number; key?: string }): Promise<void> {
  const { now, key } = of;
  const ended = await tx
    .deleteFrom('audit_counts')
    .where('ends_at', '<=', now)
    .$if(key !== undefined, (query) => query.where('key', '=', key ?? ''))
    .returningAll()
    .execute();
  for (const { counted, entries_count, entries_max, period_ms, began_at, ...row } of ended) {
    if (entries_count <= entries_max) continue;
    const entry = decodeJson(counted);
    const count = entries_count - entries_max;
    const details = { ...entry.details, count, since: new Date(began_at).toISOString() };
    await appendAudit(tx, [{ ...entry, details, created_at: now }]);
    // It is the first entry of the next time.
    const next = { key: row.key, entries_max, period_ms, began_at: now, ends_at: now + period_ms, entries_count: 1 };
    await tx
      .insertInto('audit_counts')
      .values({ ...next, counted })
      .execute();
  }
}
