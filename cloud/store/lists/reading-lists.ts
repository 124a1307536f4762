/** GET /v2/plate-readings, /v2/lot-entries, /v2/sightings. */
import { ACCESS_DECISION_REASONS, ACCESS_DECISIONS, READ_DIRECTIONS } from '../../../shared/events/event-schemas.js';
import { lotEntriesByIds } from '../queries/plate-readings.js';
import { plateReadingsByIds } from '../queries/single-records.js';
import { sightingsByIds } from '../queries/site-records.js';
import { choiceField, dateFields, integerField, plateField } from './list-fields.js';
import { listTable } from './list-table.js';

export const PLATE_READING_LIST = listTable({
  from: (db) => db.selectFrom('plate_readings'),
  id: 'plate_readings.id',
  scope: { account_id: 'plate_readings.account_id', lot_id: 'plate_readings.lot_id' },
  filters: {
    lot_id: integerField('plate_readings.lot_id'),
    zone_id: integerField('plate_readings.zone_id'),
    lpr_camera_id: integerField('plate_readings.lpr_camera_id'),
    plate: plateField('plate_readings.plate_normalised'),
    direction: choiceField('plate_readings.direction', READ_DIRECTIONS),
    access_decision: choiceField('plate_readings.access_decision', ACCESS_DECISIONS),
    access_decision_reason: choiceField('plate_readings.access_decision_reason', ACCESS_DECISION_REASONS),
    session_id: integerField('plate_readings.session_id'),
    ...dateFields('plate_readings.created_at'),
  },
  sorts: {
    id: 'plate_readings.id',
    created_at: 'plate_readings.created_at',
    confidence: 'plate_readings.confidence',
  },
  rows: plateReadingsByIds,
  scopeOf: (row) => row,
});

export const LOT_ENTRY_LIST = listTable({
  from: (db) => db.selectFrom('lot_entries'),
  id: 'lot_entries.id',
  scope: { account_id: 'lot_entries.account_id', lot_id: 'lot_entries.lot_id' },
  filters: {
    id: integerField('lot_entries.id'),
    lot_id: integerField('lot_entries.lot_id'),
    lpr_camera_id: integerField('lot_entries.lpr_camera_id'),
    ...dateFields('lot_entries.created_at'),
  },
  sorts: { id: 'lot_entries.id' },
  rows: lotEntriesByIds,
});

export const SIGHTING_LIST = listTable({
  from: (db) => db.selectFrom('sightings'),
  id: 'sightings.id',
  scope: { account_id: 'sightings.account_id', lot_id: 'sightings.lot_id' },
  filters: {
    id: integerField('sightings.id'),
    lot_id: integerField('sightings.lot_id'),
    zone_id: integerField('sightings.zone_id'),
    lpr_camera_id: integerField('sightings.lpr_camera_id'),
    ...dateFields('sightings.created_at'),
  },
  sorts: { id: 'sightings.id' },
  rows: sightingsByIds,
});
