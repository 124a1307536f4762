/**
 * Takes events of the journal to webhooks, at least once each. What is to be sent stands in the database from the moment it is made
 * (a cursor per webhook, moved in the same transaction), so that neither a crash nor a stop loses any of it.
 */
import { backoffDelayMs, type BackoffLimits } from '../../shared/backoff.js';
import { every, type Timer } from '../../shared/clock.js';
import type { CloudStore, Db } from '../store/cloud-store.js';
import {
  activeWebhooks,
  type DeliveryOutcome,
  leasedLots,
  makeDeliveries,
  nextDueAt,
  recordOutcome,
  takeDue,
  webhooksWithDue,
} from '../store/queries/webhook-turn.js';
import { pruneDeliveries, type Webhook } from '../store/queries/webhooks.js';
import { type Attempt, type AttemptDeps, createDeliveryAttempts, type DeliveryAttempts } from './delivery-attempts.js';

export interface WebhookLimits {
  /** Attempts at one time, to one webhook and to all: one that is slow holds up itself only. */
  perWebhook: number;
  together: number;
  /** Events that one transaction makes into deliveries of a webhook. */
  eventsPerTurn: number;
  /** After which an attempt is taken for lost with its process; longer than the sender's own limit. */
  leaseMs: number;
  /** How long deliveries are shown after their end. */
  keptMs: number;
}

export const WEBHOOK_LIMITS: WebhookLimits = {
  perWebhook: 8,
  together: 100,
  eventsPerTurn: 500,
  leaseMs: 20_000,
  keptMs: 7 * 24 * 3_600_000,
};

const PRUNE_EVERY_MS = 3_600_000;
const PRUNED_PER_TRANSACTION = 2_000;
/** Timers take no longer times. */
const LONGEST_WAIT_MS = 3_600_000;
const DATABASE_BACKOFF: BackoffLimits = { baseMs: 1_000, maxMs: 60_000 };

export interface WebhookDispatcher {
  /** A webhook was made or changed, or a delivery is to be made again: after the commit. */
  changed(): void;
  /** Attempts under way are broken off, and made again at the next start. */
  close(): Promise<void>;
}

export interface WebhookDispatcherDeps extends AttemptDeps {
  store: CloudStore;
  limits: WebhookLimits;
}

export function createWebhookDispatcher(deps: WebhookDispatcherDeps): WebhookDispatcher {
  const { store, clock, random, logger } = deps;
  const audience = createAudience();
  let turning = Promise.resolve();
  let isTurning = false;
  let isAsked = false;
  const closing = new AbortController();
  let failures = 0;
  let timer: Timer | undefined;

  const ask = (): void => {
    isAsked = true;
    if (isTurning || closing.signal.aborted) return;
    isTurning = true;
    turning = turns();
  };
  const attempts = createDeliveryAttempts(deps, ask);
  const askIn = (delayMs: number): void => {
    timer?.cancel();
    timer = clock.setTimer(Math.min(Math.max(delayMs, 0), LONGEST_WAIT_MS), ask);
  };

  const turns = async (): Promise<void> => {
    while (isAsked && !closing.signal.aborted) {
      isAsked = false;
      if (!(await takeTurn())) break;
    }
    // In the same moment as the last look at isAsked: what is asked after it must begin new turns.
    isTurning = false;
  };

  /** Returns whether the database took it. */
  const takeTurn = async (): Promise<boolean> => {
    const outcomes = attempts.takeOutcomes();
    try {
      const result = await runTurn(deps, { accounts: audience.take(), outcomes, attempts });
      if (result.listening !== null) audience.learn(result.listening);
      for (const attempt of result.due) attempts.begin(attempt);
      if (result.isMore) {
        audience.forget();
        isAsked = true;
      }
      // The turn took its time.
      if (result.nextDueAt !== null) askIn(result.nextDueAt - clock.now());
      failures = 0;
      return true;
    } catch (error) {
      attempts.putBack(outcomes);
      audience.forget();
      logger.error({ err: error }, 'Webhooks wait for the database');
      askIn(backoffDelayMs(DATABASE_BACKOFF, failures, random()));
      failures += 1;
      return false;
    }
  };

  const changed = () => {
    audience.forget();
    ask();
  };
  const stopEvents = store.onEvents((events) => {
    const wanted = events.filter((event) => event.id !== null && audience.wants(event));
    for (const { account_id } of wanted) audience.tell(account_id);
    if (wanted.length > 0) ask();
  });
  const stopForeign = store.onForeignChange(changed);
  const pruning = every({
    clock,
    periodMs: PRUNE_EVERY_MS,
    async work() {
      await pruneOld(deps);
      // Cursors follow, where nothing of the journal was wanted for long.
      changed();
    },
    onError: (error) => logger.error({ err: error }, 'Old webhook deliveries could not be removed'),
  });
  ask();

  return {
    changed,
    async close() {
      closing.abort();
      stopEvents();
      stopForeign();
      pruning.cancel();
      // A turn begins attempts and sets the timer.
      await turning;
      timer?.cancel();
      await attempts.close();
      const outcomes = attempts.takeOutcomes();
      if (outcomes.length === 0) return;
      const now = clock.now();
      try {
        await store.change((tx) => recordAll(tx, outcomes, now));
      } catch (error) {
        logger.error({ err: error }, 'Outcomes of webhook deliveries were not recorded: they are made again');
      }
    },
  };
}

