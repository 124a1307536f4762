import type { Tables, TablesOf, Text } from '../../kernel/store/entry.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof LOT_ENTRY_BASELINE> {}
}

export const LOT_ENTRY_BASELINE = {
  lot_entries: {
    columns: {
      id: 'id',
      plate_reading_id: 'integer',
      account_id: 'integer',
      lot_id: 'integer',
      lpr_camera_id: 'integer',
      direction: 'text' as Text<'in' | 'out'>,
      is_allowed: 'integer',
      related_lot_entry_id: 'integer null',
      /** Seconds; out entries only. */
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
} satisfies Tables;
