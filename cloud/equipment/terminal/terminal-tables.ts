import type { TERMINAL_TYPES } from './terminal-payload.js';
import type { Generated } from 'kysely';
import type { Tables, Timestamps } from '../../kernel/store/entry.js';

interface TerminalsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  /** null until it is set. */
  zone_id: number | null;
  /** Unique in its account. */
  device_id: string;
  name: string;
  status: 'online' | 'offline';
  type: (typeof TERMINAL_TYPES)[number];
  is_master: number;
  /** `02:00:00:00:00:01`, or empty. */
  mac: string;
  /** Raw Ed25519 key, base64url, by which the terminal is addressed; null: its answers cannot be verified. */
  public_key: string | null;
  ip_address: string | null;
  version: string | null;
  pos_serial_number: string | null;
  electronic_device_id: string | null;
  system_currency: string | null;
  last_seen: number | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    terminals: TerminalsTable;
  }
}

export const TERMINAL_BASELINE: Tables = {
  terminals: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      zone_id: { refersTo: 'zones' },
      device_id: 'text',
      name: 'text',
      status: 'text',
      type: 'text',
      is_master: 'integer',
      mac: 'text',
      public_key: 'text null',
      ip_address: 'text null',
      version: 'text null',
      pos_serial_number: 'text null',
      electronic_device_id: 'text null',
      system_currency: 'text null',
      last_seen: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['account_id'], ['zone_id'], { columns: ['account_id', 'device_id'], isUnique: true }],
  },
};
