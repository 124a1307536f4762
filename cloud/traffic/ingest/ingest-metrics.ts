/** Measures records: their outcome, and how long after its event each was committed. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Lane } from '../../../shared/uplink.js';
import { addWaitingGauges, type DatabaseGaugeDeps, LAG_S } from '../../kernel/measure/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { earlyExtent } from './ingest-queries.js';

/** The number of records of a batch by outcome. */
export interface CommittedRecords {
  lane: Lane;
  applied: number;
  /** Came before, and changed nothing. */
  repeated: number;
  /** Wait for another record. */
  early: number;
  /** Can never be applied. */
  given_up: number;
}

export interface IngestMeasurement {
  committed(records: CommittedRecords): void;
  /** @param lagMs how long after its event the record was committed */
  lagged(lane: Lane, lagMs: number): void;
}

export function createIngestMeasurement(registry: Registry): IngestMeasurement {
  const records = new Counter({
    name: 'parking_records_total',
    help: 'Records of gateways that were acknowledged, by lane and by what came of them',
    labelNames: ['lane', 'outcome'],
    registers: [registry],
  });
  const lags = new Histogram({
    name: 'parking_ingest_lag_seconds',
    help: 'From an event at a car park to the commit of its record, by lane; long after a time without a network',
    labelNames: ['lane'],
    buckets: LAG_S,
    registers: [registry],
  });
  return {
    committed({ lane, ...outcomes }) {
      for (const [outcome, count] of Object.entries(outcomes)) if (count > 0) records.inc({ lane, outcome }, count);
    },
    lagged: (lane, lagMs) => lags.observe({ lane }, Math.max(0, lagMs) / 1_000),
  };
}

/** Measures the records that wait for others. */
export function measureEarlyRecords(
  store: Pick<CloudStore, 'reader'>,
  deps: DatabaseGaugeDeps & { clock: { now(): number } },
): void {
  addWaitingGauges(deps, () => earlyExtent(store.reader), {
    name: 'parking_early_records_waiting',
    what: 'Records that wait for another record that they name',
  });
}
