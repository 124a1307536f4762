import type { Generated } from 'kysely';
import type { Tables, Timestamps } from '../../kernel/store/entry.js';

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

export const LOT_ENTRY_BASELINE: Tables = {
  lot_entries: {
    columns: {
      id: 'id',
      plate_reading_id: 'integer',
      account_id: 'integer',
      lot_id: 'integer',
      lpr_camera_id: 'integer',
      direction: 'text',
      is_allowed: 'integer',
      related_lot_entry_id: 'integer null',
      duration: 'double precision null',
      scan_time: 'bigint',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [
      ['plate_reading_id'],
      ['lot_id', 'id'],
      ['lpr_camera_id', 'scan_time'],
      { columns: ['account_id', 'updated_at', 'id'], name: 'lot_entries_account_id_updated_at' },
      ['account_id', 'id'],
      ['account_id', 'created_at'],
    ],
  },
};
