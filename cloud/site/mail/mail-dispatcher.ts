/**
 * Sends the mails of the queue, each by one process at a time. A mail is in the database as soon as it exists, so neither a crash nor an
 * outage of the mail server loses any. A process that dies during an attempt leaves its lease: when that ends, another one makes the
 * attempt again, with the same Message-ID.
 */
import { backoffDelayMs, type BackoffLimits } from '../../../shared/backoff.js';
import { every } from '../../../shared/clock.js';
import {
  type CloudStore,
  createTurnLoop,
  type Db,
  includesOneOf,
  LOCKS,
  nextDueMoment,
  type Tx,
} from '../../kernel/entry.js';
import { createMailAttempts, type MailAttemptDeps } from './mail-attempts.js';
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

const PRUNE_EVERY_MS = 3_600_000;
const PRUNED_PER_TRANSACTION = 2_000;
/** Mails that their account's or receiver's rate holds are looked at again after this time. */
const HELD_LOOK_MS = 10_000;
/** How long no mail is tried after the server could not be reached: a queue of thousands would knock at it without a pause. */
const UNREACHED_BACKOFF: BackoffLimits = { baseMs: 2_000, maxMs: 60_000 };

export interface MailDispatcher {
  /** Waits a moment for attempts under way, and breaks off what is left; it is made again at the next start. */
  close(): Promise<void>;
}

export interface MailDispatcherDeps extends MailAttemptDeps {
  store: CloudStore;
  limits: MailLimits;
  /** No other process sends mails of this database: what is leased at the start was leased by one that died, and need not wait. */
  isAlone: boolean;
  /** A new one at each call, with its angle brackets. */
  generateMessageId: () => string;
}

export function createMailDispatcher(deps: MailDispatcherDeps): MailDispatcher {
  const { store, clock, random, logger, limits } = deps;
  let isClosing = false;
  /** Attempts in a row that did not reach the server, and until when none is made (wall milliseconds). */
  let unreached = 0;
  let pausedUntil = 0;
  let isHeir = deps.isAlone;

  const attempts = createMailAttempts(deps, (wasReached) => {
    if (wasReached) {
      unreached = 0;
      pausedUntil = 0;
    } else {
      pausedUntil = clock.now() + backoffDelayMs(UNREACHED_BACKOFF, unreached, random());
      unreached += 1;
    }
    loop.ask();
  });
  const loop = createTurnLoop({
    clock,
    random,
    async runTurn() {
      const outcomes = attempts.drainOutcomes();
      const now = clock.now();
      // While nobody knows whether the server is back, one attempt finds out for all.
      const places = isClosing || now < pausedUntil ? 0 : (unreached > 0 ? 1 : limits.together) - attempts.count;
      try {
        const { due, nextAt } = await runTurn(deps, { outcomes, places, now, isHeir });
        isHeir = false;
        for (const mail of due) attempts.begin(mail);
        return now < pausedUntil ? pausedUntil : nextAt;
      } catch (error) {
        attempts.putBack(outcomes);
        throw error;
      }
    },
    onError: (error) => logger.error({ err: error }, 'Mails wait for the database'),
  });
  const stops = [
    store.onWritten(['mails'], loop.ask),
    store.onForeignChange(({ written }) => {
      if (includesOneOf(written, ['mails'])) loop.ask();
    }),
  ];
  const pruning = every({
    clock,
    periodMs: PRUNE_EVERY_MS,
    work: () => pruneOld(deps),
    onError: (error) => logger.error({ err: error }, 'Old mails could not be removed'),
  });
  loop.ask();

  return {
    async close() {
      isClosing = true;
      for (const stop of stops) stop();
      pruning.cancel();
      await loop.close();
      await attempts.close();
      const outcomes = attempts.drainOutcomes();
      if (outcomes.length === 0) return;
      const now = clock.now();
      try {
        await store.change((tx) => recordAll(tx, outcomes, now));
      } catch (error) {
        logger.error({ err: error }, 'Outcomes of mails were not recorded: they are sent again');
      }
    },
  };
}

/**
 * Runs one transaction: it stores outcomes of attempts, and leases mails that are due.
 * @param turn.places how many may be leased
 * @param turn.isHeir whether leases of a process that died are given up first
 */
async function runTurn(
  { store, limits, generateMessageId }: MailDispatcherDeps,
  turn: { outcomes: readonly MailOutcome[]; places: number; now: number; isHeir: boolean },
): Promise<{ due: DueMail[]; nextAt: number | null }> {
  const { outcomes, places, now, isHeir } = turn;
  return store.change(async (tx) => {
    await recordAll(tx, outcomes, now);
    if (isHeir) await endMailLeases(tx);
    if (places <= 0) return { due: [], nextAt: null };
    const { leaseMs, rates } = limits;
    const due = await leaseDueMails(tx, { now, leaseEndsAt: now + leaseMs, limit: places, rates, generateMessageId });
    // When all places are filled, the end of an attempt asks for the next turn.
    if (due.length === places) return { due, nextAt: null };
    return { due, nextAt: (await isMailDue(tx, now)) ? now + HELD_LOOK_MS : await nextDueMoment(tx, 'mails', now) };
  });
}

async function recordAll(tx: Tx, outcomes: readonly MailOutcome[], now: number): Promise<void> {
  await tx.lock(LOCKS.mailTurn);
  for (const outcome of outcomes) await recordMailOutcome(tx, outcome, now);
}

async function pruneOld({ store, clock, limits }: MailDispatcherDeps): Promise<void> {
  const before = clock.now() - limits.keptMs;
  let deleted: number;
  do {
    deleted = await store.change((tx: Db) => pruneMails(tx, { before, limit: PRUNED_PER_TRANSACTION }));
  } while (deleted === PRUNED_PER_TRANSACTION);
}
