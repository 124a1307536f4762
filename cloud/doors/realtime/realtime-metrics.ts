/** Measures the realtime connections, and how soon events reach them. */
import { Counter, Histogram, type Registry } from 'prom-client';
import { addGauge, LAG_S } from '../../kernel/measure/entry.js';

export interface RealtimeMeasurement {
  /** Events were handed to the connections of an account. @param lagsMs the time from each event until then */
  pushed(lagsMs: readonly number[]): void;
  /** A connection was closed because its client reads too slowly. */
  tooSlow(): void;
}

/** Measures nothing. */

export function createRealtimeMeasurement(registry: Registry): RealtimeMeasurement {
  const lags = new Histogram({
    name: 'parking_realtime_lag_seconds',
    help: 'From when an event was written into the journal until it was handed to the realtime connections of its account',
    buckets: LAG_S.filter((bound) => bound <= 60),
    registers: [registry],
  });
  const slow = new Counter({
    name: 'parking_realtime_too_slow_total',
    help: 'Realtime connections that were closed because their client read too slowly',
    registers: [registry],
  });
  return {
    pushed(lagsMs) {
      for (const lagMs of lagsMs) lags.observe(Math.max(0, lagMs) / 1_000);
    },
    tooSlow: () => slow.inc(),
  };
}

/** @param rooms how many connections are in each */
export function measureRooms(registry: Registry, rooms: { readonly waiting: number; readonly open: number }): void {
  addGauge(registry, {
    name: 'parking_realtime_connections',
    help: 'Realtime connections that have shown a token',
    read: () => rooms.open,
  });
  addGauge(registry, {
    name: 'parking_realtime_connections_waiting',
    help: 'Realtime connections that have not shown a token yet',
    read: () => rooms.waiting,
  });
}
