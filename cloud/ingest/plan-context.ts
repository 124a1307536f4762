/** What the records of a batch are planned with. */
import type { UplinkRecord } from '../../shared/uplink.js';
import type { BatchFacts, IngestGateway } from './batch-facts.js';
import { RecordTooEarly, UnusableRecord, type BatchPlan } from './batch-plan.js';
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

/** Parks the record, unless what it waits for was given up. */
export function tooEarly({ facts, plan }: PlanContext, waits_for_uid: string): RecordTooEarly | UnusableRecord {
  const letter = plan.deadLetters.find(({ uid }) => uid === waits_for_uid);
  const reason = letter?.reason ?? facts.givenUp.get(waits_for_uid);
  if (reason === undefined) return new RecordTooEarly(waits_for_uid);
  return new UnusableRecord(`belongs to ${waits_for_uid}, which was given up: ${reason}`);
}
