/** What a camera told better of a reading: how the reading stands now, and what a new decision did. */
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import type { PlateRefinedRecord } from '../../shared/uplink.js';
import { plateReadingUpdated } from '../lpr/plate-reading-payload.js';
import type { KnownReading } from './batch-facts.js';
import { idOf, UnusableRecord, type PlannedReading } from './batch-plan.js';
import { decidedRead } from './decided-read.js';
import { tooEarly, type PlanContext } from './plan-context.js';
import { checkPlaces, planLotEntry } from './plan-plate-read.js';
import { checkSessionEffect, planSessionEffect } from './plan-session-effect.js';

type Row = PlannedReading['row'];

export function planRefinement(context: PlanContext, payload: PlateRefinedRecord): void {
  const { plan } = context;
  const { reading, session_id } = readingOf(context, payload);
  const read = decidedRead(payload);
  const camera = read === null ? null : checkPlaces(context, read);
  checkSessionEffect(context, read?.session ?? null);

  if (reading.id !== null) plan.refinedReadings.set(reading.id, { reading, session_id });
  const row = refinedRow(context, payload, reading.row);
  const { images, session } = reading;
  plan.events.push(() => {
    const known = { ...row, id: idOf(reading), session_id: session === null ? session_id : idOf(session) };
    return { event: 'plate_reading_update', payload: plateReadingUpdated(known, images) };
  });
  if (read !== null && camera !== null) {
    // The gateway decided on what the camera read, whatever a person made of it since.
    const { plate, direction } = payload.reading;
    reading.row = { ...row, plate, plate_normalised: normalisePlate(plate), direction };
    planSessionEffect(context, { payload: read, reading });
    planLotEntry(context, { payload: read, reading, camera });
  }
  reading.row = row;
}

/** Of this batch, or in the database already. */
function readingOf(context: PlanContext, { reading_uid, decided }: PlateRefinedRecord): KnownReading {
  const { facts, plan, gateway } = context;
  const planned = plan.readings.find(({ row }) => row.uid === reading_uid);
  const known = planned === undefined ? facts.refinable.get(reading_uid) : { reading: planned, session_id: null };
  if (known === undefined) {
    const early = tooEarly(context, reading_uid);
    // One that was decided travels in its reading's own lane, behind it.
    throw decided === null ? early : new UnusableRecord(`reading ${reading_uid} never came`);
  }
  const { row } = known.reading;
  if (row.gateway_id !== gateway.id || row.lot_id !== gateway.lot_id) {
    throw new UnusableRecord(`reading ${reading_uid} is of another gateway or lot`);
  }
  return known;
}

/** Lanes overtake each other: an earlier refinement changes nothing of a later one. What a person corrected stays. */
function refinedRow(context: PlanContext, payload: PlateRefinedRecord, before: Row): Row {
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
  }
  return row;
}
