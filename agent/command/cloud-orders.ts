/** What commands and pairings of the cloud have in common: a deadline on the gateway's own clock, and a record of the result. */
import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { Lane, RecordPayload } from '../../shared/uplink.js';
import type { CommandOutcome, PairingOutcome } from '../product/product-commander.js';
import type { AgentStore, RecordStamp } from '../store/agent-store.js';

export interface CloudOrderDeps {
  store: Pick<AgentStore, 'append'>;
  clock: Clock;
  /** Cloud time minus the monotonic clock, as measured on the connection; null: never measured. */
  cloudOffsetMs: () => number | null;
  stamp: () => RecordStamp;
  logger: Logger;
  /** Records of the lane were committed: the uplink has something to send. */
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
 * Whether the order failed because its time was over, and nothing that the product said. The cloud ends the attempt as a timeout at the same
 * moment; an error of the link, told by a few milliseconds sooner or later, would say something else of it.
 */
export function hasRunOut(
  { clock }: Pick<CloudOrderDeps, 'clock'>,
  outcome: CommandOutcome | PairingOutcome,
  deadline_mono_ms: number,
): boolean {
  if (outcome.outcome === 'succeeded' || outcome.authenticated) return false;
  return clock.monotonic() >= deadline_mono_ms - TIMER_SLACK_MS;
}

/** Stores a record that the cloud waits for, and notifies the uplink. Rejects as the store does. */
export async function keepForCloud(deps: CloudOrderDeps, payload: RecordPayload): Promise<void> {
  await deps.store.append({ ...deps.stamp(), lane: 0, payload });
  deps.onCommitted(0);
}
