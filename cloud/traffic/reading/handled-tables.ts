/** Where it is kept who dealt with a vehicle that waited. */
import type { Tables, TablesOf } from '../../kernel/store/entry.js';

/** Columns of sightings and readings. */
export const HANDLED_COLUMNS = {
  handled_at: 'bigint null',
  handled_by: 'text null',
  handled_how: 'text null',
} as const;

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof EARLY_LET_INS> {}
}

/** What gateways let in themselves and whose sightings have not come yet: these are sent behind what people do there. */
export const EARLY_LET_INS = {
  early_let_ins: {
    columns: { uid: 'key', lot_id: 'integer', handled_at: 'bigint', handled_by: 'text' },
    indices: [['handled_at']],
  },
} satisfies Tables;
