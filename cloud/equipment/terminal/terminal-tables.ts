import type { Tables } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { TERMINAL_FIELDS } from './terminal-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database {
    terminals: TableOf<typeof TERMINAL_FIELDS>;
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
