/**
 * The answer of `GET /api/view`: everything that the gateway's own page shows of the car park. It holds no secrets.
 * Times are ISO 8601, and nothing in it changes while nothing happens: a page that asks again is answered with 304.
 */
import type { AskedRule } from '../../../shared/access/explain-access.js';
import type { ReadDirection } from '../../../shared/access/resolve-direction.js';
import type { RadioState, Trouble } from '../../../shared/troubles/trouble.js';
import type { CameraStatus, CloudStatus, ProductStatus } from '../../health/status-rows.js';

/** People read whether they can pass: `opened` and `closed` are words of the product. */
export type PassState = 'passable' | 'blocked' | 'moving' | 'error' | 'unknown';

/** As the status has it, with the most urgent of its errors first. */
export interface ProductView extends Omit<ProductStatus, 'state' | 'passage' | 'problem' | 'seen_ago_s'> {
  state: PassState;
  held: 'stay_open' | 'stay_close' | null;
  is_car_on_top: boolean;
  /** When it was last heard; null: not yet, or it is in reach. */
  lost_at: string | null;
  /** How it was then; null: it is in reach, or it did not say. */
  was: 'passable' | 'blocked' | null;
}

/** A vehicle that a camera read. */
export interface ReadView {
  uid: string;
  at: string;
  /** null: it could not be read. */
  plate: string | null;
  direction: ReadDirection;
  access_decision: string | null;
  access_decision_reason: string | null;
  /** Something was opened for it, and the gateway stopped before it knew whether that was done. */
  is_opening_unknown: boolean;
  /** Its small picture is at `/api/pictures/{uid}`; null: there is none. */
  picture_uid: string | null;
}

/** A vehicle that may wait for a person. */
interface WaitingView {
  camera: string;
  /** The product that opens for it; null: its camera stands for itself. */
  product: { device_id: string; name: string } | null;
  /** Until when it can be let through; null: it is too late, or somebody dealt with it. A vehicle that was let out may try again. */
  can_be_let_in_until: string | null;
  /** The name of the person or gateway that dealt with it, at the cloud or here; null: nobody did. */
  handled: { how: 'let_in' | 'ignored' | 'settled'; by: string; at: string } | null;
}

/** A vehicle whose plate could not be read. */
export interface SightingView extends WaitingView {
  uid: string;
  at: string;
  direction: ReadDirection;
  picture_uid: string | null;
}

/** A vehicle that was refused, and that no later read let through. */
export type RefusedView = ReadView &
  WaitingView & {
    /** The rules that were asked, up to the one that refused; none: nothing is kept of them. */
    rules: readonly AskedRule[];
  };

/** As the status has it; `clock_behind_s` is null where the clock is right. */
export interface CameraView extends Omit<CameraStatus, 'clock_is_drifting'> {
  /** The direction that its position serves: in, out or both. */
  position: string;
  /** The product that it opens. */
  product: string | null;
  last_read: ReadView | null;
}

export interface ParkingGatewayView {
  name: string;
  driver: string;
  status: 'online' | 'offline';
  fault: string | null;
  /** `heard_at`: when a sensor that is silent was last heard; null: it is heard, or has not been since the gateway started. */
  places: { name: string; occupancy: 'free' | 'occupied' | null; is_stale: boolean; heard_at: string | null }[];
}

/** An action of a person at this gateway. */
export interface LocalActionView {
  at: string;
  /** `open`, `close`, `release` ... */
  operation: string;
  /** The product's name; null: the whole lot. */
  product: string | null;
  /** It failed; false: it was done, or, of the whole lot, ordered. */
  is_failed: boolean;
}

/** The status of the gateway for its page: without the parts that change by themselves, and with further facts for people. */
export interface LocalView {
  version: string;
  uuid: string;
  /** null before the first configuration. */
  name: string | null;
  lot: string | null;
  timezone: string | null;
  started_at: string;
  cloud: CloudStatus;
  clock: { known: boolean };
  /** The troubles that need a person, the most urgent first. */
  troubles: Trouble[];
  radio: {
    state: RadioState;
    adapters: { name: string; state: RadioState }[];
    last_recovery: { adapter: string; step: string; reason: string } | null;
  };
  /** `pending` null: the store does not answer. */
  outbox: { pending: number | null };
  store: { megabytes: number; failed: string | null; quarantined: string | null };
  products: ProductView[];
  cameras: CameraView[];
  /** The newest first. */
  sightings: SightingView[];
  /** Those of the last hours, the newest first. */
  refused: RefusedView[];
  parking_gateways: ParkingGatewayView[];
  displays: { name: string; driver: string; text: string | null; fault: string | null }[];
  /** The newest first. */
  actions: LocalActionView[];
}

/** `GET /api/device`, also before a sign-in: of a device without an owner a stranger learns nothing else. */
export type DeviceFacts =
  | { is_claimed: false }
  | { is_claimed: true; name: string | null; has_password: boolean; version: string };
