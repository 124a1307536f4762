/** GET /v2/plate-readings. */
import {
  ACCESS_DECISION_REASONS,
  ACCESS_DECISIONS,
  READ_DIRECTIONS,
  VEHICLE_TYPES,
} from '../../../shared/events/event-schemas.js';
import { choiceField, integerField, listTable, plateField, textField } from '../../rest/entry.js';
import { handledFilters } from './handled-list.js';
import { plateReadingsByIds } from './reading-detail-queries.js';

export const PLATE_READING_LIST = listTable({
  from: 'plate_readings',
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
    type: choiceField('plate_readings.type', VEHICLE_TYPES),
    make: textField('plate_readings.make'),
    color: textField('plate_readings.color'),
    model: textField('plate_readings.model'),
    country_code: textField('plate_readings.country_code'),
    ...handledFilters('plate_readings'),
  },
  sorts: {
    created_at: 'plate_readings.created_at',
    confidence: 'plate_readings.confidence',
    handled_at: 'plate_readings.handled_at',
  },
  rows: plateReadingsByIds,
  scopeOf: (row) => row,
});
