import type { Tables } from '../store/create-tables.js';

/** The server key of the database. One row. */
interface ServerKeysTable {
  id: number;
  /** What only this key gives, and from which nobody finds the key. */
  check_value: string;
  created_at: number;
}

declare module '../store/schema.js' {
  interface Database {
    server_keys: ServerKeysTable;
  }
}

export const SERVER_KEY_BASELINE: Tables = {
  server_keys: {
    columns: {
      id: 'integer',
      check_value: 'text',
      created_at: 'bigint',
    },
    primaryKey: ['id'],
  },
};
