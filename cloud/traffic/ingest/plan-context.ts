/** What the records of a batch are planned with. */
import type { UplinkRecord } from '../../../shared/uplink.js';
import { type BatchPlan, type PlannedEvent, RecordTooEarly } from './batch-plan.js';
import type { TimeSource } from '../../../shared/decide-device-time.js';
import type { EventTime } from './decide-event-time.js';
import { type BatchFacts, givenUpKey, type IngestGateway } from './ingest-facts.js';
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

/** Adds an event of the gateway's lot. */
export function addEvent({ plan, gateway: { account_id, lot_id } }: PlanContext, build: PlannedEvent['build']): void {
  plan.events.push({ owner: { account_id, lot_id }, build });
}

/** Builds the error for a record that names a missing uid: it is early, unless the record that it waits for was given up. */
export function tooEarly({ facts, gateway }: PlanContext, waits_for_uid: string): RecordTooEarly | UnusableRecord {
  const reason = facts.givenUp.get(givenUpKey(gateway.id, waits_for_uid));
  if (reason === undefined) return new RecordTooEarly(waits_for_uid);
  return new UnusableRecord(`belongs to ${waits_for_uid}, which was given up: ${reason}`);
}
