import type { GatewayHealthReport } from '../../shared/uplink-reports.js';
import type { JsonColumn } from '../store/json-column.js';

/** What each gateway last said of itself. */
interface GatewayHealthTable {
  gateway_id: number;
  /** Wall milliseconds. */
  reported_at: number;
  /** When the first of its credentials ends; null: it has none. */
  tokens_end_at: number | null;
  /** How often it healed its Bluetooth since it started. */
  recoveries_count: number;
  health: JsonColumn<GatewayHealthReport>;
}

declare module '../store/schema.js' {
  interface Database {
    gateway_health: GatewayHealthTable;
  }
}
