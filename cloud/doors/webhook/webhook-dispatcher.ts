/**
 * Delivers events of the journal to webhooks. A delivery is inserted in the transaction that moves the cursor of its webhook, so that
 * neither a crash nor a stop loses one.
 */
import { groupBy } from '../../../shared/grouping.js';
import { addWaitingGauges, type DatabaseGaugeDeps } from '../../kernel/measure/entry.js';
import { type CloudStore, includesOneOf, LOCKS, type Tx } from '../../kernel/store/entry.js';
import {
  createDeliveries,
  type Deliveries,
  type DeliveryDeps,
  type DeliveryRule,
  nextDueMoment,
  recordAttempt,
  waitingDeliveries,
} from '../../kernel/delivery/entry.js';
import { type AttemptDeps, webhookAttempts } from './delivery-attempts.js';
import { createWebhookAudience, type WebhookAudience } from './webhook-audience.js';
import { endUnheardDeliveries } from './webhook-lot-queries.js';
import { pruneFormerSecrets } from './webhook-queries.js';
import {
  activeWebhooks,
  type DueDelivery,
  insertDeliveries,
  leaseDueDeliveries,
  leasedLots,
  type ReceiverAnswer,
  recordStatus,
  webhooksWithDue,
} from './webhook-turn-queries.js';

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

export const WEBHOOK_ATTEMPTS = {
  name: 'parking_webhook_attempt_seconds',
  help: 'How long a receiver of a webhook needed to answer an attempt; given_up: the last one, gone: it answered 410',
};

export function measureWebhooks(
  store: Pick<CloudStore, 'reader'>,
  deps: DatabaseGaugeDeps & { clock: { now(): number } },
): void {
  addWaitingGauges(deps, () => waitingDeliveries(store.reader, 'webhook_deliveries'), {
    name: 'parking_webhook_deliveries_waiting',
    what: 'Deliveries to webhooks that were neither acknowledged nor given up',
  });
}

/** Its `start` is called once the links in events lead to the service. */
export interface WebhookDispatcher extends Pick<Deliveries, 'start' | 'close'> {
  /** An effect (`tx.onCommit`) of a change of a webhook, or of a delivery that must be made again. */
  changed(): void;
}

export interface WebhookDispatcherDeps extends AttemptDeps, DeliveryDeps {
  limits: WebhookLimits;
}

export function createWebhookDispatcher(deps: WebhookDispatcherDeps): WebhookDispatcher {
  const { store } = deps;
  const audience = createWebhookAudience();
  const deliveries = createDeliveries(deps, webhookRule(deps, audience));
  const changed = () => {
    audience.forget();
    deliveries.ask();
  };
  const stops = [
    store.onEvents((events) => {
      const wanted = events.filter((event) => event.id !== null && audience.note(event));
      if (wanted.length > 0) deliveries.ask();
    }),
    // The process that journals an event also makes its deliveries.
    store.onForeignChange(({ written }) => includesOneOf(written, ['webhooks']) && changed()),
  ];
  return {
    start: deliveries.start,
    changed,
    async close() {
      for (const stop of stops) stop();
      await deliveries.close();
    },
  };
}

function webhookRule(
  deps: WebhookDispatcherDeps,
  audience: WebhookAudience,
): DeliveryRule<DueDelivery, ReceiverAnswer> {
  const { store, clock, limits } = deps;
  return {
    table: 'webhook_deliveries',
    what: 'webhook deliveries',
    keptMs: limits.keptMs,
    graceMs: 0,
    ...webhookAttempts(deps),
    async lease(tx, { now, underWay }) {
      const isMore = await insertNew(tx, { audience, limits, now });
      const due = await leaseAll(tx, { underWay, limits, now });
      return { due, nextDueAt: isMore ? now : await nextDueMoment(tx, 'webhook_deliveries', now) };
    },
    async record(tx, outcome, now) {
      const { statusCode } = outcome.answer;
      await recordAttempt(tx, 'webhook_deliveries', outcome, { now, set: { status_code: statusCode } });
      await recordStatus(tx, outcome, now);
    },
    async prune() {
      const now = clock.now();
      await store.change(async (tx) => {
        await tx.lock(LOCKS.deliveries('webhook_deliveries'));
        await pruneFormerSecrets(tx, now);
        await endUnheardDeliveries(tx, now);
      });
      // The turn that follows moves the cursors of webhooks that have wanted no event for a long time.
      audience.forget();
    },
  };
}

/** Turns events into deliveries. @returns whether there may be more */
async function insertNew(
  tx: Tx,
  { audience, limits, now }: { audience: WebhookAudience; limits: WebhookLimits; now: number },
): Promise<boolean> {
  const heard = audience.heard();
  const webhooks = heard.accounts?.length === 0 ? [] : await activeWebhooks(tx, heard.accounts);
  let isMore = false;
  for (const webhook of webhooks) {
    if (await insertDeliveries(tx, webhook, { now, limit: limits.eventsPerTurn })) isMore = true;
  }
  if (!isMore) tx.onCommit(() => audience.settle(heard, webhooks));
  return isMore;
}

/** Leases as many due deliveries as may run, first of the webhooks that have the fewest attempts under way. */
async function leaseAll(
  tx: Tx,
  { underWay, limits, now }: { underWay: readonly DueDelivery[]; limits: WebhookLimits; now: number },
): Promise<DueDelivery[]> {
  const leased: DueDelivery[] = [];
  const busy = await leasedLots(tx, now);
  const running = groupBy(underWay, ({ webhook_id }) => webhook_id);
  const targets = (await webhooksWithDue(tx, now))
    .map((target) => ({ target, lots: (running.get(target.id) ?? []).map(({ lot_id }) => lot_id) }))
    .toSorted((a, b) => a.lots.length - b.lots.length);
  for (const { target, lots } of targets) {
    const limit = Math.min(limits.perWebhook - lots.length, limits.together - underWay.length - leased.length);
    if (limit <= 0) continue;
    const others = busy.filter(({ webhook_id }) => webhook_id === target.id).map(({ lot_id }) => lot_id);
    // An attempt of this process may last longer than its lease.
    const busyLots = [...new Set([...lots, ...others])];
    leased.push(...(await leaseDueDeliveries(tx, { target, now, leaseEndsAt: now + limits.leaseMs, limit, busyLots })));
  }
  return leased;
}
