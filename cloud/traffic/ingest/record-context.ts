/** What a record that queries the database first is applied with (`apply-direct.ts`). */
import type { ConfigSection } from '../../../shared/gateway-config.js';
import type { CommandResultRecord, PairingOfferRecord, UplinkRecord } from '../../../shared/uplink.js';
import type { Tx } from '../../kernel/entry.js';
import type { TimeSource } from '../../../shared/decide-device-time.js';
import type { EventTime } from './decide-event-time.js';
import type { IngestGateway } from './ingest-facts.js';

export interface RecordContext {
  tx: Tx;
  gateway: IngestGateway;
  record: UplinkRecord;
  /** Wall milliseconds of the cloud. */
  now: number;
  /** Converts a time of the gateway's wall clock. */
  placeTime(event_ms: number, time_source?: TimeSource): EventTime;
  /** Applies a result to its command. @returns false: this gateway never got such a command */
  applyCommandResult(result: { record: CommandResultRecord; at_ms: number }): Promise<boolean>;
  /** Answers a product's offer. @returns false: this gateway never got such a pairing */
  applyPairingOffer(record: PairingOfferRecord): Promise<boolean>;
  /** Marks a section of the lot's configuration as stale after the commit. */
  markStale(section: ConfigSection): void;
}
