/** Looks whether the audit log is the one that was written. */
import type { Db } from '../store/cloud-store.js';
import type { Row } from '../store/schema.js';
import { AUDIT_BEGINNING, auditHash } from './audit-hash.js';
import type { AuditHead } from './audit-log-queries.js';

/** How many rows are in memory at one time. */
const ROWS_LOOKED_AT = 500;

/**
 * `changed`: what the entry holds is not what was written. `missing`: it does not follow the entry before. `other`: it is not the entry that
 * was there when the expected head was noted. `cut_off`: the log ends before the expected head.
 */
export type AuditBreakReason = 'changed' | 'missing' | 'other' | 'cut_off';

export interface AuditBreak {
  reason: AuditBreakReason;
  /** The number of the first entry that does not fit; null: an expected hash is nowhere. */
  id: number | null;
  /** What it says; null: it is not there. */
  entry: Row<'audit_log'> | null;
}

/**
 * Goes through the log from its beginning, some rows at a time.
 * @param expected a head that was noted before, or a part of it: the log has to hold it
 * @returns its end, or that of the part that fits, and the first entry that does not fit; null: all fit
 */
export async function verifyAudit(
  db: Db,
  key: Uint8Array,
  expected: Partial<AuditHead> = {},
): Promise<{ head: AuditHead; broken: AuditBreak | null }> {
  let head: AuditHead = { entries: 0, hash: AUDIT_BEGINNING };
  let isHashSeen = expected.hash === undefined || expected.hash === head.hash;
  // From the first row that there is: one with a number that no entry has was put there by somebody else.
  let after: number | null = null;
  for (;;) {
    const rows = await db
      .selectFrom('audit_log')
      .selectAll()
      .$if(after !== null, (query) => query.where('id', '>', after))
      .orderBy('id')
      .limit(ROWS_LOOKED_AT)
      .execute();
    for (const row of rows) {
      const reason = reasonAgainst(row, { key, head, expected });
      if (reason !== null) return { head, broken: { reason, id: row.id, entry: row } };
      head = { entries: row.id, hash: row.hash };
      after = row.id;
      isHashSeen ||= row.hash === expected.hash;
    }
    if (rows.length < ROWS_LOOKED_AT) break;
  }
  const { entries = 0 } = expected;
  if (entries > head.entries) return { head, broken: { reason: 'cut_off', id: head.entries + 1, entry: null } };
  return { head, broken: isHashSeen ? null : { reason: 'cut_off', id: null, entry: null } };
}

function reasonAgainst(
  row: Row<'audit_log'>,
  { key, head, expected }: { key: Uint8Array; head: AuditHead; expected: Partial<AuditHead> },
): AuditBreakReason | null {
  if (row.hash !== auditHash(key, row)) return 'changed';
  if (row.previous_hash !== head.hash || row.id !== head.entries + 1) return 'missing';
  const isExpected = row.id !== expected.entries || expected.hash === undefined || row.hash === expected.hash;
  return isExpected ? null : 'other';
}
