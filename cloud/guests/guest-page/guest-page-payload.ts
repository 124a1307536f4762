/** The data of a weblink's page, as its script receives it. */
import type { accentsOf } from '../../../shared/accent.js';
import type { ProductOperation } from '../../../shared/uplink-orders.js';
import type { GuestState } from '../../site/words/words.js';

export interface GuestPage {
  /** `place`: the lot's name and address, by which guests recognise the place; empty when the product is in no lot. */
  product: { name: string; place: string; state: GuestState; is_online: boolean };
  /** Who runs the place. `colours`: null when the account chose none. The parts of `contact` may be empty. */
  account: {
    name: string;
    logo: string | null;
    colours: ReturnType<typeof accentsOf> | null;
    contact: { name: string; email: string; phone: string };
  };
  /** The operations that the link allows. Empty outside of its validity. */
  operations: readonly ProductOperation[];
  /** Times are wall milliseconds. `phase`: whether the validity is in the future, current or over. `timezone`: that of the lot. */
  window: { start: number; end: number | null; timezone: string; phase: 'before' | 'open' | 'after' };
  /** The last command that was given with the link; null: there is none, or the link is not valid now. */
  last: GuestCommand | null;
}

export interface GuestCommand {
  event_id: string;
  operation: string;
  status: 'pending' | 'succeeded' | 'failed';
  /** The type of the gateway_error, if the command failed. */
  error_type: number | 'Timeout' | null;
}

/** @param window the validity of the link, in wall milliseconds */
export function phaseOf(window: { start: number; end: number | null }, now: number): GuestPage['window']['phase'] {
  if (now < window.start) return 'before';
  return window.end !== null && window.end <= now ? 'after' : 'open';
}
