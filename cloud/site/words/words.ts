/** The texts that guests and receivers of mails read. Each language has a file with the same sentences. Here they are named by their meaning. */
import type { EventPayload } from '../../../shared/events/event-schemas.js';
import type { ProductOperation } from '../../../shared/uplink-orders.js';

type Reading = EventPayload<'plate_reading_create'>;

/** Times are passed as text in the language and the lot's time zone. */
export interface MailWords {
  /** BCP 47 tag for formatting times. */
  locale: string;
  key: {
    /** @param products at least one name */
    subject(key: { account: string; products: readonly string[] }): string;
    heading(products: readonly string[]): string;
    /** @param given.sender the name of the user who gave the key; null: the account gave it */
    given(given: { account: string; sender: string | null }): string;
    goTo(product: string): string;
    /** @param place the lot's name and address */
    place(place: string): string;
    /** `to` null: the key is open-ended. */
    window(window: { from: string; to: string | null }): string;
    howTo: string;
    keepPrivate: string;
    why(account: string): string;
  };
  alert: {
    subject(alert: { plate: string; alert: string }): string;
    heading(plate: string): string;
    given(alert: { alert: string; account: string }): string;
    labels: Record<'time' | 'plate' | 'place' | 'camera' | 'direction' | 'decision', string>;
    enteredByHand: string;
    directions: Record<Reading['direction'], string>;
    decisions: Record<NonNullable<Reading['access_decision']> | 'none', string>;
    reasons: Record<NonNullable<Reading['access_decision_reason']>, string>;
    picture: string;
    pictureUntil(time: string): string;
    unsubscribe: string;
    why(account: string): string;
  };
  reset: {
    subject(account: string): string;
    heading: string;
    asked(asked: { account: string; user: string }): string;
    button: string;
    once: string;
    notYou: string;
  };
  /** @param whom to ask: name, mail address and telephone number, as far as the account gives them */
  contact(whom: string): string;
  unsubscribe: {
    title: string;
    question: string;
    button: string;
    done: string;
  };
}

/** Why an operation failed, for a guest. Each text says what happened and what to do. */
export const GUEST_FAULTS = [
  'unreachable',
  'busy',
  'jammed',
  'car_on_top',
  'sensor_dirty',
  'refused',
  'no_remote_control',
  'too_often',
  'link',
  'no_network',
  'service',
  'page',
] as const;
export type GuestFault = (typeof GUEST_FAULTS)[number];

/** States are named opened and closed, never "up" or "down", which guests could misunderstand. */
export type GuestState = 'opened' | 'closed' | 'error' | 'unknown' | 'reserved' | 'disabled';

export interface PageWords {
  /** BCP 47 tag for formatting times. */
  locale: string;
  /** Replaces the name of a product that is not known. */
  nameless: string;
  /** Stands before whom a guest may ask. */
  contact: string;
  loading: string;
  states: Record<GuestState, string>;
  /** Shown when the service has not heard from the product lately. */
  unheard: string;
  operations: Record<ProductOperation, string>;
  asking: string;
  /** Says what to do while an operation takes long. */
  patience: string;
  moving: Record<'open' | 'close' | 'other', string>;
  done: Record<'open' | 'close' | 'other', string>;
  faults: Record<GuestFault, { what: string; todo: string }>;
  tryAgain: string;
  /** `to` null: the link is open-ended. */
  valid(to: string | null): string;
  notYet(from: string): string;
  ended(at: string): string;
}
