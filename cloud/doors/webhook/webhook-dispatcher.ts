/**
 * Delivers events of the journal to webhooks, each at least once. A delivery is inserted in the transaction that moves the cursor of its
 * webhook, so that neither a crash nor a stop loses one.
 */
import { decodeJson } from '../../../shared/json-text-codec.js';
import { groupBy } from '../../../shared/grouping.js';
import {
  type CloudStore,
  createAttemptQueue,
  type Db,
  deleteInPieces,
  includesOneOf,
  LOCKS,
  nextDueMoment,
  type Tx,
} from '../../kernel/entry.js';
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
import { type Attempt, type AttemptDeps, createDeliveryAttempt } from './delivery-attempts.js';

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
  const { store } = deps;
  const audience = createAudience();
  const queue = createAttemptQueue<Attempt, DeliveryOutcome>({
    ...deps,
    what: 'webhook deliveries',
    async runTurn(outcomes) {
      try {
        const turn = await runTurn(deps, { heard: audience.drain(), outcomes, underWay: queue.underWay() });
        if (turn.listening !== null) audience.learn(turn.listening);
        if (turn.isMore) {
          audience.forget();
          queue.ask();
        }
        return turn;
      } catch (error) {
        audience.forget();
        throw error;
      }
    },
    record: recordAll,
    attempt: createDeliveryAttempt(deps),
    async prune() {
      await pruneOld(deps);
      // This moves the cursors of webhooks that have wanted no event for a long time.
      changed();
    },
    graceMs: 0,
  });

  const changed = () => {
    audience.forget();
    queue.ask();
  };
  const stopEvents = store.onEvents((events) => {
    const wanted = events.filter((event) => event.id !== null && audience.wants(event));
    for (const { account_id } of wanted) audience.noteEvent(account_id);
    if (wanted.length > 0) queue.ask();
  });
  const stopForeign = store.onForeignChange(({ written }) => {
    if (includesOneOf(written, ['webhooks'])) changed();
    // The process that journals an event also makes its deliveries; this one helps to make the attempts.
    else if (includesOneOf(written, ['webhook_deliveries'])) queue.ask();
  });

  return {
    start: queue.ask,
    changed,
    async close() {
      stopEvents();
      stopForeign();
      await queue.close();
    },
  };
}

type Listener = Pick<Webhook, 'account_id' | 'events'>;

/** Knows which accounts have webhooks that want which events, and which of them have events to be turned into deliveries. */
function createAudience() {
  /** The events that are wanted, by account; null: not known, so that the next turn reads the webhooks. */
  let listening: ReadonlyMap<number, ReadonlySet<string>> | null = null;
  /** Accounts that had events since the last turn; null: any may have had some. */
  let active: Set<number> | null = null;
  /** Whether a turn that is under way may have read webhooks that have changed since. */
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

/** Runs the transaction of a turn: it records outcomes, inserts deliveries of new events, and leases those that are due. */
async function runTurn(
  { store, clock, limits }: WebhookDispatcherDeps,
  turn: {
    heard: { accounts: readonly number[] | null; isUnknown: boolean };
    outcomes: readonly DeliveryOutcome[];
    underWay: readonly Attempt[];
  },
): Promise<{ listening: Listener[] | null; due: Attempt[]; isMore: boolean; nextDueAt: number | null }> {
  const { heard, outcomes, underWay } = turn;
  // While the webhooks are not known, those of all accounts are read.
  const asked = heard.isUnknown ? null : heard.accounts;
  const now = clock.now();
  return store.change(async (tx) => {
    await recordAll(tx, outcomes, now);
    const webhooks = asked?.length === 0 ? [] : await activeWebhooks(tx, asked);
    let isMore = false;
    for (const webhook of webhooks) {
      if (await insertDeliveries(tx, webhook, { now, limit: limits.eventsPerTurn })) isMore = true;
    }
    const due = await leaseAll(tx, { underWay, limits, now });
    return {
      listening: heard.isUnknown ? webhooks : null,
      due,
      isMore,
      nextDueAt: await nextDueMoment(tx, 'webhook_deliveries', now),
    };
  });
}

async function recordAll(tx: Tx, outcomes: readonly DeliveryOutcome[], now: number): Promise<void> {
  await tx.lock(LOCKS.webhookTurn);
  for (const outcome of outcomes) await recordOutcome(tx, outcome, now);
}

/** Leases as many due deliveries as may run, first of the webhooks that have the fewest attempts under way. */
async function leaseAll(
  tx: Db,
  { underWay, limits, now }: { underWay: readonly Attempt[]; limits: WebhookLimits; now: number },
): Promise<Attempt[]> {
  const leased: Attempt[] = [];
  const busy = await leasedLots(tx, now);
  const running = groupBy(underWay, ({ delivery }) => delivery.webhook_id);
  const targets = (await webhooksWithDue(tx, now))
    .map((target) => ({ target, lots: (running.get(target.id) ?? []).map(({ delivery }) => delivery.lot_id) }))
    .toSorted((a, b) => a.lots.length - b.lots.length);
  for (const { target, lots } of targets) {
    const limit = Math.min(limits.perWebhook - lots.length, limits.together - underWay.length - leased.length);
    if (limit <= 0) continue;
    const others = busy.filter(({ webhook_id }) => webhook_id === target.id).map(({ lot_id }) => lot_id);
    // An attempt of this process may last longer than its lease.
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
  await deleteInPieces(store, (tx, limit) => pruneDeliveries(tx, { before, limit }));
}
