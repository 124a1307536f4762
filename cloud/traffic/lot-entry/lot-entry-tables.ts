import type { Generated } from 'kysely';
import type { Timestamps } from '../../kernel/entry.js';

interface LotEntriesTable extends Timestamps {
  id: Generated<number>;
  plate_reading_id: number;
  account_id: number;
  lot_id: number;
  lpr_camera_id: number;
  direction: 'in' | 'out';
  is_allowed: number;
  related_lot_entry_id: number | null;
  /** Seconds; out entries only. */
  duration: number | null;
  scan_time: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    lot_entries: LotEntriesTable;
  }
}
