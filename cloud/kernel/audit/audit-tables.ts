import type { JsonColumn } from '../store/json-column.js';

/** Who did what. Rows are only appended; each holds the hash of the one before (`audit-log-queries.ts`). */
interface AuditLogTable {
  /** 1, 2, 3 ..., without a gap. */
  id: number;
  /** null: the entry belongs to no account. */
  account_id: number | null;
  /** The lot that it is about: who does not have this lot does not see it. null: it is about the account itself, or `is_read` and about no one lot. */
  lot_id: number | null;
  /** `operator`: a person who runs the program in a shell. `gateway`: a person at a gateway itself, or a program there. */
  actor_type: 'user' | 'api_token' | 'operator' | 'public' | 'system' | 'gateway';
  actor_id: number | null;
  action: string;
  target: string;
  details: JsonColumn<Record<string, unknown>>;
  /** 1: it says what was asked, and nothing was changed. */
  is_read: number;
  created_at: number;
  /** Hex; 64 zeros in the first row. */
  previous_hash: string;
  hash: string;
}

declare module '../store/schema.js' {
  interface Database {
    audit_log: AuditLogTable;
  }
}
