/** What a record is applied with that asks the database first (`apply-direct.ts`). */
import type { ConfigSection } from '../../shared/gateway-config.js';
import type { CommandResultRecord, PairingOfferRecord, UplinkRecord } from '../../shared/uplink.js';
import type { TakenStep } from '../command/command-steps.js';
import type { Db, EventRecorder } from '../store/cloud-store.js';
import type { IngestGateway } from './batch-facts.js';
import type { EventTime } from './decide-event-time.js';

export interface RecordContext {
  tx: Db;
  events: EventRecorder;
  gateway: IngestGateway;
  record: UplinkRecord;
  /** Wall milliseconds of the cloud. */
  now: number;
  /** Places a time of the gateway's wall clock. */
  placeTime(event_ms: number): EventTime;
  /** Goes on with the command; null: this gateway was never given such a one. */
  takeCommandResult(result: { record: CommandResultRecord; at_ms: number }): Promise<TakenStep | null>;
  /** Answers a product's offer; null: this gateway was never given such a pairing. */
  takePairingOffer(record: PairingOfferRecord): Promise<TakenStep | null>;
  /** Configuration sections that the record makes stale. */
  dirty: Set<ConfigSection>;
  /** Steps of commands, to be told once the transaction is committed. */
  commandSteps: TakenStep[];
}
