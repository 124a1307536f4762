/** What a batch is applied with, in its transaction. */
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { Tracer } from '../../../shared/tracer.js';
import type { Lane, OutboxEpoch, UplinkRecord } from '../../../shared/uplink.js';
import type { BootClocks, CommandDispatcher } from '../../equipment/entry.js';
import type { ConfigChanged } from '../../rest/entry.js';
import type { Tx } from '../../kernel/entry.js';
import type { BatchPlan } from './batch-plan.js';
import { decideEventTime } from './decide-event-time.js';
import type { DirectPayload } from './direct-record.js';
import type { IngestMeasurement } from './ingest-metrics.js';
import type { BatchFacts, IngestGateway } from './ingest-facts.js';
import type { Sender } from './known-queries.js';
import type { PlanContext } from './plan-context.js';

export interface BatchDeps {
  tx: Tx;
  clock: Clock;
  logger: Logger;
  bootClocks: BootClocks;
  generatePublicId: () => string;
  commands: Pick<CommandDispatcher, 'applyResult' | 'applyOffer'>;
  configChanged: ConfigChanged;
  /** Left out: nothing is measured. */
  measurement?: IngestMeasurement;
  /** Left out: nothing is traced. */
  tracer?: Tracer | undefined;
}

export interface BatchScope {
  deps: BatchDeps;
  gateway: Sender;
  /** The lot that the records belong to. null: the gateway is and was in no lot. */
  place: IngestGateway | null;
  /** Facts and plan are those of all batches of the transaction. */
  facts: BatchFacts;
  plan: BatchPlan;
  /** Records that are applied by statements of their own, after the plan was written. */
  direct: { record: UplinkRecord; payload: DirectPayload }[];
  /** How many records were given up. */
  givenUp: number;
  epoch: OutboxEpoch;
  lane: Lane;
  now: number;
}

/** Returns a function that converts times of the wall clock by which a record was made. */
export function timePlacer(
  { bootClocks }: BatchDeps,
  gateway: { id: number },
  { record, now }: { record: UplinkRecord; now: number },
): PlanContext['placeTime'] {
  const facts = {
    clock_ok: record.clock_ok,
    mono_ms: record.mono_ms,
    boot_began_ms: bootClocks.beganMs(gateway.id, record.boot_id),
    present_boot_began_ms: bootClocks.presentBeganMs(gateway.id),
    cloud_ms: now,
    made_ms: record.wall_ms,
  };
  return (event_ms, time_source) => decideEventTime({ ...facts, event_ms, time_source });
}
