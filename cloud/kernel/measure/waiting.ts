import type { Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import { addGauge } from './gauge.js';

/** The extent of a queue. */
export interface Waiting {
  /** Returns what to call when it waits no longer. */
  enter(): () => void;
}

/**
 * Measures how much waits, and for how long what came first.
 * @param options.name `parking_..._waiting`; `_oldest_seconds` is added
 * @param options.what what waits, in words: "Changes that wait for the database"
 */
export function measureWaiting(
  { registry, clock }: { registry: Registry; clock: Pick<Clock, 'monotonic'> },
  { name, what }: { name: string; what: string },
): Waiting {
  /** Since when each waits, in the order in which they came. */
  const entries = new Set<{ since: number }>();
  addGauge(registry, { name, help: `${what}, now`, read: () => entries.size });
  addGauge(registry, {
    name: `${name}_oldest_seconds`,
    help: `${what}: how long the first of them waits already`,
    read() {
      const [oldest] = entries;
      return oldest === undefined ? 0 : (clock.monotonic() - oldest.since) / 1_000;
    },
  });
  return {
    enter() {
      const entry = { since: clock.monotonic() };
      entries.add(entry);
      return () => void entries.delete(entry);
    },
  };
}
