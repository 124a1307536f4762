/** What the records of a batch are planned with. */
import type { UplinkRecord } from '../../shared/uplink.js';
import { type BatchPlan, RecordTooEarly } from './batch-plan.js';
import type { TimeSource } from '../../shared/decide-device-time.js';
import type { EventTime } from './decide-event-time.js';
import type { BatchFacts, IngestGateway } from './ingest-facts.js';
import { UnusableRecord } from './unusable-record.js';

export interface PlanContext {
  gateway: IngestGateway;
  facts: BatchFacts;
  plan: BatchPlan;
  record: UplinkRecord;
  /** Wall milliseconds of the cloud. */
  now: number;
  /** Converts a time of the gateway's wall clock. */
  placeTime(event_ms: number, time_source?: TimeSource): EventTime;
  /** 10 characters, A-Z and 0-9. */
  generatePublicId(): string;
}

/** Builds the error for a record that names a missing uid: it is early, unless the record that it waits for was given up. */
export function tooEarly({ facts, plan }: PlanContext, waits_for_uid: string): RecordTooEarly | UnusableRecord {
  const letter = plan.deadLetters.find(({ uid }) => uid === waits_for_uid);
  const reason = letter?.reason ?? facts.givenUp.get(waits_for_uid);
  if (reason === undefined) return new RecordTooEarly(waits_for_uid);
  return new UnusableRecord(`belongs to ${waits_for_uid}, which was given up: ${reason}`);
}
