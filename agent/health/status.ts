/** The answer of `GET /status` and `parking-agent status` about a running gateway. It holds no secrets. */
import type { StandingEnded } from '../../shared/gateway-standing.js';
import type { Lane } from '../../shared/uplink.js';
import type { ClaimView } from '../commissioning/claim-desk.js';
import type { DisplayView } from '../display/displays.js';
import type { RadioHealth } from '../product/radio-health.js';
import type { UpdateView } from '../update/updates.js';
import type { ParkingGatewayView } from '../sensor/sensors.js';
import type { CameraStatus, CloudStatus, ProductStatus } from './status-rows.js';

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
  cloud: CloudStatus;
  claim: ClaimView & {
    /** Why an earlier identity of this device was erased, until it is claimed again; null: it had none. */
    former: { why: StandingEnded; at: string } | null;
  };
  radio: RadioHealth;
  clock: { known: boolean; now: string };
  store: { path: string; bytes: number; quarantined: string | null; failed: string | null };
  /** `pending` is null when the store is broken and does not answer. */
  outbox: { pending: number | null; lanes: { lane: Lane; rows: number; bytes: number }[] };
  /** For how long what is wrong now has been so, by `TroubleTimes` key, in seconds; left out: nothing is wrong, or it was so at the start. */
  wrong_for_s: Readonly<Record<string, number>>;
  /** Reads that are being decided and stored; `oldest_s`: since when the oldest waits, null: none does. */
  reads: { under_way: number; oldest_s: number | null };
  products: ProductStatus[];
  cameras: CameraStatus[];
  parking_gateways: ParkingGatewayView[];
  displays: DisplayView[];
  /** The device's software; null: the gateway has nothing to do with it. */
  update: UpdateView | null;
}
