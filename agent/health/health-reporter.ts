/** Reports the gateway's health to the cloud at an interval, and when it has connected, so that it can be watched from afar. */
import { type Clock, every } from '../../shared/clock.js';
import { decodeJson } from '../../shared/json-text-codec.js';
import type { Logger } from '../../shared/logger.js';
import type { UpdateReport } from '../../shared/releases.js';
import {
  FAULTS_MAX,
  type GatewayHealthReport,
  type GatewayReport,
  PROBLEM_LENGTH_MAX,
  type ThingFault,
} from '../../shared/uplink-reports.js';
import type { AccessRules } from '../access/access-rules.js';
import { createCredentialWatch } from './credential-watch.js';
import type { RadioHealth } from '../product/radio-health.js';
import type { AgentStore, OutboxState } from '../store/agent-store.js';
import { recordsIn } from '../store/count-waiting.js';

const WATCH_EVERY_MS = 2_000;

export interface HealthReporterDeps {
  clock: Clock;
  logger: Logger;
  store: Pick<AgentStore, 'health' | 'outboxState' | 'outboxBatch'>;
  rules: Pick<AccessRules, 'products' | 'gateway'>;
  radioHealth(): RadioHealth;
  /** Cloud time minus the monotonic clock; null: never measured. */
  cloudOffsetMs(): number | null;
  isClockOk(): boolean;
  intervalMs: number;
  /** The faults of sensors and displays. */
  faults(): ThingFault[];
  /** How its software is; undefined: it says nothing about it. */
  update: () => UpdateReport | undefined;
  publish(report: GatewayReport): void;
}

export interface HealthReporter {
  report(): Promise<void>;
  close(): void;
}

export function createHealthReporter(deps: HealthReporterDeps): HealthReporter {
  const { clock, logger, publish } = deps;
  const startedMonoMs = clock.monotonic();
  const credentials = createCredentialWatch(deps);
  let isStoreReported = true;
  const report = async () => {
    const health = await readHealth(deps, startedMonoMs);
    isStoreReported = health.store.is_ok;
    const autonomyDays = deps.rules.gateway()?.autonomy_days ?? 0;
    credentials.note({ endsMs: health.tokens_end_ms, autonomyDays, nowMs: knownTimeMs(deps) });
    publish({ products: [], health });
  };
  const onError = (error: unknown) => logger.error({ err: error }, 'the report of the gateway itself failed');
  const periodic = every({ clock, periodMs: deps.intervalMs, work: report, onError });
  /** A disk that refuses to write is reported at once, and not only with the next report. */
  const watching = every({
    clock,
    periodMs: WATCH_EVERY_MS,
    work: async () => {
      if ((deps.store.health.failed === null) !== isStoreReported) await report();
    },
    onError,
  });
  return {
    report: () => report().catch(onError),
    close() {
      periodic.cancel();
      watching.cancel();
    },
  };
}

function knownTimeMs({ clock, cloudOffsetMs, isClockOk }: HealthReporterDeps): number | null {
  const offsetMs = cloudOffsetMs();
  if (offsetMs !== null) return clock.monotonic() + offsetMs;
  return isClockOk() ? clock.now() : null;
}

async function readHealth(deps: HealthReporterDeps, startedMonoMs: number): Promise<GatewayHealthReport> {
  const { clock, store } = deps;
  // The report also has to be made when the store is broken.
  const outbox = await store.outboxState().catch(() => null);
  const cloudOffsetMs = deps.cloudOffsetMs();
  const { state, adapters, recoveries } = deps.radioHealth();
  const update = deps.update();
  const ends = [...deps.rules.products()].flatMap(({ pairing }) => (pairing === null ? [] : pairing.expires_ms));
  return {
    uptime_ms: Math.round(clock.monotonic() - startedMonoMs),
    tokens_end_ms: ends.length === 0 ? null : Math.min(...ends),
    queue: {
      depth: outbox === null ? null : recordsIn(outbox),
      oldest_ms: outbox === null ? null : await oldestOf(deps, outbox),
    },
    radio: { state, adapters, recoveries },
    clock: {
      is_ok: deps.isClockOk(),
      offset_ms: cloudOffsetMs === null ? null : Math.round(clock.now() - clock.monotonic() - cloudOffsetMs),
    },
    store: { bytes: store.health.file_bytes, is_ok: store.health.failed === null },
    faults: deps
      .faults()
      .slice(0, FAULTS_MAX)
      .map((fault) => ({ ...fault, problem: fault.problem.slice(0, PROBLEM_LENGTH_MAX) })),
    ...(update === undefined ? {} : { update }),
  };
}

/**
 * Returns when the longest waiting record was made, by the clock of that time. Pictures are left out, because they
 * follow their record.
 */
async function oldestOf(
  { store }: { store: Pick<AgentStore, 'outboxBatch'> },
  { lanes }: OutboxState,
): Promise<number | null> {
  const waiting = lanes.filter(({ lane, rows }) => lane !== 2 && rows > 0);
  const firsts = await Promise.all(waiting.map(({ lane, first_seq }) => store.outboxBatch(lane, first_seq - 1)));
  const times = firsts.flatMap((batch) => (batch === null ? [] : (decodeJson(batch.json).records[0]?.wall_ms ?? [])));
  return times.length === 0 ? null : Math.min(...times);
}
