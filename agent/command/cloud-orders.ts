/**
 * The common part of the cloud's commands and pairings: a deadline on the gateway's own clock, and a record of the
 * result.
 */
import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { CommandResultRecord, Lane, RecordPayload } from '../../shared/uplink.js';
import type { CommandOutcome, PairingOutcome } from '../product/product-commander.js';
import type { AgentStore, RecordStamp } from '../store/agent-store.js';

export interface CloudOrderDeps {
  store: Pick<AgentStore, 'append'>;
  clock: Clock;
  /** Cloud time minus the monotonic clock, as measured on the connection; null: never measured. */
  cloudOffsetMs: () => number | null;
  stamp: () => RecordStamp;
  logger: Logger;
  /** Called when records of the lane were committed, so that the uplink sends them. */
  onCommitted: (lane: Lane) => void;
}

/** Converts the order's deadline to the monotonic clock. Without a measured cloud time the deadline counts as over. */
export function monotonicDeadlineMs(
  { cloudOffsetMs }: Pick<CloudOrderDeps, 'cloudOffsetMs'>,
  deadline_ms: number,
): number {
  const offsetMs = cloudOffsetMs();
  return offsetMs === null ? Number.NEGATIVE_INFINITY : deadline_ms - offsetMs;
}

/** A timer may ring this much before its time. */
const TIMER_SLACK_MS = 20;

/**
 * Says whether the order failed because its time was over, and not because of an answer of the product. The cloud ends
 * the attempt as a timeout at that moment. If the gateway reported an error of the link then, a few milliseconds would
 * decide which of the two counts.
 */
export function hasRunOut(
  { clock }: Pick<CloudOrderDeps, 'clock'>,
  outcome: CommandOutcome | PairingOutcome,
  deadline_mono_ms: number,
): boolean {
  if (outcome.outcome === 'succeeded' || outcome.authenticated) return false;
  return clock.monotonic() >= deadline_mono_ms - TIMER_SLACK_MS;
}

/** Stores the result of an order. When the store cannot keep it, the cloud waits until the order's time is over. */
export async function keepResult(deps: CloudOrderDeps, result: CommandResultRecord): Promise<void> {
  try {
    await keepForCloud(deps, result);
  } catch (error) {
    const { event_id, product_id } = result;
    deps.logger.error({ event_id, product_id, err: error }, 'the result of a command could not be kept for the cloud');
  }
}

/** Stores a record that the cloud waits for, and notifies the uplink. Rejects as the store does. */
export async function keepForCloud(deps: CloudOrderDeps, payload: RecordPayload): Promise<void> {
  await deps.store.append({ ...deps.stamp(), lane: 0, payload });
  deps.onCommitted(0);
}
