import type { TERMINAL_TYPES } from './terminal-payload.js';
import type { Generated } from 'kysely';
import type { Timestamps } from '../../kernel/entry.js';

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
