/** Composes what knows how the gateway is: its clock, and the reports to the cloud. */
import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { AgentStore } from '../store/agent-store.js';
import { type ClockGuard, createClockGuard } from './clock-guard.js';
import { createHealthReporter, type HealthReporter, type HealthReporterDeps } from './health-reporter.js';
import { followsTimeServer } from './time-server.js';
import { createTroubleTimes, type TroubleSights, type TroubleTimes } from './trouble-times.js';

interface HealthPorts {
  store: AgentStore;
  clock: Clock;
  logger: Logger;
}

export function composeClockGuard({ store, clock, logger }: HealthPorts): ClockGuard {
  return createClockGuard({
    clock,
    confirmedMs: store.boot.confirmed_ms,
    saveConfirmed: (wallMs) => store.saveConfirmedTime(wallMs),
    saveRunning: (wallMs) => store.saveClockFloor(wallMs),
    followsTimeServer,
    onError: (error) => logger.error({ err: error }, 'the time could not be kept'),
  });
}

/** Begins to report. @param of.startUpdates begins the work on updates, of which health tells */
export function composeHealth(
  { clock, logger, store, radioHealth }: HealthPorts & Pick<HealthReporterDeps, 'radioHealth'>,
  of: Omit<HealthReporterDeps, keyof HealthPorts | 'radioHealth'> & { startUpdates(onChange: () => void): void },
): HealthReporter {
  const { rules, cloudOffsetMs, isClockOk, intervalMs, faults, update, publish } = of;
  const health = createHealthReporter({
    clock,
    logger,
    store,
    rules,
    radioHealth,
    cloudOffsetMs,
    isClockOk,
    intervalMs,
    faults,
    update,
    publish,
  });
  of.startUpdates(() => void health.report());
  return health;
}

/** Begins to note since when something is wrong. */
export const composeTroubleTimes = (
  { clock, logger, store, radioHealth }: HealthPorts & Pick<HealthReporterDeps, 'radioHealth'>,
  of: { clockGuard: Pick<ClockGuard, 'isKnown'>; products: TroubleSights['products'] },
): TroubleTimes =>
  createTroubleTimes({
    clock,
    radio: radioHealth,
    isStoreFailed: () => store.health.failed !== null,
    isClockKnown: of.clockGuard.isKnown,
    products: of.products,
    onError: (error) => logger.error({ err: error }, 'what is wrong could not be looked at'),
  });
