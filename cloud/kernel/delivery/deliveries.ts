/**
 * Delivers what waits in a table to somebody outside of the service, each at least once. A turn is one transaction: it records the outcomes
 * of attempts that have ended, and leases deliveries that are due. Their attempts begin after its commit and run side by side; the end of
 * each asks for the next turn. A delivery waits in the table until it has ended, so that neither a crash nor a stop loses one: when a process
 * dies, its leases end, and another process makes the attempts again.
 */
import { setMaxListeners } from 'node:events';
import { type Clock, every, sleep } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { startWatch } from '../../../shared/tracer.js';
import type { CloudStore, Tx } from '../store/cloud-store.js';
import { deleteInPieces } from '../store/delete-in-pieces.js';
import { LOCKS } from '../store/locks.js';
import { includesOneOf } from '../store/written-tables.js';
import { decideRetry } from './decide-retry.js';
import { pruneDeliveries } from './delivery-queries.js';
import type { DeliveryAnswer, DeliveryOutcome, DeliveryRule, LeasedDelivery } from './delivery-rule.js';
import { createTurnLoop } from './turn-loop.js';

const PRUNE_EVERY_MS = 3_600_000;

export interface Deliveries {
  /** Makes the deliveries that are due. */
  start(): void;
  /** Asks for a turn, because something may have become due. */
  ask(): void;
  /** Ends the attempts under way, and records their outcomes. Those that were broken off are made again at the next start. */
  close(): Promise<void>;
}

export interface DeliveryDeps {
  store: CloudStore;
  clock: Clock;
  random: () => number;
  logger: Logger;
}

export function createDeliveries<Item extends LeasedDelivery, Answer extends DeliveryAnswer>(
  deps: DeliveryDeps,
  rule: DeliveryRule<Item, Answer>,
): Deliveries {
  const { store, clock, logger } = deps;
  const { table, what } = rule;
  const running = new Map<Item, Promise<void>>();
  let outcomes: DeliveryOutcome<Item, Answer>[] = [];
  const stopping = new AbortController();
  // Each attempt may add a listener; a turn limits how many attempts there are.
  setMaxListeners(0, stopping.signal);
  const logProblem = (problem: string) => (error: unknown) => logger.error({ err: error }, problem);
  const loop = createTurnLoop(deps, logProblem(`${what} wait for the database`));
  const stops: (() => void)[] = [];

  async function runTurn(): Promise<number | null> {
    // An attempt that ends from here on is under way for this turn, and recorded by the next one.
    const underWay = [...running.keys()];
    const ended = outcomes;
    outcomes = [];
    try {
      const { due, nextDueAt } = await store.change(async (tx) => {
        await record(tx, ended);
        return rule.lease(tx, { now: clock.now(), underWay });
      });
      for (const item of due) running.set(item, attempt(item));
      return nextDueAt;
    } catch (error) {
      outcomes.unshift(...ended);
      throw error;
    }
  }
  async function record(tx: Tx, ended: typeof outcomes): Promise<void> {
    await tx.lock(LOCKS.deliveries(table));
    for (const outcome of ended) await rule.record(tx, outcome, clock.now());
  }
  async function attempt(item: Item): Promise<void> {
    const outcome = await makeAttempt(deps, rule, { item, signal: stopping.signal });
    outcomes.push(outcome);
    running.delete(item);
    loop.ask();
  }
  async function prune(): Promise<void> {
    await rule.prune();
    const before = clock.now() - rule.keptMs;
    await deleteInPieces(store, (tx, limit) => pruneDeliveries(tx, table, { before, limit }));
    loop.ask();
  }

  return {
    start() {
      const onError = logProblem(`old ${what} could not be removed`);
      const pruning = every({ clock, periodMs: PRUNE_EVERY_MS, work: prune, onError });
      stops.push(
        () => pruning.cancel(),
        store.onForeignChange(({ written }) => includesOneOf(written, [table]) && loop.ask()),
      );
      loop.start(runTurn);
    },
    ask: loop.ask,
    async close() {
      for (const stop of stops) stop();
      // A turn under way still begins attempts.
      await loop.close();
      await endAttempts([...running.values()], { clock, graceMs: rule.graceMs, stopping });
      const lost = logProblem(`outcomes of ${what} were not recorded: they are attempted again`);
      if (outcomes.length > 0) await store.change((tx) => record(tx, outcomes)).catch(lost);
    },
  };
}

/** Makes an attempt, and decides what comes of it. */
async function makeAttempt<Item extends LeasedDelivery, Answer extends DeliveryAnswer>(
  { clock, random }: DeliveryDeps,
  rule: DeliveryRule<Item, Answer>,
  { item, signal }: { item: Item; signal: AbortSignal },
): Promise<DeliveryOutcome<Item, Answer>> {
  const watch = startWatch(clock);
  const answer = await rule.attempt(item, signal);
  const took = watch();
  const outcome = { item, answer, ...decide() };
  rule.note(outcome, took);
  return outcome;

  function decide(): Pick<DeliveryOutcome<Item, Answer>, 'end' | 'nextAttemptAt'> {
    const now = clock.now();
    if (answer.end !== 'failed') return { end: answer.end, nextAttemptAt: null };
    if (signal.aborted) return { end: 'stopped', nextAttemptAt: now };
    const { leftAloneMs } = answer;
    const tried = { beganAt: item.tries_began_at, now, random: random(), leftAloneMs };
    const nextAttemptAt = decideRetry(rule.pace(item), tried);
    return { end: nextAttemptAt === null ? 'given_up' : 'failed', nextAttemptAt };
  }
}

/** Waits for attempts as long as they may go on, and breaks off those that are left. */
async function endAttempts(
  running: readonly Promise<void>[],
  { clock, graceMs, stopping }: { clock: Clock; graceMs: number; stopping: AbortController },
): Promise<void> {
  if (running.length === 0) return;
  if (graceMs > 0) {
    const limit = new AbortController();
    const graceOver = sleep(clock, graceMs, limit.signal).catch(() => {});
    await Promise.race([Promise.all(running), graceOver]);
    limit.abort();
  }
  stopping.abort(new Error('The service stopped'));
  await Promise.all(running);
}
