/** The records that people may still look at after a restart. */
import type { Uid } from '../../shared/ids.js';
import type { RecordPayload } from '../../shared/uplink.js';

const LATEST_KINDS = ['plate_read', 'plate_refined', 'sighting', 'local_action', 'opening_result'] as const;

/** A record of before this start, about a vehicle that a person may still look at, or about what people did with one. */
export interface LatestRecord {
  uid: Uid;
  wall_ms: number;
  payload: Extract<RecordPayload, { kind: (typeof LATEST_KINDS)[number] }>;
}

export const isLatest = <Each extends { payload: RecordPayload }>(record: Each): record is Each & LatestRecord =>
  LATEST_KINDS.some((kind) => kind === record.payload.kind);

/** How many of the newest records of a lane are looked at for them. */
export const LATEST_ROWS_MAX = 1_000;
