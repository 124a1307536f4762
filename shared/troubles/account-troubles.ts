/** The troubles of lots, their zones, and of what an account sends: webhooks and mails. Pure. */
import { isMailFailing, isWebhookAnswer } from './rules.js';
import { type Trouble, trouble } from './trouble.js';
import { oldestOf } from './equipment-troubles.js';

export interface LotTroubleFacts {
  id: number;
  name: string;
  /** Since when it is held open in an emergency, wall milliseconds; null: it is not. */
  released_ms: number | null;
  released_by: string | null;
}

export const troublesOfLot = ({ id, name, released_ms, released_by }: LotTroubleFacts): Trouble[] =>
  released_ms === null ? [] : [trouble('lot_released', { kind: 'lot', id, name }, { by: released_by }, released_ms)];

export interface ZoneTroubleFacts {
  id: number;
  name: string;
  /** Occupied places, as sensors say; null: the zone has none. */
  sensors: number | null;
  /** Vehicles inside, as cameras counted them. */
  sessions: number;
  /** Since when the two are too far apart, wall milliseconds; null: they are not. */
  drift_since_ms: number | null;
}

export const troublesOfZone = ({ id, name, sensors, sessions, drift_since_ms }: ZoneTroubleFacts): Trouble[] =>
  drift_since_ms === null
    ? []
    : [trouble('counts_apart', { kind: 'zone', id, name }, { sensors, sessions }, drift_since_ms)];

export interface WebhookTroubleFacts {
  id: number;
  name: string;
  is_active: boolean;
  /** When the service switched it off; null: it did not. */
  disabled_ms: number | null;
  /** The HTTP status of the last call; null: there was none, or nobody answered. */
  last_status: number | null;
  /** When a call was last begun that nobody answered; null: none is known. */
  unanswered_ms: number | null;
}

/** @param webhook one that a person switched off is no trouble */
export function troublesOfWebhook(webhook: WebhookTroubleFacts): Trouble[] {
  const { id, name, is_active, disabled_ms, last_status: status, unanswered_ms } = webhook;
  const about = { kind: 'webhook', id, name } as const;
  if (disabled_ms !== null) return [trouble('webhook_off', about, {}, disabled_ms)];
  const fails = status === null ? unanswered_ms !== null : !isWebhookAnswer(status);
  return is_active && fails ? [trouble('webhook_failing', about, { status }, unanswered_ms)] : [];
}

export interface MailTroubleFacts {
  /** Wall milliseconds. */
  written_ms: number;
  /** It is not tried any more; false: it still is, after a failure. */
  is_over: boolean;
}

/** @param mails those that were tried and not sent */
export function troublesOfMails(mails: readonly MailTroubleFacts[], nowMs: number): Trouble[] {
  const failing = mails.filter((mail) => isMailFailing(mail, nowMs));
  if (failing.length === 0) return [];
  const since_ms = oldestOf(failing.map(({ written_ms }) => written_ms));
  return [trouble('mails_failing', { kind: 'mails', id: '', name: '' }, { count: failing.length }, since_ms)];
}
