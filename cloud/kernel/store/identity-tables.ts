import type { Tables } from './create-tables.js';
import type { TablesOf } from './table-types.js';

declare module './schema.js' {
  interface Database extends TablesOf<typeof DATABASE_IDENTITY> {}
}

export const DATABASE_IDENTITY = {
  /** The identity that the database had when a cloud began to work on it last (`leap-if-restored.ts`). One row. */
  database_identity: {
    columns: {
      id: 'integer',
      identity: 'text',
      noted_at: 'bigint',
    },
    primaryKey: ['id'],
  },
} satisfies Tables;
