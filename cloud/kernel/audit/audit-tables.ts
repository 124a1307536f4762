import { appendOnly, type Tables } from '../store/create-tables.js';
import type { AuditEntry } from './audit-log-queries.js';
import type { JsonColumn } from '../store/json-column.js';

/** The record of who did what. Rows are only appended; each holds the hash of the one before (`audit-log-queries.ts`). */
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

/** The number of entries that devices and strangers have caused within a time (`bounded-audit-queries.ts`). */
interface AuditCountsTable {
  key: string;
  entries_max: number;
  period_ms: number;
  began_at: number;
  ends_at: number;
  /** Also of those that have no entry of their own. */
  entries_count: number;
  /** What the entry says that counts them. */
  counted: JsonColumn<Omit<AuditEntry, 'created_at'>>;
}

declare module '../store/schema.js' {
  interface Database {
    audit_log: AuditLogTable;
    audit_counts: AuditCountsTable;
  }
}

export const AUDIT_BASELINE: Tables = {
  audit_log: {
    columns: {
      id: 'id',
      account_id: 'integer null',
      actor_type: 'text',
      actor_id: 'integer null',
      action: 'text',
      target: 'text',
      details: 'text',
      created_at: 'bigint',
      previous_hash: 'text',
      hash: 'text',
      lot_id: 'integer null',
      is_read: { type: 'integer', default: 0 },
    },
    indices: [
      // Two rows that follow the same one would fork the chain.
      { columns: ['previous_hash'], isUnique: true },
      ['account_id', 'id'],
      { columns: ['account_id', 'created_at', 'id'], name: 'audit_log_account_id_created_at' },
    ],
    after: appendOnly,
  },
};

export const AUDIT_COUNTS: Tables = {
  audit_counts: {
    columns: {
      key: 'text',
      entries_max: 'integer',
      period_ms: 'bigint',
      began_at: 'bigint',
      ends_at: 'bigint',
      entries_count: 'bigint',
      counted: 'text',
    },
    primaryKey: ['key'],
    indices: [['ends_at']],
  },
};
