import { appendOnly, type Tables } from '../store/create-tables.js';
import type { AuditEntry } from './audit-log-queries.js';
import type { JsonColumn } from '../store/json-column.js';
import type { TablesOf, Text } from '../store/table-types.js';

declare module '../store/schema.js' {
  interface Database extends TablesOf<typeof AUDIT_BASELINE>, TablesOf<typeof AUDIT_COUNTS> {}
}

export const AUDIT_BASELINE = {
  /** The record of who did what. Rows are only appended; each holds the hash of the one before (`audit-log-queries.ts`). */
  audit_log: {
    columns: {
      /** 1, 2, 3 ..., without a gap. */
      id: 'id',
      account_id: 'integer null',
      actor_type: 'text' as Text<AuditEntry['actor_type']>,
      actor_id: 'integer null',
      action: 'text',
      target: 'text',
      details: 'text' as Text<JsonColumn<Record<string, unknown>>>,
      created_at: 'bigint',
      /** Hex; 64 zeros in the first row. */
      previous_hash: 'text',
      hash: 'text',
      /** The lot that it is about: who does not have this lot does not see it. null: it is about the account itself, or `is_read` and about no one lot. */
      lot_id: 'integer null',
      /** 1: it says what was asked, and nothing was changed. */
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
} satisfies Tables;

export const AUDIT_COUNTS = {
  /** The number of entries that devices and strangers have caused within a time (`bounded-audit-queries.ts`). */
  audit_counts: {
    columns: {
      key: 'text',
      entries_max: 'integer',
      period_ms: 'bigint',
      began_at: 'bigint',
      ends_at: 'bigint',
      /** Also of those that have no entry of their own. */
      entries_count: 'bigint',
      /** What the entry says that counts them. */
      counted: 'text' as Text<JsonColumn<Omit<AuditEntry, 'created_at'>>>,
    },
    primaryKey: ['key'],
    indices: [['ends_at']],
  },
} satisfies Tables;
