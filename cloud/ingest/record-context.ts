/** What every kind of record is applied with. */
import type { ConfigSection } from '../../shared/gateway-config.js';
import type { CommandResultRecord, UplinkRecord } from '../../shared/uplink.js';
import type { TakenStep } from '../command/command-steps.js';
import type { Db, EventRecorder } from '../store/cloud-store.js';
import type { EventTime } from './decide-event-time.js';

/** The gateway that sent the record; records of one without a lot are never applied. */
export interface IngestGateway {
  id: number;
  account_id: number;
  lot_id: number;
}

export interface RecordContext {
  tx: Db;
  events: EventRecorder;
  gateway: IngestGateway;
  record: UplinkRecord;
  /** Wall milliseconds of the cloud. */
  now: number;
  /** Places a time of the gateway's wall clock. */
  placeTime(event_ms: number): EventTime;
  /** 10 characters, A-Z and 0-9. */
  makePublicId(): string;
  /** Goes on with the command; null: this gateway was never given such a one. */
  takeCommandResult(result: { record: CommandResultRecord; at_ms: number }): Promise<TakenStep | null>;
  /** Configuration sections that the record makes stale. */
  dirty: Set<ConfigSection>;
  /** Steps of commands, to be told once the transaction is committed. */
  commandSteps: TakenStep[];
}

/** The record can never be applied: it goes to the dead letters. Thrown before anything is written. */
export class UnusableRecord extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnusableRecord';
  }
}

/** The record names a uid that is not here yet: it is parked. Thrown before anything is written. */
export class RecordTooEarly extends Error {
  readonly waits_for_uid: string;

  constructor(waits_for_uid: string) {
    super(`waits for ${waits_for_uid}`);
    this.name = 'RecordTooEarly';
    this.waits_for_uid = waits_for_uid;
  }
}
