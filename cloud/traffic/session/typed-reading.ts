import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { NewRow, Row } from '../../kernel/store/entry.js';

/** Builds the reading of a plate that a person or program entered: no camera saw it, and no decision was made on it. */
export function typedReading(typed: {
  session: Pick<Row<'sessions'>, 'account_id' | 'lot_id' | 'zone_id'>;
  session_id: number | null;
  plate: string;
  direction: 'in' | 'out';
  /** When the vehicle came or went. */
  at: number;
  now: number;
}): NewRow<'plate_readings'> {
  const { session, session_id, plate, direction, at, now } = typed;
  return {
    uid: null,
    account_id: session.account_id,
    lot_id: session.lot_id,
    zone_id: session.zone_id,
    gateway_id: null,
    lpr_camera_id: null,
    plate,
    plate_normalised: normalisePlate(plate),
    raw_plate: plate,
    confidence: null,
    direction,
    type: null,
    make: null,
    color: null,
    model: null,
    country_code: null,
    plate_side: null,
    lpr_camera_direction: null,
    session_id,
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
    updated_at: now,
  };
}
