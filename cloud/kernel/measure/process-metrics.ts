import { collectDefaultMetrics, Registry } from 'prom-client';

/** What measures the process never ends, so that it is there once. */
let ofProcess: Registry | undefined;

/** Creates a registry with the measurements of this process; rooms add theirs. */
export function createProcessMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return Registry.merge([ofProcess]);
}
