import type { Tables } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { DISPLAY_FIELDS } from './display-fields.js';
import type { DISPLAY_RULE_FIELDS } from './display-rule-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database {
    rgb_displays: TableOf<typeof DISPLAY_FIELDS>;
    rgb_display_rules: TableOf<typeof DISPLAY_RULE_FIELDS>;
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
