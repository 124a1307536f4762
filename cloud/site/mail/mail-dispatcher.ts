/**
 * Sends the mails of the queue. One process at a time attempts a mail. Mails are kept in the database until they have ended, so that neither
 * a crash nor an outage of the mail server loses one. When a process dies during an attempt, its lease of the mail ends, and another process
 * makes the attempt again with the same Message-ID.
 */
import { backoffDelayMs, type BackoffLimits } from '../../../shared/backoff.js';
import {
  type CloudStore,
  createAttemptQueue,
  deleteInPieces,
  includesOneOf,
  LOCKS,
  nextDueMoment,
  type Tx,
} from '../../kernel/entry.js';
import { createMailAttempt, type MailAttemptDeps } from './mail-attempts.js';
import {
  type DueMail,
  endMailLeases,
  isMailDue,
  leaseDueMails,
  type MailOutcome,
  type MailRates,
  pruneMails,
  recordMailOutcome,
} from './mail-turn-queries.js';

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

export interface MailDispatcher {
  /** Waits a moment for attempts under way, and breaks off the others, which are made again at the next start. */
  close(): Promise<void>;
}

export interface MailDispatcherDeps extends MailAttemptDeps {
  store: CloudStore;
  limits: MailLimits;
  /** Whether this is the only process that sends mails of this database. Leases that exist at its start are then of a process that died. */
  isAlone: boolean;
  /** A new one at each call, with its angle brackets. */
  generateMessageId: () => string;
}

export function createMailDispatcher(deps: MailDispatcherDeps): MailDispatcher {
  const { store, clock, limits } = deps;
  const server = createServerPause(deps);
  let isHeir = deps.isAlone;

  const queue = createAttemptQueue<DueMail, MailOutcome>({
    ...deps,
    what: 'mails',
    async runTurn(outcomes) {
      const now = clock.now();
      const places = Math.min(server.placesMax(now), limits.together) - queue.underWay().length;
      const turn = await runTurn(deps, { outcomes, places, now, isHeir });
      isHeir = false;
      return { due: turn.due, nextDueAt: server.pausedUntil(now) ?? turn.nextDueAt };
    },
    record: recordAll,
    attempt: createMailAttempt(deps, server.note),
    async prune() {
      const before = clock.now() - limits.keptMs;
      await deleteInPieces(store, (tx, limit) => pruneMails(tx, { before, limit }));
    },
    graceMs: GRACE_MS,
  });
  const stops = [
    store.onWritten(['mails'], queue.ask),
    store.onForeignChange(({ written }) => {
      if (includesOneOf(written, ['mails'])) queue.ask();
    }),
  ];
  queue.ask();

  return {
    async close() {
      for (const stop of stops) stop();
      await queue.close();
    },
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

/**
 * Runs the transaction of a turn: it records outcomes of attempts, and leases mails that are due.
 * @param turn.places how many may be leased
 * @param turn.isHeir whether leases of a process that died are given up first
 */
async function runTurn(
  { store, limits, generateMessageId }: MailDispatcherDeps,
  turn: { outcomes: readonly MailOutcome[]; places: number; now: number; isHeir: boolean },
): Promise<{ due: DueMail[]; nextDueAt: number | null }> {
  const { outcomes, places, now, isHeir } = turn;
  return store.change(async (tx) => {
    await recordAll(tx, outcomes, now);
    if (isHeir) await endMailLeases(tx);
    if (places <= 0) return { due: [], nextDueAt: null };
    const { leaseMs, rates } = limits;
    const due = await leaseDueMails(tx, { now, leaseEndsAt: now + leaseMs, limit: places, rates, generateMessageId });
    // When all places are filled, the end of an attempt asks for the next turn.
    if (due.length === places) return { due, nextDueAt: null };
    const nextDueAt = (await isMailDue(tx, now)) ? now + HELD_LOOK_MS : await nextDueMoment(tx, 'mails', now);
    return { due, nextDueAt };
  });
}

async function recordAll(tx: Tx, outcomes: readonly MailOutcome[], now: number): Promise<void> {
  await tx.lock(LOCKS.mailTurn);
  for (const outcome of outcomes) await recordMailOutcome(tx, outcome, now);
}
