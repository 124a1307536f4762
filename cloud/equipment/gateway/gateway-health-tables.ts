import type { GatewayHealthReport } from '../../../shared/uplink-reports.js';
import type { Flag, JsonColumn, Tables, TablesOf, Text } from '../../kernel/store/entry.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof GATEWAY_HEALTH_BASELINE> {}
}

export const GATEWAY_HEALTH_BASELINE = {
  /** The last health report of each gateway. */
  gateway_health: {
    columns: {
      gateway_id: { partOf: 'gateways' },
      /** Wall milliseconds. */
      reported_at: 'bigint',
      /** When the first of its credentials ends; null: it has none. */
      tokens_end_at: 'bigint null',
      /** How often it healed its Bluetooth since it started. */
      recoveries_count: 'integer',
      health: 'text' as Text<JsonColumn<GatewayHealthReport>>,
      /** The same by step. */
      frees_count: { type: 'integer', default: 0 },
      rescans_count: { type: 'integer', default: 0 },
      resets_count: { type: 'integer', default: 0 },
      restarts_count: { type: 'integer', default: 0 },
      power_cycles_count: { type: 'integer', default: 0 },
      /** 0: its disk refuses what it writes. */
      is_store_ok: { type: 'integer' as Flag, default: 1 },
    },
    primaryKey: ['gateway_id'],
  },
  /** Messages that waited because their gateway sent more than its share. A gateway that never did so has no row. */
  gateway_holds: {
    columns: {
      gateway_id: { partOf: 'gateways' },
      /** Since the gateway exists, at whatever process. */
      held_count: 'bigint',
      /** The last one: wall milliseconds. */
      held_at: 'bigint',
    },
    primaryKey: ['gateway_id'],
    indices: [['held_at']],
  },
  /** The last message of each channel of a gateway that could not be handled; removed when a later one can be. */
  gateway_unhandled: {
    columns: {
      gateway_id: { partOf: 'gateways' },
      /** What it is about, the last part of its topic. */
      channel: 'text',
      /** In words for people. */
      reason: 'text',
      /** Wall milliseconds. */
      unhandled_at: 'bigint',
    },
    primaryKey: ['gateway_id', 'channel'],
  },
} satisfies Tables;
