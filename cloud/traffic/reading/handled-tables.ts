/** Where it is kept who dealt with a vehicle that waited. */
import type { Tables, TablesOf } from '../../kernel/store/entry.js';

/** `settled`, of readings alone: the stay of a vehicle that was refused at an exit was ended by hand, or its plate corrected. */
export const HANDLED_WAYS = ['let_in', 'ignored', 'settled'] as const;

/** Columns of sightings and readings. */
export const HANDLED_COLUMNS = {
  handled_at: 'bigint null',
  handled_by: 'text null',
  handled_how: 'text null',
} as const;

/** All null while nobody dealt with the vehicle. `handled_by` is a name. */
export interface HandledColumns {
  handled_at: number | null;
  handled_by: string | null;
  handled_how: (typeof HANDLED_WAYS)[number] | null;
}

/** Of a vehicle that has just come. */
export const NOT_HANDLED = { handled_at: null, handled_by: null, handled_how: null } satisfies HandledColumns;

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
