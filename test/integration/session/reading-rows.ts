/** Rows of plate readings and lot entries as tests put them into the database: what a test does not name is not known of the vehicle. */
import type { NewRow } from '../../../cloud/kernel/store/schema.js';

/** Stamped `at`, and without a decision, unless told otherwise. */
export function readingRow(
  seen: Pick<NewRow<'plate_readings'>, 'account_id' | 'lot_id' | 'zone_id' | 'plate' | 'plate_normalised'> & {
    at: number;
  } & Partial<NewRow<'plate_readings'>>,
): NewRow<'plate_readings'> {
  const { at, ...named } = seen;
  return {
    uid: null,
    gateway_id: null,
    lpr_camera_id: null,
    raw_plate: named.plate,
    confidence: null,
    direction: 'in',
    type: null,
    make: null,
    color: null,
    model: null,
    country_code: null,
    plate_side: null,
    lpr_camera_direction: null,
    session_id: null,
    access_decision: null,
    access_decision_reason: null,
    vendor_event_id: null,
    retransmission: 0,
    time_estimated: 0,
    opening_event_id: null,
    opening_outcome: null,
    opening_error_type: null,
    original_plate: null,
    corrected_by: null,
    corrected_at: null,
    created_at: at,
    updated_at: at,
    ...named,
  };
}

/** An entry that was allowed and has no counterpart, unless told otherwise. */
export function lotEntryRow(
  entry: Pick<NewRow<'lot_entries'>, 'plate_reading_id' | 'account_id' | 'lot_id' | 'lpr_camera_id'> & {
    at: number;
  } & Partial<NewRow<'lot_entries'>>,
): NewRow<'lot_entries'> {
  const { at, ...named } = entry;
  return {
    direction: 'in',
    is_allowed: 1,
    related_lot_entry_id: null,
    duration: null,
    scan_time: at,
    created_at: at,
    updated_at: at,
    ...named,
  };
}
