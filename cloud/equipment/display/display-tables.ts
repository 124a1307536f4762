import type { Generated } from 'kysely';
import type { Timestamps } from '../../kernel/entry.js';

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
