/** The hash of an audit entry. Pure. */
import { createHmac } from 'node:crypto';

/** The hash that the first row follows. */
export const AUDIT_BEGINNING = '0'.repeat(64);

/** Everything that a row holds but its own hash. */
export interface HashedAuditRow {
  id: number;
  account_id: number | null;
  lot_id: number | null;
  actor_type: string;
  actor_id: number | null;
  action: string;
  target: string;
  /** The JSON text as it is stored. */
  details: string;
  is_read: number;
  created_at: number;
  previous_hash: string;
}

/** HMAC-SHA256 as hex. */
export function auditHash(key: Uint8Array, row: HashedAuditRow): string {
  const { id, account_id, lot_id, actor_type, actor_id, action, target, details, is_read, created_at } = row;
  const content = [row.previous_hash, id, account_id, lot_id, actor_type, actor_id, action, target, details];
  return createHmac('sha256', key)
    .update(JSON.stringify([...content, is_read, created_at]))
    .digest('hex');
}
