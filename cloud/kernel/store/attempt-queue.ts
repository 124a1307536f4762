/**
 * The process's side of a queue that lives in a table and whose items are attempted outside of the database. A turn records the outcomes
 * of attempts that have ended, and leases items that are due. Their attempts begin after its commit and run side by side; the end of each
 * asks for the next turn.
 */
import { setMaxListeners } from 'node:events';
import { type Clock, every, sleep } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { CloudStore, Tx } from './cloud-store.js';
import { createTurnLoop } from './turn-loop.js';

const PRUNE_EVERY_MS = 3_600_000;

export interface AttemptQueue<Item> {
  /** Lists the items whose attempts are under way. */
  underWay(): Item[];
  /** Asks for a turn, because something may have become due. */
  ask(): void;
  /** Ends the attempts under way, and records their outcomes. Runs no more turns. */
  close(): Promise<void>;
}

export interface AttemptQueueOptions<Item, Outcome> {
  store: Pick<CloudStore, 'change'>;
  clock: Clock;
  random: () => number;
  logger: Logger;
  /** The items in the plural, as log lines name them. */
  what: string;
  /**
   * Runs the transaction of a turn: it records the outcomes, and leases items.
   * @returns the leased items, and at which wall milliseconds something is due next; null: only `ask` brings something
   */
  runTurn(outcomes: readonly Outcome[]): Promise<{ due: readonly Item[]; nextDueAt: number | null }>;
  /** Records the outcomes that are left when the service stops. */
  record(tx: Tx, outcomes: readonly Outcome[], now: number): Promise<void>;
  /** Makes one attempt; never rejects. After `signal` the outcome says that the attempt has to be made again. */
  attempt(item: Item, signal: AbortSignal): Promise<Outcome>;
  /** Deletes what ended long ago. It runs once an hour. */
  prune(): Promise<void>;
  /** How long attempts under way may go on when the service stops. */
  graceMs: number;
}

export function createAttemptQueue<Item, Outcome>(options: AttemptQueueOptions<Item, Outcome>): AttemptQueue<Item> {
  const { store, clock, random, logger, what } = options;
  const running = new Map<Item, Promise<void>>();
  let outcomes: Outcome[] = [];
  const stopping = new AbortController();
  // Each attempt may add a listener; a turn limits how many attempts there are.
  setMaxListeners(0, stopping.signal);

  const begin = (item: Item): void => {
    const ended = options.attempt(item, stopping.signal).then((outcome) => {
      running.delete(item);
      outcomes.push(outcome);
      loop.ask();
    });
    running.set(item, ended);
  };
  const drainOutcomes = (): Outcome[] => {
    const drained = outcomes;
    outcomes = [];
    return drained;
  };
  const loop = createTurnLoop({
    clock,
    random,
    async runTurn() {
      const drained = drainOutcomes();
      try {
        const { due, nextDueAt } = await options.runTurn(drained);
        for (const item of due) begin(item);
        return nextDueAt;
      } catch (error) {
        outcomes.unshift(...drained);
        throw error;
      }
    },
    onError: (error) => logger.error({ err: error }, `${what} wait for the database`),
  });
  const pruning = every({
    clock,
    periodMs: PRUNE_EVERY_MS,
    work: () => options.prune(),
    onError: (error) => logger.error({ err: error }, `old ${what} could not be removed`),
  });

  return {
    underWay: () => [...running.keys()],
    ask: loop.ask,
    async close() {
      pruning.cancel();
      // A turn under way still begins attempts.
      await loop.close();
      await endAttempts([...running.values()], { ...options, stopping });
      const left = drainOutcomes();
      if (left.length === 0) return;
      const now = clock.now();
      await store
        .change((tx) => options.record(tx, left, now))
        .catch((error: unknown) =>
          logger.error({ err: error }, `outcomes of ${what} were not recorded: they are attempted again`),
        );
    },
  };
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
