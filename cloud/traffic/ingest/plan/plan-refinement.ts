/** Plans a refinement: the new state of the reading, and what a new decision did. */
import { normalisePlate } from '../../../../shared/plate/normalise-plate.js';
import type { PlateRefinedRecord } from '../../../../shared/uplink.js';
import { plateReadingUpdated } from '../../reading/plate-reading-event-payload.js';
import { idOf, type KnownReading, type PlannedReading } from '../load/row-states.js';
import { decidedAgain } from '../read/payload-references.js';
import { addEvent, countOfCamera, type RecordContext, tooEarly, UnusableRecord } from './context.js';
import { checkPlaces, planLotEntry, traceColumns } from './plan-plate-read.js';
import { checkSessionEffect, planSessionEffect } from './plan-session-effect.js';

type Row = PlannedReading['row'];

export function planRefinement(context: RecordContext, payload: PlateRefinedRecord): void {
  const { plan } = context;
  const { reading, session_id } = readingOf(context, payload);
  const read = decidedAgain(payload);
  const camera = read === null ? null : checkPlaces(context, read);
  checkSessionEffect(context, read?.session ?? null);

  if (reading.id !== null) plan.refinedReadings.set(reading.id, { reading, session_id });
  const row = refinedRow(context, payload, reading.row);
  const { lpr_camera_id, created_at: at_ms } = reading.row;
  countOfCamera(context, { lpr_camera_id, at_ms, counts: 'refined_count' });
  const { images, session } = reading;
  addEvent(context, () => {
    const known = { ...row, id: idOf(reading), session_id: session === null ? session_id : idOf(session) };
    return { event: 'plate_reading_update', payload: plateReadingUpdated(known, images) };
  });
  if (read !== null && camera !== null) {
    // The gateway decided on what the camera read, even if a person has corrected the reading since.
    const { plate, direction } = payload.reading;
    reading.row = { ...row, plate, plate_normalised: normalisePlate(plate), direction };
    planSessionEffect(context, { payload: read, reading });
    planLotEntry(context, { payload: read, reading, camera });
  }
  reading.row = row;
}

/** Finds the reading in this batch or in the database. */
function readingOf(context: RecordContext, { reading_uid, decided }: PlateRefinedRecord): KnownReading {
  const { memory, plan, gateway } = context;
  const planned = plan.readings.get(reading_uid);
  const known = planned === undefined ? memory.refinable.get(reading_uid) : { reading: planned, session_id: null };
  if (known === undefined) {
    const early = tooEarly(context, reading_uid);
    // A decided refinement comes in the lane of its reading, and after it.
    throw decided === null ? early : new UnusableRecord(`reading ${reading_uid} never came`);
  }
  const { row } = known.reading;
  if (row.gateway_id !== gateway.id || row.lot_id !== gateway.lot_id) {
    throw new UnusableRecord(`reading ${reading_uid} is of another gateway or lot`);
  }
  return known;
}

/** Lanes overtake each other, so an earlier refinement changes nothing of a later one. Corrections by a person remain. */
function refinedRow(context: RecordContext, payload: PlateRefinedRecord, before: Row): Row {
  const { reading, refinement, decided } = payload;
  const row = { ...before, updated_at: context.placeTime(context.record.wall_ms).at_ms };
  if (refinement > before.refinement) {
    const { raw_plate, confidence, plate, direction } = reading;
    Object.assign(row, { refinement, raw_plate, confidence } satisfies Partial<Row>);
    if (before.corrected_at === null) {
      Object.assign(row, { plate, plate_normalised: normalisePlate(plate), direction } satisfies Partial<Row>);
    }
  }
  if (decided !== null) {
    const { access_decision, access_decision_reason, opening } = decided;
    const opening_event_id = opening?.event_id ?? null;
    Object.assign(row, { access_decision, access_decision_reason, opening_event_id } satisfies Partial<Row>);
    Object.assign(row, traceColumns(context, decided));
  }
  return row;
}
