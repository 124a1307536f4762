/** What the records of a batch are planned with. */
import type { UplinkRecord } from '../../shared/uplink.js';
import type { BatchFacts, IngestGateway } from './batch-facts.js';
import type { BatchPlan } from './batch-plan.js';
import type { EventTime } from './decide-event-time.js';

export interface PlanContext {
  gateway: IngestGateway;
  facts: BatchFacts;
  plan: BatchPlan;
  record: UplinkRecord;
  /** Wall milliseconds of the cloud. */
  now: number;
  /** Places a time of the gateway's wall clock. */
  placeTime(event_ms: number): EventTime;
  /** 10 characters, A-Z and 0-9. */
  makePublicId(): string;
}