type Listener = Pick<Webhook, 'account_id' | 'events'>;

/** Which accounts have webhooks that want which events, and which of them have events to be made into deliveries. */
function createAudience() {
  /** null: not known, ask. */
  let listening: ReadonlyMap<number, ReadonlySet<string>> | null = null;
  /** null: any. */
  let told: Set<number> | null = null;
  return {
    wants: ({ account_id, event }: { account_id: number; event: string }) =>
      listening === null || listening.get(account_id)?.has(event) === true,
    tell: (account_id: number) => void told?.add(account_id),
    /** Accounts told since the last time, null for any; and whether who listens has to be learned. */
    take(): { told: readonly number[] | null; isUnknown: boolean } {
      const taken = told === null ? null : [...told];
      told = new Set();
      return { told: taken, isUnknown: listening === null };
    },
    learn(webhooks: readonly Listener[]) {
      const byAccount = new Map<number, Set<string>>();
      for (const { account_id, events } of webhooks) {
        const names = byAccount.get(account_id) ?? new Set();
        byAccount.set(account_id, names);
        for (const name of JSON.parse(events) as string[]) names.add(name);
      }
      listening = byAccount;
    },
    forget() {
      listening = null;
      told = null;
    },
  };
}

/** One transaction: what came of attempts, deliveries of new events, and what is due now. */
async function runTurn(
  deps: WebhookDispatcherDeps,
  turn: {
    accounts: { told: readonly number[] | null; isUnknown: boolean };
    outcomes: readonly DeliveryOutcome[];
    attempts: DeliveryAttempts;
  },
): Promise<{ listening: Listener[] | null; due: Attempt[]; isMore: boolean; nextDueAt: number | null }> {
  const { store, clock, limits } = deps;
  const { accounts, outcomes, attempts } = turn;
  // Who does not know who listens asks for all.
  const asked = accounts.isUnknown ? null : accounts.told;
  const now = clock.now();
  return store.change(async (tx) => {
    await recordAll(tx, outcomes, now);
    const webhooks = asked?.length === 0 ? [] : await activeWebhooks(tx, asked);
    let isMore = false;
    for (const webhook of webhooks) {
      if (await makeDeliveries(tx, webhook, { now, limit: limits.eventsPerTurn })) isMore = true;
    }
    const due = await takeAll(tx, { attempts, limits, now });
    return { listening: accounts.isUnknown ? webhooks : null, due, isMore, nextDueAt: await nextDueAt(tx, now) };
  });
}

async function recordAll(tx: Db, outcomes: readonly DeliveryOutcome[], now: number): Promise<void> {
  for (const outcome of outcomes) await recordOutcome(tx, outcome, now);
}

/** As many due deliveries as may run, the webhooks that have the fewest under way first. */
async function takeAll(
  tx: Db,
  { attempts, limits, now }: { attempts: DeliveryAttempts; limits: WebhookLimits; now: number },
): Promise<Attempt[]> {
  const taken: Attempt[] = [];
  const leased = await leasedLots(tx, now);
  const targets = (await webhooksWithDue(tx, now))
    .map((target) => ({ target, lots: attempts.lotsOf(target.id) }))
    .toSorted((a, b) => a.lots.length - b.lots.length);
  for (const { target, lots } of targets) {
    const limit = Math.min(limits.perWebhook - lots.length, limits.together - attempts.count - taken.length);
    if (limit <= 0) continue;
    const others = leased.filter(({ webhook_id }) => webhook_id === target.id).map(({ lot_id }) => lot_id);
    // A lease of this process may have run out before its attempt did.
    const busyLots = [...new Set([...lots, ...others])];
    const due = await takeDue(tx, { webhook_id: target.id, now, leaseEndsAt: now + limits.leaseMs, limit, busyLots });
    for (const delivery of due) taken.push({ target, delivery });
  }
  return taken;
}

async function pruneOld({ store, clock, limits }: WebhookDispatcherDeps): Promise<void> {
  const before = clock.now() - limits.keptMs;
  let deleted: number;
  do {
    deleted = await store.change((tx) => pruneDeliveries(tx, { before, limit: PRUNED_PER_TRANSACTION }));
  } while (deleted === PRUNED_PER_TRANSACTION);
}
