import type { GatewayHealthReport } from '../../../shared/uplink-reports.js';
import type { JsonColumn, Tables } from '../../kernel/store/entry.js';

/** The last health report of each gateway. */
interface GatewayHealthTable {
  gateway_id: number;
  /** Wall milliseconds. */
  reported_at: number;
  /** When the first of its credentials ends; null: it has none. */
  tokens_end_at: number | null;
  /** How often it healed its Bluetooth since it started. */
  recoveries_count: number;
  /** The same by step. */
  frees_count: number;
  rescans_count: number;
  resets_count: number;
  restarts_count: number;
  power_cycles_count: number;
  /** 0: its disk refuses what it writes. */
  is_store_ok: 0 | 1;
  health: JsonColumn<GatewayHealthReport>;
}

/** Messages that waited because their gateway sent more than its share. A gateway that never did so has no row. */
interface GatewayHoldsTable {
  gateway_id: number;
  /** Since the gateway exists, at whatever process. */
  held_count: number;
  /** The last one: wall milliseconds. */
  held_at: number;
}

/** The last message of each channel of a gateway that could not be handled; removed when a later one can be. */
interface GatewayUnhandledTable {
  gateway_id: number;
  /** What it is about, the last part of its topic. */
  channel: string;
  /** In words for people. */
  reason: string;
  /** Wall milliseconds. */
  unhandled_at: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    gateway_health: GatewayHealthTable;
    gateway_holds: GatewayHoldsTable;
    gateway_unhandled: GatewayUnhandledTable;
  }
}

export const GATEWAY_HEALTH_BASELINE: Tables = {
  gateway_health: {
    columns: {
      gateway_id: { partOf: 'gateways' },
      reported_at: 'bigint',
      tokens_end_at: 'bigint null',
      recoveries_count: 'integer',
      health: 'text',
      frees_count: { type: 'integer', default: 0 },
      rescans_count: { type: 'integer', default: 0 },
      resets_count: { type: 'integer', default: 0 },
      restarts_count: { type: 'integer', default: 0 },
      power_cycles_count: { type: 'integer', default: 0 },
      is_store_ok: { type: 'integer', default: 1 },
    },
    primaryKey: ['gateway_id'],
  },
  gateway_holds: {
    columns: {
      gateway_id: { partOf: 'gateways' },
      held_count: 'bigint',
      held_at: 'bigint',
    },
    primaryKey: ['gateway_id'],
    indices: [['held_at']],
  },
  gateway_unhandled: {
    columns: {
      gateway_id: { partOf: 'gateways' },
      channel: 'text',
      reason: 'text',
      unhandled_at: 'bigint',
    },
    primaryKey: ['gateway_id', 'channel'],
  },
};
