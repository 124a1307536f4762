/** The answer of `GET /status` and `parking-agent status` about a running gateway. It holds no secrets. */
import type { StandingEnded } from '../../shared/gateway-standing.js';
import type { Lane } from '../../shared/uplink.js';
import type { ClaimView } from '../commissioning/claim-desk.js';
import type { DisplayView } from '../display/displays.js';
import type { ErrorBit } from '../../shared/product-protocol/status-block.js';
import type { RadioHealth } from '../product/radio-health.js';
import type { UpdateView } from '../update/updates.js';
import type { ParkingGatewayView } from '../sensor/sensors.js';

/** The status as `parking-agent status` prints it: with the device code, which goes over no connection. */
export interface StatusHere extends GatewayStatus {
  /** The code of an unclaimed device; null: it is claimed, or the code cannot be read. */
  device_code: string | null;
  /** Why the code cannot be read, and what to do; null: it can, or there is none. */
  device_code_problem: string | null;
}

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
    /** Since when `connected` has this value, ISO 8601. */
    since: string | null;
  };
  claim: ClaimView & {
    /** Why an earlier identity of this device was erased, until it is claimed again; null: it had none. */
    former: { why: StandingEnded; at: string } | null;
  };
  radio: RadioHealth;
  clock: { known: boolean; now: string };
  store: { path: string; bytes: number; quarantined: string | null; failed: string | null };
  /** `pending` is null when the store is broken and does not answer. */
  outbox: { pending: number | null; lanes: { lane: Lane; rows: number; bytes: number }[] };
  /** Reads that are being decided and stored; `oldest_s`: since when the oldest waits, null: none does. */
  reads: { under_way: number; oldest_s: number | null };
  products: {
    device_id: string;
    name: string;
    type: string;
    paired: boolean;
    status: 'online' | 'offline';
    /** As the product says it. */
    state: string | null;
    /** Whether vehicles can pass, as people say it; `unknown` also for a product that is not heard, whatever it said last. */
    passage: 'passable' | 'blocked' | 'unknown';
    /** The problems that it reports of itself. */
    errors: ErrorBit[];
    /** dBm */
    rssi: number | null;
    /** Percent. */
    battery: number | null;
    seen_ago_s: number | null;
    /** How many days the gateway's own credentials for this product still last; null also while it does not know the time. */
    credential_days_left: number | null;
    /** Less than half of the time is left that a gateway may act without its cloud. */
    is_credential_low: boolean;
    /** By how many seconds its clock is wrong, if only the cloud can correct it (below 0: behind), else null. */
    clock_off_s: number | null;
    /** The fault, and what to do about it, for people; null: there is none. */
    problem: string | null;
  }[];
  cameras: {
    device_id: string;
    name: string;
    driver: string;
    /** It may push without a key: whoever has its address is heard in its name. */
    push_without_key: boolean;
    /** null: not known yet. */
    status: 'online' | 'offline' | null;
    /** The time of its last push, ISO 8601. */
    last_seen: string | null;
    clock_behind_s: number | null;
    clock_is_drifting: boolean;
    /** Why it does not work as it should; null: no problem is known. */
    problem: string | null;
  }[];
  parking_gateways: ParkingGatewayView[];
  displays: DisplayView[];
  /** The device's software; null: the gateway has nothing to do with it. */
  update: UpdateView | null;
}
