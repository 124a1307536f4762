import type { Tables, TablesOf } from '../../kernel/store/entry.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof ACCOUNT_LOGOS> {}
}

/** How an account shows itself; its fields are in `account-fields.ts`. */
export const FACE_COLUMNS = {
  display_name: { type: 'text', default: '' },
  colour: 'text null',
  logo: 'text null',
} as const;

/** A table of their own: accounts are read for every request. */
export const ACCOUNT_LOGOS = {
  account_logos: {
    columns: {
      account_id: { partOf: 'accounts' },
      /** The name of its file, which follows from the picture (`accounts.logo`). */
      name: 'text',
      /** A PNG, as base64. */
      png: 'text',
    },
    primaryKey: ['account_id'],
    indices: [['name']],
  },
} satisfies Tables;
