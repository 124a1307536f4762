import type { Generated } from 'kysely';
import type { Tables, Timestamps } from '../../kernel/store/entry.js';

interface RgbDisplaysTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  lot_id: number;
  /** What is counted; null: the whole lot. */
  zone_id: number | null;
  /** The gateway that writes to it. */
  gateway_id: number | null;
  name: string;
  driver: string;
  address: string;
  /** JSON: the holders of its secrets (`rest/resource/secret-holder-codec.ts`); null: an older version wrote the row. */
  secrets_for: string | null;
  /** How its driver sends the text; '': the driver's own way. */
  template: Generated<string>;
  /** Its text when the count is unknown. */
  stale_text: string;
  /** What it last showed, as its gateway said, and when it was sent; null: never. */
  shown_text: string | null;
  shown_at: number | null;
  shown_is_stale: number | null;
}

interface RgbDisplayRulesTable extends Timestamps {
  id: Generated<number>;
  rgb_display_id: number;
  name: string;
  operator: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte' | 'between';
  occupied_value: number;
  /** The upper bound of `between`. Other operators ignore it. */
  occupied_value_to: number | null;
  display_text: string;
  order: number;
  start_time: number | null;
  end_time: number | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    rgb_displays: RgbDisplaysTable;
    rgb_display_rules: RgbDisplayRulesTable;
  }
}

export const DISPLAY_BASELINE: Tables = {
  rgb_displays: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      lot_id: { partOf: 'lots' },
      zone_id: { refersTo: 'zones' },
      gateway_id: { refersTo: 'gateways' },
      name: 'text',
      driver: 'text',
      address: 'text',
      stale_text: 'text',
      template: { type: 'text', default: '' },
      shown_text: 'text null',
      shown_at: 'bigint null',
      shown_is_stale: 'integer null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['account_id'], ['lot_id'], ['zone_id'], ['gateway_id']],
  },
  rgb_display_rules: {
    columns: {
      id: 'id',
      rgb_display_id: { partOf: 'rgb_displays' },
      name: 'text',
      operator: 'text',
      occupied_value: 'integer',
      occupied_value_to: 'integer null',
      display_text: 'text',
      order: 'integer',
      start_time: 'bigint null',
      end_time: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['rgb_display_id', 'order']],
  },
};
