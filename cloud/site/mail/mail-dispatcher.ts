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
import { retryMail } from './mail-queries.js';
import type { SendingAnswer } from './mail-sender.js';
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
/** The same where it accepts none of ours: a server may count each try against the sender. */
const BARRED_BACKOFF: BackoffLimits = { baseMs: 60_000, maxMs: 15 * 60_000 };

/** It sends mails from its making on. */
export interface MailDispatcher extends Pick<Deliveries, 'close'> {
  /** Since when the mail server accepts no mail of this service, in wall milliseconds; null: it does. */
  barredSince(): number | null;
}

export interface MailDispatcherDeps extends MailAttemptDeps, DeliveryDeps {
  limits: MailLimits;
  /** Whether this is the only process that sends mails of this database. Leases that exist at its start are then of a process that died. */
  isAlone: boolean;
  /** A new one at each call, with its angle brackets. */
  generateMessageId: () => string;
}

export function createMailDispatcher(deps: MailDispatcherDeps): MailDispatcher {
  const server = createServerPause(deps);
  const deliveries = createDeliveries(deps, mailRule(deps, server));
  const stop = deps.store.onWritten(['mails'], deliveries.ask);
  deliveries.start();
  return {
    barredSince: server.barredSince,
    async close() {
      stop();
      await deliveries.close();
    },
  };
}

function mailRule(
  deps: MailDispatcherDeps,
  server: ReturnType<typeof createServerPause>,
): DeliveryRule<DueMail, DeliveryAnswer> {
  const { limits } = deps;
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
    async record(tx, outcome, now) {
      const status = outcome.end === 'accepted' ? 'sent' : outcome.nextAttemptAt === null ? 'failed' : 'queued';
      await recordAttempt(tx, 'mails', outcome, { now, set: { status, updated_at: now } });
      // The outcome of the mail that failed wrongly was recorded before this one.
      const wronged = server.wronged();
      for (const id of wronged) await retryMail(tx, id, now);
      tx.onCommit(() => server.amends(wronged));
    },
    async prune() {},
  };
}

/** Pauses all mails while the mail server cannot be reached, or accepts none of this service. */
function createServerPause({ clock, random, logger }: Pick<MailDispatcherDeps, 'clock' | 'random' | 'logger'>) {
  /** Attempts in a row that brought nothing for any mail. */
  let vain = 0;
  let pauseEndsAt = 0;
  let barredSince: number | null = null;
  /** The last mail that was refused for good, if none was accepted since. */
  let lastRefused: { id: number; words: string | null } | null = null;
  /** Mails that failed, as the next one showed, for what was the server's fault. */
  const wronged = new Set<number>();

  function judge({ id }: DueMail, answer: SendingAnswer): SendingAnswer {
    if (answer.end !== 'refused') {
      if (answer.end === 'accepted') lastRefused = null;
      return answer;
    }
    const before = lastRefused;
    const { isFinal, words, reason } = answer;
    if (isFinal) lastRefused = { id, words };
    if (!isFinal || words === null || before === null || before.id === id || before.words !== words) return answer;
    wronged.add(before.id);
    return { end: 'barred', reason };
  }

  return {
    /** Notes the end of an attempt, and answers what it is. */
    note(mail: DueMail, given: SendingAnswer): SendingAnswer {
      const answer = judge(mail, given);
      const isVain = answer.end === 'unreached' || answer.end === 'barred';
      const limits = answer.end === 'barred' ? BARRED_BACKOFF : UNREACHED_BACKOFF;
      pauseEndsAt = isVain ? clock.now() + backoffDelayMs(limits, vain, random()) : 0;
      vain = isVain ? vain + 1 : 0;
      if (answer.end === 'barred') {
        const { reason } = answer;
        if (barredSince === null)
          logger.error({ reason }, 'the mail server accepts no mails of this service: they wait');
        barredSince ??= clock.now();
      } else if (answer.end === 'accepted') barredSince = null;
      return answer;
    },
    /** Returns the mails that are to be tried again, until `amends`. */
    wronged: (): readonly number[] => [...wronged],
    amends: (ids: readonly number[]): void => ids.forEach((id) => wronged.delete(id)),
    barredSince: () => barredSince,
    /** Returns how many attempts may run: until one was of use again, one finds out for all. */
    placesMax: (now: number): number => (now < pauseEndsAt ? 0 : vain > 0 ? 1 : Number.POSITIVE_INFINITY),
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
