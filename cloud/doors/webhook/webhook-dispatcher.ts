/**
 * Delivers events of the journal to webhooks, each at least once. A delivery is in the database as soon as it exists (the cursor of its
 * webhook moves in the same transaction), so neither a crash nor a stop loses any.
 */
import { decodeJson } from '../../../shared/json-text-codec.js';
import { every } from '../../../shared/clock.js';
import { type CloudStore, createTurnLoop, type Db, includesOneOf, LOCKS, nextDueMoment } from '../../kernel/entry.js';
import {
  activeWebhooks,
  type DeliveryOutcome,
  leasedLots,
  insertDeliveries,
  recordOutcome,
  leaseDueDeliveries,
  webhooksWithDue,
} from './webhook-turn-queries.js';
import { endUnheardDeliveries } from './webhook-lot-queries.js';
import { pruneDeliveries, pruneFormerSecrets, type Webhook } from './webhook-queries.js';
import { type Attempt, type AttemptDeps, createDeliveryAttempts, type DeliveryAttempts } from './delivery-attempts.js';

export interface WebhookLimits {
  /** How many attempts run at one time, to one webhook and to all, so that a slow webhook holds up only itself. */
  perWebhook: number;
  together: number;
  /** How many events one transaction turns into deliveries of a webhook. */
  eventsPerTurn: number;
  /** After this time an attempt counts as lost with its process. It is longer than the sender's own limit. */
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

export interface WebhookDispatcher {
  /** Makes the deliveries that are due. Call it once the links in events lead to the service. */
  start(): void;
  /** An effect (`tx.onCommit`) of a change of a webhook, or of a delivery that must be made again. */
  changed(): void;
  /** Breaks off the attempts under way; they are made again at the next start. */
  close(): Promise<void>;
}

export interface WebhookDispatcherDeps extends AttemptDeps {
  store: CloudStore;
  limits: WebhookLimits;
}

export function createWebhookDispatcher(deps: WebhookDispatcherDeps): WebhookDispatcher {
  const { store, clock, random, logger } = deps;
  const audience = createAudience();
  const attempts = createDeliveryAttempts(deps, () => loop.ask());
  const loop = createTurnLoop({
    clock,
    random,
    async runTurn() {
      const outcomes = attempts.drainOutcomes();
      try {
        const result = await runTurn(deps, { heard: audience.drain(), outcomes, attempts });
        if (result.listening !== null) audience.learn(result.listening);
        for (const attempt of result.due) attempts.begin(attempt);
        if (result.isMore) {
          audience.forget();
          loop.ask();
        }
        return result.nextDueAt;
      } catch (error) {
        attempts.putBack(outcomes);
        audience.forget();
        throw error;
      }
    },
    onError: (error) => logger.error({ err: error }, 'Webhooks wait for the database'),
  });

  const changed = () => {
    audience.forget();
    loop.ask();
  };
  const stopEvents = store.onEvents((events) => {
    const wanted = events.filter((event) => event.id !== null && audience.wants(event));
    for (const { account_id } of wanted) audience.noteEvent(account_id);
    if (wanted.length > 0) loop.ask();
  });
  const stopForeign = store.onForeignChange(({ written }) => {
    if (includesOneOf(written, ['webhooks'])) changed();
    // Of events of others it is enough that they make deliveries of them.
    else if (includesOneOf(written, ['webhook_deliveries'])) loop.ask();
  });
  const pruning = every({
    clock,
    periodMs: PRUNE_EVERY_MS,
    async work() {
      await pruneOld(deps);
      // This moves the cursors of webhooks that have wanted no event for a long time.
      changed();
    },
    onError: (error) => logger.error({ err: error }, 'Old webhook deliveries could not be removed'),
  });

  return {
    start: loop.ask,
    changed,
    async close() {
      stopEvents();
      stopForeign();
      pruning.cancel();
      // A turn begins attempts.
      await loop.close();
      await attempts.close();
      const outcomes = attempts.drainOutcomes();
      await recordAtEnd(deps, outcomes);
    },
  };
}

type Listener = Pick<Webhook, 'account_id' | 'events'>;

/** Knows which accounts have webhooks that want which events, and which of them have events to be turned into deliveries. */
function createAudience() {
  /** null: not known; the database must be asked. */
  let listening: ReadonlyMap<number, ReadonlySet<string>> | null = null;
  /** null: any. */
  let active: Set<number> | null = null;
  /** A turn that began before has read what no longer holds. */
  let isForgotten = false;
  return {
    wants: ({ account_id, event }: { account_id: number; event: string }) =>
      listening === null || listening.get(account_id)?.has(event) === true,
    noteEvent: (account_id: number) => void active?.add(account_id),
    /** Returns the accounts that had events since the last call (null: any), and whether their webhooks must be loaded. */
    drain(): { accounts: readonly number[] | null; isUnknown: boolean } {
      const drained = active === null ? null : [...active];
      active = new Set();
      isForgotten = false;
      return { accounts: drained, isUnknown: listening === null };
    },
    learn(webhooks: readonly Listener[]) {
      if (isForgotten) return;
      const byAccount = new Map<number, Set<string>>();
      for (const { account_id, events } of webhooks) {
        const names = byAccount.get(account_id) ?? new Set();
        byAccount.set(account_id, names);
        for (const name of decodeJson(events)) names.add(name);
      }
      listening = byAccount;
    },
    forget() {
      listening = null;
      active = null;
      isForgotten = true;
    },
  };
}

/** Runs one transaction: it stores outcomes of attempts, inserts deliveries of new events, and leases those that are due. */
async function runTurn(
  deps: WebhookDispatcherDeps,
  turn: {
    heard: { accounts: readonly number[] | null; isUnknown: boolean };
    outcomes: readonly DeliveryOutcome[];
    attempts: DeliveryAttempts;
  },
): Promise<{ listening: Listener[] | null; due: Attempt[]; isMore: boolean; nextDueAt: number | null }> {
  const { store, clock, limits } = deps;
  const { heard, outcomes, attempts } = turn;
  // While the webhooks are not known, all accounts are asked for.
  const asked = heard.isUnknown ? null : heard.accounts;
  const now = clock.now();
  return store.change(async (tx) => {
    await tx.lock(LOCKS.webhookTurn);
    await recordAll(tx, outcomes, now);
    const webhooks = asked?.length === 0 ? [] : await activeWebhooks(tx, asked);
    let isMore = false;
    for (const webhook of webhooks) {
      if (await insertDeliveries(tx, webhook, { now, limit: limits.eventsPerTurn })) isMore = true;
    }
    const due = await leaseAll(tx, { attempts, limits, now });
    return {
      listening: heard.isUnknown ? webhooks : null,
      due,
      isMore,
      nextDueAt: await nextDueMoment(tx, 'webhook_deliveries', now),
    };
  });
}

async function recordAtEnd(
  { store, clock, logger }: WebhookDispatcherDeps,
  outcomes: readonly DeliveryOutcome[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const now = clock.now();
  try {
    await store.change((tx) => recordAll(tx, outcomes, now));
  } catch (error) {
    logger.error({ err: error }, 'Outcomes of webhook deliveries were not recorded: they are made again');
  }
}

async function recordAll(tx: Db, outcomes: readonly DeliveryOutcome[], now: number): Promise<void> {
  for (const outcome of outcomes) await recordOutcome(tx, outcome, now);
}

/** Leases as many due deliveries as may run, first of the webhooks that have the fewest attempts under way. */
async function leaseAll(
  tx: Db,
  { attempts, limits, now }: { attempts: DeliveryAttempts; limits: WebhookLimits; now: number },
): Promise<Attempt[]> {
  const leased: Attempt[] = [];
  const busy = await leasedLots(tx, now);
  const targets = (await webhooksWithDue(tx, now))
    .map((target) => ({ target, lots: attempts.lotsOf(target.id) }))
    .toSorted((a, b) => a.lots.length - b.lots.length);
  for (const { target, lots } of targets) {
    const limit = Math.min(limits.perWebhook - lots.length, limits.together - attempts.count - leased.length);
    if (limit <= 0) continue;
    const others = busy.filter(({ webhook_id }) => webhook_id === target.id).map(({ lot_id }) => lot_id);
    // A lease of this process may have ended before its attempt.
    const busyLots = [...new Set([...lots, ...others])];
    const due = await leaseDueDeliveries(tx, {
      webhook_id: target.id,
      now,
      leaseEndsAt: now + limits.leaseMs,
      limit,
      busyLots,
    });
    for (const delivery of due) leased.push({ target, delivery });
  }
  return leased;
}

async function pruneOld({ store, clock, limits }: WebhookDispatcherDeps): Promise<void> {
  const before = clock.now() - limits.keptMs;
  await store.change(async (tx) => {
    await tx.lock(LOCKS.webhookTurn);
    await pruneFormerSecrets(tx, clock.now());
    await endUnheardDeliveries(tx, clock.now());
  });
  let deleted: number;
  do {
    deleted = await store.change((tx) => pruneDeliveries(tx, { before, limit: PRUNED_PER_TRANSACTION }));
  } while (deleted === PRUNED_PER_TRANSACTION);
}
