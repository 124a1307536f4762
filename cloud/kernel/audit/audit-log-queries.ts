/** The audit log is a chain: each row's hash covers the row and the hash of the one before, so that no row can be changed or left out. */
import { createHash } from 'node:crypto';
import type { Db, Tx } from '../store/cloud-store.js';
import { LOCKS } from '../store/locks.js';
import { insertRows } from '../store/rows-of-statement.js';
import type { NewRow, Row } from '../store/schema.js';

export interface AuditEntry extends Pick<Row<'audit_log'>, 'account_id' | 'actor_type' | 'actor_id' | 'created_at'> {
  /** The lot that it is about; null, or left out: it is about the account itself. */
  lot_id?: number | null;
  /** What was done: `zone.update`, `api_token.create`. */
  action: string;
  /** What it was done to: `member Mia`. */
  target: string;
  /** Never a secret. */
  details: Record<string, unknown>;
}

/** The hash that the first row follows. */
const BEGINNING = '0'.repeat(64);
/** How many rows are looked at in one go. */
const ROWS_LOOKED_AT = 500;

/** Adds audit entries in the transaction of the change. */
export async function appendAudit(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
  await tx.lock(LOCKS.auditChain);
  const last = await tx.selectFrom('audit_log').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst();
  let previous_hash = last?.hash ?? BEGINNING;
  const rows = entries.map((entry) => {
    const row = { ...entry, lot_id: entry.lot_id ?? null, details: JSON.stringify(entry.details), previous_hash };
    const hash = hashOf(row);
    previous_hash = hash;
    return { ...row, hash };
  });
  await insertRows(tx, 'audit_log', rows);
}

/** Finds the first row that was altered, or that does not follow the one before. @returns its id; null: the chain is whole */
export async function findAuditBreak(db: Db): Promise<number | null> {
  let previous = { id: 0, hash: BEGINNING };
  for (;;) {
    const rows = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('id', '>', previous.id)
      .orderBy('id')
      .limit(ROWS_LOOKED_AT)
      .execute();
    for (const row of rows) {
      if (row.previous_hash !== previous.hash || row.hash !== hashOf(row)) return row.id;
      previous = row;
    }
    if (rows.length < ROWS_LOOKED_AT) return null;
  }
}

function hashOf(row: Omit<NewRow<'audit_log'>, 'hash'>): string {
  const { previous_hash, account_id, lot_id, actor_type, actor_id, action, target, details, created_at } = row;
  const content = [previous_hash, account_id, actor_type, actor_id, action, target, details, created_at];
  // Rows from before entries had lots are hashed without one.
  if (lot_id !== null && lot_id !== undefined) content.push(lot_id);
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}
