import type { ReadDirection } from '../../../shared/access/resolve-direction.js';
import type { AccessTrace } from '../../../shared/access/access-trace.js';
import type { AccessReason } from '../../../shared/access/decide-access.js';
import type { TimeSource } from '../../../shared/decide-device-time.js';
import type { PlateReadingRecord } from '../../../shared/uplink.js';
import type { ColumnType, Generated } from 'kysely';
import type { JsonText } from '../../../shared/json-text-codec.js';
import type { Tables, Timestamps } from '../../kernel/store/entry.js';

interface PlateReadingsTable extends Timestamps {
  id: Generated<number>;
  /** The gateway's uid; null for readings made over REST. */
  uid: string | null;
  account_id: number;
  lot_id: number;
  zone_id: number;
  gateway_id: number | null;
  lpr_camera_id: number | null;
  plate: string;
  plate_normalised: string;
  raw_plate: string;
  confidence: number | null;
  direction: ReadDirection;
  type: PlateReadingRecord['type'];
  make: string | null;
  color: string | null;
  model: string | null;
  country_code: string | null;
  plate_side: PlateReadingRecord['plate_side'] | null;
  lpr_camera_direction: PlateReadingRecord['lpr_camera_direction'] | null;
  session_id: number | null;
  access_decision: 'denied' | 'triggered' | null;
  access_decision_reason: AccessReason | null;
  vendor_event_id: string | null;
  retransmission: number;
  /** 1: the gateway did not know the time; created_at was computed from its monotonic clock. */
  time_estimated: number;
  /** Whose time created_at is; null: made over REST, or an older gateway did not say. */
  time_source: Generated<TimeSource | null>;
  opening_event_id: string | null;
  opening_outcome: 'succeeded' | 'failed' | 'unknown' | null;
  opening_error_type: number | null;
  original_plate: string | null;
  corrected_by: number | null;
  corrected_at: number | null;
  /** The highest refinement number that was applied; 0: the reading is as the camera read it first. */
  refinement: Generated<number>;
  /** What the decision saw; null: none was made, or an older gateway did not say. */
  decision_trace: ColumnType<JsonText<AccessTrace> | null, string | null | undefined, string | null>;
  /** When it was decided; null like `decision_trace`. */
  decided_at: Generated<number | null>;
}

interface SightingsTable {
  id: Generated<number>;
  uid: string;
  account_id: number;
  lot_id: number;
  zone_id: number;
  lpr_camera_id: number;
  direction: ReadDirection;
  created_at: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    plate_readings: PlateReadingsTable;
    sightings: SightingsTable;
  }
}

export const READING_BASELINE: Tables = {
  plate_readings: {
    columns: {
      id: 'id',
      uid: 'text null',
      account_id: 'integer',
      lot_id: 'integer',
      zone_id: 'integer',
      gateway_id: 'integer null',
      lpr_camera_id: 'integer null',
      plate: 'text',
      plate_normalised: 'text',
      raw_plate: 'text',
      confidence: 'double precision null',
      direction: 'text',
      type: 'text null',
      make: 'text null',
      color: 'text null',
      model: 'text null',
      country_code: 'text null',
      plate_side: 'text null',
      lpr_camera_direction: 'text null',
      session_id: 'integer null',
      access_decision: 'text null',
      access_decision_reason: 'text null',
      vendor_event_id: 'text null',
      retransmission: 'integer',
      time_estimated: 'integer',
      opening_event_id: 'text null',
      opening_outcome: 'text null',
      opening_error_type: 'integer null',
      original_plate: 'text null',
      corrected_by: 'integer null',
      corrected_at: 'bigint null',
      refinement: { type: 'integer', default: 0 },
      decided_at: 'bigint null',
      time_source: 'text null',
      created_at: 'bigint',
      updated_at: 'bigint',
      decision_trace: 'text null',
    },
    indices: [
      { columns: ['uid'], isUnique: true },
      ['account_id', 'id'],
      ['lot_id', 'created_at'],
      ['lpr_camera_id', 'created_at'],
      ['session_id'],
      { columns: ['account_id', 'updated_at', 'id'], name: 'plate_readings_account_id_updated_at' },
      ['account_id', 'plate_normalised'],
      ['account_id', 'created_at'],
      {
        columns: ['lot_id', 'plate_normalised', 'created_at', 'id'],
        name: 'plate_readings_lot_id_plate_normalised_created_at',
      },
      // Exits whose session is not known: few beside all other reads of a plate.
      {
        columns: ['lot_id', 'plate_normalised', 'created_at', 'id'],
        where: "session_id is null and direction = 'out'",
        name: 'plate_readings_left',
      },
      // Beside the index without a time, by which the newest come in the order of their ids.
      {
        columns: ['account_id', 'plate_normalised', 'created_at', 'id'],
        name: 'plate_readings_account_id_plate_normalised_created_at',
      },
    ],
  },
  sightings: {
    columns: {
      id: 'id',
      uid: 'text',
      account_id: 'integer',
      lot_id: 'integer',
      zone_id: 'integer',
      lpr_camera_id: 'integer',
      direction: 'text',
      created_at: 'bigint',
    },
    indices: [
      { columns: ['uid'], isUnique: true },
      ['lot_id', 'created_at'],
      ['created_at'],
      ['account_id', 'id'],
      ['account_id', 'created_at'],
    ],
  },
};
