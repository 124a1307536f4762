/**
 * Sends the mails of the queue. When a process dies during an attempt, another process makes the attempt again with the same Message-ID.
 */
import { backoffDelayMs, type BackoffLimits } from '../../../shared/backoff.js';
import {
  createDeliveries,
  type Deliveries,
  type DeliveryAnswer,
  type DeliveryDeps,
  type DeliveryRule,
  endLeases,
  nextDueMoment,
  recordAttempt,
} from '../../kernel/delivery/entry.js';
import type { Tx } from '../../kernel/store/entry.js';
import { type MailAttemptDeps, mailAttempts } from './mail-attempts.js';
import { type DueMail, isMailDue, leaseDueMails, type MailRates } from './mail-turn-queries.js';

export interface MailLimits {
  /** How many attempts run at one time. */
  together: number;
  rates: MailRates;
  /** After this time an attempt counts as lost with its process. It is longer than the sender's own limit. */
  leaseMs: number;
  /** How long mails are shown after their end. */
  keptMs: number;
}

export const MAIL_LIMITS: MailLimits = {
  together: 5,
  rates: { perAccountAndMin: 600, perReceiverAndHour: 120 },
  leaseMs: 90_000,
  keptMs: 30 * 24 * 3_600_000,
};

/** A mail that is being accepted is not broken off at once when the service stops: it would be sent twice. */
const GRACE_MS = 5_000;
/** How soon mails are looked at again that had to wait for the rate of their account or receiver. */
const HELD_LOOK_MS = 10_000;
/** How long no mail is tried after the server could not be reached, so that a queue of thousands does not try without a pause. */
const UNREACHED_BACKOFF: BackoffLimits = { baseMs: 2_000, maxMs: 60_000 };

/** It sends mails from its making on. */
export type MailDispatcher = Pick<Deliveries, 'close'>;

export interface MailDispatcherDeps extends MailAttemptDeps, DeliveryDeps {
  limits: MailLimits;
  /** Whether this is the only process that sends mails of this database. Leases that exist at its start are then of a process that died. */
  isAlone: boolean;
  /** A new one at each call, with its angle brackets. */
  generateMessageId: () => string;
}

export function createMailDispatcher(deps: MailDispatcherDeps): MailDispatcher {
  const deliveries = createDeliveries(deps, mailRule(deps));
  const stop = deps.store.onWritten(['mails'], deliveries.ask);
  deliveries.start();
  return {
    async close() {
      stop();
      await deliveries.close();
    },
  };
}

function mailRule(deps: MailDispatcherDeps): DeliveryRule<DueMail, DeliveryAnswer> {
  const { limits } = deps;
  const server = createServerPause(deps);
  let isHeir = deps.isAlone;
  return {
    table: 'mails',
    what: 'mails',
    keptMs: limits.keptMs,
    graceMs: GRACE_MS,
    ...mailAttempts(deps, server.note),
    async lease(tx, { now, underWay }) {
      if (isHeir) await endLeases(tx, 'mails');
      tx.onCommit(() => void (isHeir = false));
      const places = Math.min(server.placesMax(now), limits.together) - underWay.length;
      const { due, nextDueAt } = await leaseWithin(tx, deps, { places, now });
      return { due, nextDueAt: server.pausedUntil(now) ?? nextDueAt };
    },
    record(tx, outcome, now) {
      const status = outcome.end === 'accepted' ? 'sent' : outcome.nextAttemptAt === null ? 'failed' : 'queued';
      return recordAttempt(tx, 'mails', outcome, { now, set: { status, updated_at: now } });
    },
    async prune() {},
  };
}

/** Pauses all mails while the mail server cannot be reached. */
function createServerPause({ clock, random }: Pick<MailDispatcherDeps, 'clock' | 'random'>) {
  /** Attempts in a row that did not reach the server. */
  let unreached = 0;
  let pauseEndsAt = 0;
  return {
    /** Notes the end of an attempt. */
    note(wasReached: boolean): void {
      pauseEndsAt = wasReached ? 0 : clock.now() + backoffDelayMs(UNREACHED_BACKOFF, unreached, random());
      unreached = wasReached ? 0 : unreached + 1;
    },
    /** Returns how many attempts may run: until the server was reached again, one finds out for all. */
    placesMax: (now: number): number => (now < pauseEndsAt ? 0 : unreached > 0 ? 1 : Number.POSITIVE_INFINITY),
    /** Returns the end of the pause in wall milliseconds; null: there is none. */
    pausedUntil: (now: number): number | null => (now < pauseEndsAt ? pauseEndsAt : null),
  };
}

/** @param turn.places how many may be leased */
async function leaseWithin(
  tx: Tx,
  { limits: { leaseMs, rates }, generateMessageId }: MailDispatcherDeps,
  { places, now }: { places: number; now: number },
): Promise<{ due: DueMail[]; nextDueAt: number | null }> {
  if (places <= 0) return { due: [], nextDueAt: null };
  const due = await leaseDueMails(tx, { now, leaseEndsAt: now + leaseMs, limit: places, rates, generateMessageId });
  // When all places are filled, the end of an attempt asks for the next turn.
  if (due.length === places) return { due, nextDueAt: null };
  const nextDueAt = (await isMailDue(tx, now)) ? now + HELD_LOOK_MS : await nextDueMoment(tx, 'mails', now);
  return { due, nextDueAt };
}
