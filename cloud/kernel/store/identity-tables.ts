import type { Tables } from './create-tables.js';

/** The identity that the database had when a cloud began to work on it last (`leap-if-restored.ts`). One row. */
interface DatabaseIdentityTable {
  id: number;
  identity: string;
  noted_at: number;
}

declare module './schema.js' {
  interface Database {
    database_identity: DatabaseIdentityTable;
  }
}

export const DATABASE_IDENTITY: Tables = {
  database_identity: {
    columns: {
      id: 'integer',
      identity: 'text',
      noted_at: 'bigint',
    },
    primaryKey: ['id'],
  },
};
