/**
 * What happened, and what came from the gateways. There are no foreign keys to the site, because the history outlives the cameras, zones
 * and products that it names.
 */
import {
  BIG,
  ID,
  INTEGER,
  KEY,
  OPTIONAL_DOUBLE,
  OPTIONAL_INTEGER,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  TEXT,
  TIME,
  TIMESTAMPS,
  create,
  partOf,
  type Schema,
} from './create-table.js';

export async function createHistoryTables(db: Schema): Promise<void> {
  await createReadings(db);
  await createImages(db);
  await createSightings(db);
  await createSessions(db);
  await createIngest(db);
}

async function createReadings(db: Schema): Promise<void> {
  await create(db, 'plate_readings', {
    columns: {
      id: ID,
      uid: OPTIONAL_TEXT,
      account_id: INTEGER,
      lot_id: INTEGER,
      zone_id: INTEGER,
      gateway_id: OPTIONAL_INTEGER,
      lpr_camera_id: OPTIONAL_INTEGER,
      plate: TEXT,
      plate_normalised: TEXT,
      raw_plate: TEXT,
      confidence: OPTIONAL_DOUBLE,
      direction: TEXT,
      type: OPTIONAL_TEXT,
      make: OPTIONAL_TEXT,
      color: OPTIONAL_TEXT,
      model: OPTIONAL_TEXT,
      country_code: OPTIONAL_TEXT,
      plate_side: OPTIONAL_TEXT,
      lpr_camera_direction: OPTIONAL_TEXT,
      session_id: OPTIONAL_INTEGER,
      access_decision: OPTIONAL_TEXT,
      access_decision_reason: OPTIONAL_TEXT,
      vendor_event_id: OPTIONAL_TEXT,
      retransmission: INTEGER,
      time_estimated: INTEGER,
      opening_event_id: OPTIONAL_TEXT,
      opening_outcome: OPTIONAL_TEXT,
      opening_error_type: OPTIONAL_INTEGER,
      original_plate: OPTIONAL_TEXT,
      corrected_by: OPTIONAL_INTEGER,
      corrected_at: OPTIONAL_TIME,
      ...TIMESTAMPS,
    },
    unique: [['uid']],
    indices: [
      ['account_id', 'id'],
      ['lot_id', 'created_at'],
      ['lpr_camera_id', 'created_at'],
      ['session_id'],
      ['plate_normalised', 'created_at'],
    ],
  });
}

async function createImages(db: Schema): Promise<void> {
  await create(db, 'images', {
    columns: {
      uid: KEY,
      account_id: INTEGER,
      lot_id: INTEGER,
      owner_uid: TEXT,
      role: TEXT,
      created_at: TIME,
      arrived_at: OPTIONAL_TIME,
    },
    indices: [['owner_uid'], ['created_at']],
  });
}

async function createSightings(db: Schema): Promise<void> {
  await create(db, 'sightings', {
    columns: {
      id: ID,
      uid: TEXT,
      account_id: INTEGER,
      lot_id: INTEGER,
      zone_id: INTEGER,
      lpr_camera_id: INTEGER,
      direction: TEXT,
      created_at: TIME,
    },
    unique: [['uid']],
    indices: [['lot_id', 'created_at'], ['created_at']],
  });
}

async function createSessions(db: Schema): Promise<void> {
  await create(db, 'sessions', {
    columns: {
      id: ID,
      uid: TEXT,
      public_id: TEXT,
      account_id: INTEGER,
      lot_id: INTEGER,
      zone_id: INTEGER,
      tariff_id: OPTIONAL_INTEGER,
      plate_normalised: TEXT,
      entry_reading_id: OPTIONAL_INTEGER,
      exit_reading_id: OPTIONAL_INTEGER,
      entry_type: TEXT,
      entry_source_id: INTEGER,
      exit_type: OPTIONAL_TEXT,
      exit_source_id: OPTIONAL_INTEGER,
      ended_at: OPTIONAL_TIME,
      ended_by_look_alike: INTEGER,
      discount_time: OPTIONAL_INTEGER,
      amount_paid_minor: BIG,
      possibly_exited: OPTIONAL_INTEGER,
      ...TIMESTAMPS,
    },
    unique: [['uid'], ['public_id']],
    indices: [
      ['account_id', 'id'],
      ['lot_id', 'created_at'],
      ['lot_id', 'ended_at'],
      ['plate_normalised', 'created_at'],
    ],
    indicesOfOpen: [
      ['lot_id', 'plate_normalised'],
      ['zone_id', 'created_at'],
    ],
  });
  await create(db, 'lot_entries', {
    columns: {
      id: ID,
      plate_reading_id: INTEGER,
      account_id: INTEGER,
      lot_id: INTEGER,
      lpr_camera_id: INTEGER,
      direction: TEXT,
      is_allowed: INTEGER,
      related_lot_entry_id: OPTIONAL_INTEGER,
      duration: OPTIONAL_DOUBLE,
      scan_time: TIME,
      ...TIMESTAMPS,
    },
    indices: [['plate_reading_id'], ['lot_id', 'id'], ['lpr_camera_id', 'scan_time']],
  });
  await create(db, 'events', {
    columns: {
      id: ID,
      account_id: INTEGER,
      lot_id: INTEGER,
      event: TEXT,
      payload: TEXT,
      created_at: TIME,
    },
    indices: [['lot_id', 'id'], ['account_id', 'id'], ['created_at']],
  });
}

async function createIngest(db: Schema): Promise<void> {
  await create(db, 'ingest_cursors', {
    columns: {
      gateway_id: partOf('gateways'),
      epoch: TEXT,
      lane: INTEGER,
      seq: BIG,
      updated_at: TIME,
    },
    primaryKey: ['gateway_id', 'epoch', 'lane'],
  });
  await create(db, 'ingest_uids', {
    columns: {
      uid: KEY,
      gateway_id: INTEGER,
      created_at: TIME,
    },
    indices: [['created_at']],
  });
  await create(db, 'dead_letters', {
    columns: {
      id: ID,
      gateway_id: INTEGER,
      epoch: TEXT,
      lane: INTEGER,
      seq: BIG,
      uid: TEXT,
      reason: TEXT,
      payload: TEXT,
      created_at: TIME,
    },
    indices: [['gateway_id']],
  });
  await create(db, 'parked_records', {
    columns: {
      uid: KEY,
      gateway_id: INTEGER,
      waits_for_uid: TEXT,
      record: TEXT,
      created_at: TIME,
    },
    indices: [['waits_for_uid']],
  });
  await create(db, 'lost_records', {
    columns: {
      id: ID,
      gateway_id: INTEGER,
      epoch: TEXT,
      lane: INTEGER,
      from_seq: BIG,
      to_seq: BIG,
      created_at: TIME,
    },
    indices: [['gateway_id']],
  });
}
