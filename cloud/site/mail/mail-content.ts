/** The content of mails by their kind: the values from which the text is written, in the receiver's language, when a mail is sent. */
import type { EventPayload } from '../../../shared/events/event-schemas.js';

type Reading = EventPayload<'plate_reading_create'>;

/** How many products one key mail may name. Whoever sends keys to more products queues several mails. */
export const PRODUCTS_PER_MAIL_MAX = 50;

/** A guest gets keys to products of one lot. */
export interface KeyContent {
  /** Of the account that gives the keys. */
  account_name: string;
  /** The user who gives them; null: nobody in particular (a program, a public request). */
  sender_name: string | null;
  /** The lot's name and address; empty: it is in none. */
  place: string;
  /** The window of the keys, wall milliseconds. `end_time` null: open-ended. */
  start_time: number;
  end_time: number | null;
  /** The lot's time zone (IANA name), in which the mail shows the window. */
  timezone: string;
  /** 1 to PRODUCTS_PER_MAIL_MAX. The address of each link is derived when the mail is sent. */
  products: readonly { name: string; weblink: { id: string; generation: number } }[];
}

/** A plate of an alert was read. */
export interface AlertContent {
  account_name: string;
  alert_name: string;
  /** The alert's receiver (`alert_receivers`), whom the mail's unsubscribe link names. */
  receiver_id: number;
  /** As it was read. */
  plate: string;
  /** When it was read, wall milliseconds. */
  event_time: number;
  /** The lot's time zone (IANA name). */
  timezone: string;
  lot_name: string;
  zone_name: string;
  /** null: a person entered the plate. */
  camera_name: string | null;
  direction: Reading['direction'];
  access_decision: Reading['access_decision'];
  access_decision_reason: Reading['access_decision_reason'];
  /** The picture of the reading, to which the mail links; null: there is none. */
  image_uid: string | null;
}

/** Somebody asked for a new password for a user. */
export interface ResetContent {
  account_name: string;
  user_name: string;
  /** What the link is derived from, when the mail is sent. */
  user_id: number;
  expires_at: number;
  fingerprint: string;
}

/** The content of each kind. */
export interface MailContents {
  key: KeyContent;
  alert: AlertContent;
  reset: ResetContent;
}

export type MailKind = keyof MailContents;
export type MailContent = MailContents[MailKind];
