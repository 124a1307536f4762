import { collectDefaultMetrics, Registry } from 'prom-client';

/** Creates the registry with the measurements of this process; rooms add theirs. */
export function createProcessMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
