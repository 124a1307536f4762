import { Histogram, type Registry } from 'prom-client';
import { OUTSIDE_S } from '../measure/buckets.js';

/** Notes what came of an attempt, and how long it took. */
export type MeasureAttempt = (outcome: string, tookMs: number) => void;

export function createAttemptMeasurement(registry: Registry, words: { name: string; help: string }): MeasureAttempt {
  const attempts = new Histogram({ ...words, labelNames: ['outcome'], buckets: OUTSIDE_S, registers: [registry] });
  return (outcome, tookMs) => attempts.observe({ outcome }, tookMs / 1_000);
}
