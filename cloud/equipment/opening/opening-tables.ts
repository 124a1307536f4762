import type { ProductOperation } from '../../../shared/uplink-orders.js';
import type { CellOf, Tables, TablesOf, Text, TextWithDefault } from '../../kernel/store/entry.js';
import type { OpeningCause, OpeningOutcome } from '../../../shared/opening-words.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof OPENINGS> {}
}

/** Who or what gave a command. Those that were given before the column count as given by a person. */
export const CAUSE_COLUMN = { cause: { type: 'text', default: 'person' } } as const;

export interface CauseColumn {
  cause: CellOf<TextWithDefault<OpeningCause>>;
}

export const OPENINGS = {
  /** What products were asked to do, whoever or whatever asked, written in the transaction in which it ended. */
  openings: {
    columns: {
      id: 'id',
      account_id: 'integer',
      lot_id: 'integer null',
      product_id: 'integer',
      /** The gateway that had the last word; null: none was asked. */
      gateway_id: 'integer null',
      operation: 'text' as Text<ProductOperation>,
      cause: 'text' as Text<OpeningCause>,
      /** The name of the person, token, link or gateway; null: a camera, or it has none. */
      given_by: 'text null',
      outcome: 'text' as Text<OpeningOutcome>,
      /** The type of the gateway_error as text, or `Timeout`; null unless failed. */
      error_type: 'text null',
      event_id: 'text null',
      plate_reading_id: 'integer null',
      plate_sighting_id: 'integer null',
      /** When it ended. */
      at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [
      ['account_id', 'id'],
      ['account_id', 'at'],
      ['account_id', 'updated_at', 'id'],
      ['product_id', 'at'],
      // Of several outcomes of one reading the last one counts.
      { columns: ['plate_reading_id'], where: "cause = 'camera'", name: 'openings_plate_reading_id' },
      ['at'],
    ],
  },
} satisfies Tables;
