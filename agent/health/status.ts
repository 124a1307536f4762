/** What `GET /status` and `parking-agent status` tell of a running gateway: for installers, programs and the demo. No secrets. */
import type { Lane } from '../../shared/uplink.js';
import type { RadioState } from '../product/radio.js';
import type { ParkingGatewayView } from '../sensor/sensors.js';

export interface GatewayStatus {
  version: string;
  uuid: string;
  /** null before the first configuration. */
  name: string | null;
  lot: string | null;
  /** Seconds since the agent started. */
  uptime_s: number;
  cloud: {
    /** null: not claimed yet. */
    url: string | null;
    connected: boolean;
    /** Since when it is so, ISO 8601. */
    since: string | null;
  };
  radio: { state: RadioState };
  clock: { known: boolean; now: string };
  store: { path: string; bytes: number; quarantined: string | null; failed: string | null };
  /** `pending` null: the store is broken and does not tell. */
  outbox: { pending: number | null; lanes: { lane: Lane; rows: number; bytes: number }[] };
  products: {
    device_id: string;
    name: string;
    type: string;
    paired: boolean;
    status: 'online' | 'offline';
    state: string | null;
    /** dBm */
    rssi: number | null;
    /** Percent. */
    battery: number | null;
    seen_ago_s: number | null;
    /** How long the gateway may still act for itself at this product; null also while it does not know the time. */
    credential_days_left: number | null;
  }[];
  cameras: {
    device_id: string;
    name: string;
    driver: string;
    /** null: not known yet. */
    status: 'online' | 'offline' | null;
    /** ISO 8601: its last push. */
    last_seen: string | null;
    clock_behind_s: number | null;
    clock_is_drifting: boolean;
  }[];
  parking_gateways: ParkingGatewayView[];
}
