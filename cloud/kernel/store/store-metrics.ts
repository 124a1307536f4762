/** Measures the database as its callers see it: how long they wait, and how long what they asked for takes. */
import type { KyselyPlugin, PluginTransformQueryArgs, QueryId } from 'kysely';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import { LAG_S, WORK_S } from '../measure/buckets.js';
import { measureWaiting } from '../measure/waiting.js';

/** The measurement of one change, from its request on. */
export interface ChangeMeasurement {
  /** Its transaction has begun; it may begin again, when another one stood in its way. */
  begun(): void;
  /** Its statements are done, and are committed. */
  done(): void;
  /** It is over. */
  ended(outcome: 'committed' | 'rolled_back'): void;
}

/**
 * `locks`: another transaction held a lock that the change asked for out of order. `database`: the database ended the change, because it and
 * others waited for each other, or because its view of the rows was outdated.
 */
export type ConflictKind = 'locks' | 'database';

export interface StoreMeasurement {
  change(): ChangeMeasurement;
  /** Another transaction stood in the way of a change, which is tried again. */
  conflict(kind: ConflictKind): void;
  /** Measures the statements of a reader. */
  readonly reads: KyselyPlugin;
  /** Measures a long read, its wait included. */
  report<T>(kind: 'page' | 'sum', work: () => Promise<T>): Promise<T>;
}

const UNMEASURED_CHANGE: ChangeMeasurement = { begun() {}, done() {}, ended() {} };

/** Measures nothing. */
export const UNMEASURED: Omit<StoreMeasurement, 'reads'> = {
  change: () => UNMEASURED_CHANGE,
  conflict() {},
  report: (_kind, work) => work(),
};

interface MeasurementDeps {
  registry: Registry;
  clock: Pick<Clock, 'monotonic'>;
}

export function createStoreMeasurement(deps: MeasurementDeps): StoreMeasurement {
  const { registry, clock } = deps;
  const read = histogramOf(registry, 'read', 'How long a quick read took, with its wait for a connection');
  const conflicts = new Counter({
    name: 'parking_database_conflicts_total',
    help: 'How often a change was tried again because another transaction stood in its way, by what noticed it',
    labelNames: ['kind'],
    registers: [registry],
  });
  return {
    change: measureChanges(deps),
    conflict: (kind) => conflicts.inc({ kind }),
    reads: timed((tookS) => read.observe(tookS), clock),
    report: measureReports(deps),
  };
}

const histogramOf = (registry: Registry, name: string, help: string) =>
  new Histogram({ name: `parking_database_${name}_seconds`, help, buckets: WORK_S, registers: [registry] });

const secondsSince = (clock: MeasurementDeps['clock'], at: number): number => (clock.monotonic() - at) / 1_000;

function measureChanges(deps: MeasurementDeps): StoreMeasurement['change'] {
  const { registry, clock } = deps;
  const waited = histogramOf(registry, 'change_wait', 'How long a change waited until its transaction began');
  const worked = histogramOf(registry, 'change_work', 'How long the statements of a change took');
  const committed = histogramOf(registry, 'change_commit', 'How long the commit of a change took');
  const changes = new Counter({
    name: 'parking_database_changes_total',
    help: 'Changes by how their transaction ended',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const waiting = measureWaiting(deps, {
    name: 'parking_database_changes_waiting',
    what: 'Changes that wait for the database',
  });
  return () => {
    const leave = waiting.enter();
    let at = clock.monotonic();
    let hasBegun = false;
    const lap = (): number => {
      const tookS = secondsSince(clock, at);
      at = clock.monotonic();
      return tookS;
    };
    return {
      begun() {
        leave();
        const tookS = lap();
        if (!hasBegun) waited.observe(tookS);
        hasBegun = true;
      },
      done: () => worked.observe(lap()),
      ended(outcome) {
        leave();
        if (outcome === 'committed') committed.observe(lap());
        changes.inc({ outcome });
      },
    };
  };
}

function measureReports(deps: MeasurementDeps): StoreMeasurement['report'] {
  const { registry, clock } = deps;
  const took = new Histogram({
    name: 'parking_database_report_seconds',
    help: 'How long a list (page) or a sum or a piece of an export (sum) took, with its wait',
    labelNames: ['kind'],
    buckets: LAG_S.filter((bound) => bound <= 60),
    registers: [registry],
  });
  const waiting = measureWaiting(deps, {
    name: 'parking_database_reports_waiting',
    what: 'Lists, sums and exports that were asked for and are not answered',
  });
  return async (kind, work) => {
    const askedAt = clock.monotonic();
    const leave = waiting.enter();
    try {
      return await work();
    } finally {
      leave();
      took.observe({ kind }, secondsSince(clock, askedAt));
    }
  };
}

/** Measures each statement that answers, from when it is given. */
function timed(observe: (tookS: number) => void, clock: MeasurementDeps['clock']): KyselyPlugin {
  const askedAt = new WeakMap<QueryId, number>();
  return {
    transformQuery({ node, queryId }: PluginTransformQueryArgs) {
      askedAt.set(queryId, clock.monotonic());
      return node;
    },
    async transformResult({ queryId, result }) {
      const at = askedAt.get(queryId);
      if (at !== undefined) observe(secondsSince(clock, at));
      return result;
    },
  };
}
