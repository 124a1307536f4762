/** Measures the database as its callers see it: how long they wait, and how long what they asked for takes. */
import type { KyselyPlugin, PluginTransformQueryArgs, QueryId } from 'kysely';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../../shared/clock.js';
import { LAG_S, WORK_S } from '../measure/buckets.js';
import { measureWaiting } from '../measure/waiting.js';

/** What measures one change, from when it is asked for. */
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

export function createStoreMeasurement(deps: {
  registry: Registry;
  clock: Pick<Clock, 'monotonic'>;
}): StoreMeasurement {
  const { registry, clock } = deps;
  const seconds = (name: string, help: string, buckets = WORK_S) =>
    new Histogram({ name: `parking_database_${name}_seconds`, help, buckets, registers: [registry] });
  const waited = seconds('change_wait', 'How long a change waited until its transaction began');
  const worked = seconds('change_work', 'How long the statements of a change took');
  const committed = seconds('change_commit', 'How long the commit of a change took');
  const read = seconds('read', 'How long a quick read took, with its wait for a connection');
  const reported = new Histogram({
    name: 'parking_database_report_seconds',
    help: 'How long a list (page) or a sum or a piece of an export (sum) took, with its wait',
    labelNames: ['kind'],
    buckets: LAG_S.filter((bound) => bound <= 60),
    registers: [registry],
  });
  const changes = new Counter({
    name: 'parking_database_changes_total',
    help: 'Changes by how their transaction ended',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const conflicts = new Counter({
    name: 'parking_database_conflicts_total',
    help: 'How often a change was tried again because another transaction stood in its way, by what noticed it',
    labelNames: ['kind'],
    registers: [registry],
  });
  const waitingChanges = measureWaiting(deps, {
    name: 'parking_database_changes_waiting',
    what: 'Changes that wait for the database',
  });
  const reports = measureWaiting(deps, {
    name: 'parking_database_reports_waiting',
    what: 'Lists, sums and exports that were asked for and are not answered',
  });
  const sinceS = (at: number) => (clock.monotonic() - at) / 1_000;

  function change(): ChangeMeasurement {
    const leave = waitingChanges.enter();
    let at = clock.monotonic();
    let hasBegun = false;
    const lap = (): number => {
      const tookS = sinceS(at);
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
  }

  return {
    change,
    conflict: (kind) => conflicts.inc({ kind }),
    reads: timed((tookS) => read.observe(tookS), sinceS, clock),
    async report(kind, work) {
      const askedAt = clock.monotonic();
      const leave = reports.enter();
      try {
        return await work();
      } finally {
        leave();
        reported.observe({ kind }, sinceS(askedAt));
      }
    },
  };
}

/** Measures each statement that answers, from when it is given. */
function timed(
  observe: (tookS: number) => void,
  sinceS: (at: number) => number,
  clock: Pick<Clock, 'monotonic'>,
): KyselyPlugin {
  const askedAt = new WeakMap<QueryId, number>();
  return {
    transformQuery({ node, queryId }: PluginTransformQueryArgs) {
      askedAt.set(queryId, clock.monotonic());
      return node;
    },
    async transformResult({ queryId, result }) {
      const at = askedAt.get(queryId);
      if (at !== undefined) observe(sinceS(at));
      return result;
    },
  };
}
