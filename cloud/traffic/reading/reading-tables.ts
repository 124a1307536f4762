import type { ReadDirection } from '../../../shared/access/resolve-direction.js';
import type { AccessTrace } from '../../../shared/access/access-trace.js';
import type { AccessReason } from '../../../shared/access/decide-access.js';
import type { TimeSource } from '../../../shared/decide-device-time.js';
import type { PlateReadingRecord } from '../../../shared/uplink.js';
import type { JsonColumn, Tables, TablesOf, Text } from '../../kernel/store/entry.js';
import type { HandledColumns } from './handled-payload.js';

declare module '../../kernel/store/schema.js' {
  interface Database {
    plate_readings: ReadingTables['plate_readings'] & HandledColumns;
    sightings: ReadingTables['sightings'] & HandledColumns;
  }
}

type ReadingTables = TablesOf<typeof READING_BASELINE>;

export const READING_BASELINE = {
  plate_readings: {
    columns: {
      id: 'id',
      /** The gateway's uid; null for readings made over REST. */
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
      direction: 'text' as Text<ReadDirection>,
      type: 'text null' as Text<PlateReadingRecord['type']>,
      make: 'text null',
      color: 'text null',
      model: 'text null',
      country_code: 'text null',
      plate_side: 'text null' as Text<PlateReadingRecord['plate_side'] | null>,
      lpr_camera_direction: 'text null' as Text<PlateReadingRecord['lpr_camera_direction'] | null>,
      session_id: 'integer null',
      access_decision: 'text null' as Text<'denied' | 'triggered' | null>,
      access_decision_reason: 'text null' as Text<AccessReason | null>,
      vendor_event_id: 'text null',
      retransmission: 'integer',
      /** 1: the gateway did not know the time; created_at was computed from its monotonic clock. */
      time_estimated: 'integer',
      opening_event_id: 'text null',
      opening_outcome: 'text null' as Text<'succeeded' | 'failed' | 'unknown' | null>,
      opening_error_type: 'integer null',
      original_plate: 'text null',
      corrected_by: 'integer null',
      corrected_at: 'bigint null',
      /** The highest refinement number that was applied; 0: the reading is as the camera read it first. */
      refinement: { type: 'integer', default: 0 },
      /** When it was decided; null like `decision_trace`. */
      decided_at: 'bigint null',
      /** Whose time created_at is; null: made over REST, or an older gateway did not say. */
      time_source: 'text null' as Text<TimeSource | null>,
      created_at: 'bigint',
      updated_at: 'bigint',
      /** What the decision saw; null: none was made, or an older gateway did not say. */
      decision_trace: 'text null' as Text<JsonColumn<AccessTrace, null>>,
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
      direction: 'text' as Text<ReadDirection>,
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
} satisfies Tables;
