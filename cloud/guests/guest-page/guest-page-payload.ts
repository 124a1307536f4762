/** What the page of a weblink shows, as its script gets it. */
import type { ProductOperation } from '../../../shared/uplink-orders.js';
import type { GuestState } from '../../site/words/words.js';

export interface GuestPage {
  /** `place`: the lot's name and address, by which a guest sees whether this is where they are; empty: it is in none. */
  product: { name: string; place: string; state: GuestState; is_online: boolean };
  /** What the link allows; none outside of its window. */
  operations: readonly ProductOperation[];
  /** Times are wall milliseconds. `phase`: whether the window is still to come, open or over; `timezone`: of the lot. */
  window: { start: number; end: number | null; timezone: string; phase: 'before' | 'open' | 'after' };
  /** The last command that was given with the link; null: none, or it is outside of its window. */
  last: GuestCommand | null;
}

export interface GuestCommand {
  event_id: string;
  operation: string;
  status: 'pending' | 'succeeded' | 'failed';
  /** Of a command that failed: the type of its gateway_error. */
  error_type: number | 'Timeout' | null;
}

/** @param window its times in wall milliseconds */
export function phaseOf(window: { start: number; end: number | null }, now: number): GuestPage['window']['phase'] {
  if (now < window.start) return 'before';
  return window.end !== null && window.end <= now ? 'after' : 'open';
}
