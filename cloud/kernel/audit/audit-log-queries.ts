/**
 * The audit log is a chain: each row's hash covers the row and the hash of the one before, and is keyed by the server's key. Who writes the
 * database without that key can change, add or take out nothing that `audit-chain-queries.ts` would not find. Rows are numbered without a gap, so
 * that the newest row alone says how many there are: who wrote that down elsewhere notices a tail that was cut off.
 */
import type { Db, Tx } from '../store/cloud-store.js';
import { LOCKS } from '../store/locks.js';
import { insertRows } from '../store/rows-of-statement.js';
import { AUDIT_BEGINNING, auditHash } from './audit-hash.js';

export interface AuditEntry {
  /** null: the entry belongs to no account. */
  account_id: number | null;
  /** `operator`: a person who runs the program in a shell. `gateway`: a person at a gateway itself, or a program there. */
  actor_type: 'user' | 'api_token' | 'operator' | 'public' | 'system' | 'gateway';
  actor_id: number | null;
  /** The lot that it is about; null, or left out: it is about the account itself. */
  lot_id?: number | null;
  /** What was done: `zone.update`, `api_token.create`. */
  action: string;
  /** What it was done to: `member Mia`. */
  target: string;
  /** Never a secret. */
  details: Record<string, unknown>;
  /** It says what was asked, and nothing was changed. Of no lot, it is for Super Admins only. */
  isRead?: true;
  created_at: number;
}

/** The end of the audit log. */
export interface AuditHead {
  entries: number;
  /** Of the newest entry; 64 zeros of none. */
  hash: string;
}

/** Adds audit entries in the transaction of the change. */
export async function appendAudit(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
  await tx.lock(LOCKS.auditChain);
  let { entries: id, hash: previous_hash } = await findAuditHead(tx);
  const rows = entries.map(({ isRead, ...entry }) => {
    id += 1;
    const details = JSON.stringify(entry.details);
    const row = { ...entry, id, lot_id: entry.lot_id ?? null, details, is_read: isRead ? 1 : 0, previous_hash };
    previous_hash = auditHash(tx.auditKey(), row);
    return { ...row, hash: previous_hash };
  });
  await insertRows(tx, 'audit_log', rows);
}

/** Finds the end of the log by its newest row alone. */
export async function findAuditHead(db: Db): Promise<AuditHead> {
  const last = await db
    .selectFrom('audit_log')
    .select(['id', 'hash'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { entries: last?.id ?? 0, hash: last?.hash ?? AUDIT_BEGINNING };
}

/** Whether the log still has what it had when this was its head. */
export async function holdsAuditHead(db: Db, { entries, hash }: AuditHead): Promise<boolean> {
  if (entries === 0) return true;
  const row = await db.selectFrom('audit_log').select('hash').where('id', '=', entries).executeTakeFirst();
  return row?.hash === hash;
}
