/** The parts of the status that the gateway's own page reads, too: nothing here leads to what runs in no browser. */
import type { ErrorBit, PermanentPosition } from '../../shared/product-protocol/status-block.js';
import type { KeyFault } from '../../shared/troubles/trouble.js';

/** The link to the cloud. */
export interface CloudStatus {
  /** null: not claimed yet. */
  url: string | null;
  connected: boolean;
  /** Since when `connected` has this value, ISO 8601. */
  since: string | null;
}

export interface ProductStatus {
  device_id: string;
  name: string;
  type: string;
  paired: boolean;
  status: 'online' | 'offline';
  /** As the product says it. */
  state: string | null;
  /** Whether vehicles can pass, as people say it; `unknown` also for a product that is not heard, whatever it said last. */
  passage: 'passable' | 'blocked' | 'unknown';
  /** Whether somebody holds it open or closed; null: not known. */
  permanent_position: PermanentPosition | null;
  /** The fault of its key, as far as it is heard; null: none is known. */
  key_fault: KeyFault | null;
  /** The errors that it reports of itself. */
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
  /** Its problem and the remedy, in words for people; null: it has none. */
  problem: string | null;
}

export interface CameraStatus {
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
}
