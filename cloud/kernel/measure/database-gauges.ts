/** Measurements that the database has to be asked for. They are the same at every process that shares it. */
import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { ageS } from './age.js';
import { addGauge } from './gauge.js';

/** Whoever asks again sooner gets what was found before: to ask for measurements costs the database nothing more. */
const FRESH_MS = 5_000;
/** How long the other measurements wait for the database. */
const WAIT_MS = 2_000;

export interface DatabaseGaugeDeps {
  registry: Registry;
  clock: Pick<Clock, 'monotonic' | 'setTimer'>;
  logger: Logger;
}

/**
 * Adds measurements that one question to the database answers. When it fails, or takes too long, they have no value.
 * @param ask asks the database
 * @param gauges name and help, by the key of what `ask` found; null: not known
 */
export function addDatabaseGauges<Key extends string>(
  deps: DatabaseGaugeDeps,
  ask: () => Promise<Record<Key, number | null>>,
  gauges: Record<Key, { name: string; help: string }>,
): void {
  const find = askedAtTimes(deps, ask, FRESH_MS);
  for (const [key, { name, help }] of Object.entries(gauges) as [Key, { name: string; help: string }][]) {
    addGauge(deps.registry, { name, help, read: async () => (await find())?.[key] ?? null });
  }
}

/**
 * Adds a measurement with a value for each kind, in the label `kind`: one question to the database answers all of them.
 * @param words.freshMs how long an answer counts
 */
export function addKindGauge(
  deps: DatabaseGaugeDeps,
  ask: () => Promise<Readonly<Record<string, number>>>,
  { name, help, freshMs }: { name: string; help: string; freshMs: number },
): void {
  const find = askedAtTimes(deps, ask, freshMs);
  const gauge = new Gauge({
    name,
    help,
    labelNames: ['kind'],
    registers: [deps.registry],
    async collect() {
      const found = await find();
      gauge.reset();
      for (const [kind, count] of Object.entries(found ?? {})) gauge.set({ kind }, count);
    },
  });
}

/** Asks at most so often, and does not wait for long. @returns what was found; null: it failed */
function askedAtTimes<Found>(
  { clock, logger }: Pick<DatabaseGaugeDeps, 'clock' | 'logger'>,
  ask: () => Promise<Found>,
  freshMs: number,
): () => Promise<Found | null> {
  let known: { at: number; found: Promise<Found | null> } | null = null;

  async function askInTime(): Promise<Found | null> {
    let stopWaiting = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      const timer = clock.setTimer(WAIT_MS, () => reject(new Error(`no answer within ${WAIT_MS} ms`)));
      stopWaiting = () => timer.cancel();
    });
    try {
      return await Promise.race([ask(), late]);
    } catch (error) {
      logger.warn({ err: error }, 'the database could not be asked for measurements');
      return null;
    } finally {
      stopWaiting();
    }
  }

  return () => {
    const now = clock.monotonic();
    if (known === null || now - known.at >= freshMs) known = { at: now, found: askInTime() };
    return known.found;
  };
}

/** The waiting rows of a table: how many, and since when the oldest of it (wall milliseconds; null: nothing waits). */
export interface WaitingExtent {
  count: number;
  oldest_at: number | null;
}

/**
 * Adds two measurements: how many wait, and how long the first of them waits already.
 * @param words.name of the first one; the second adds `_oldest_seconds`
 * @param words.what says who waits
 */
export function addWaitingGauges(
  deps: DatabaseGaugeDeps & { clock: Pick<Clock, 'now'> },
  ask: () => Promise<WaitingExtent>,
  { name, what }: { name: string; what: string },
): void {
  addDatabaseGauges(
    deps,
    async () => {
      const { count, oldest_at } = await ask();
      return { count, oldest: oldest_at === null ? 0 : ageS(oldest_at, deps.clock.now()) };
    },
    {
      count: { name, help: what },
      oldest: { name: `${name}_oldest_seconds`, help: `${what}: how long the first of them waits already` },
    },
  );
}
