import type { Tables } from '../store/create-tables.js';
import type { TablesOf } from '../store/table-types.js';

declare module '../store/schema.js' {
  interface Database extends TablesOf<typeof SERVER_KEY_BASELINE> {}
}

export const SERVER_KEY_BASELINE = {
  /** The server key of the database. One row. */
  server_keys: {
    columns: {
      id: 'integer',
      /** What only this key gives, and from which nobody finds the key. */
      check_value: 'text',
      created_at: 'bigint',
    },
    primaryKey: ['id'],
  },
} satisfies Tables;
