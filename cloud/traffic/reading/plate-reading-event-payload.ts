/** Payload of plate_reading_create and plate_reading_update (specification, "Events"). */
import type { PlateReadingEvent } from '../../../shared/events/event-schemas.js';
import type { Row } from '../../kernel/store/entry.js';
import { imageLinks, type ReadingImages } from '../image/reading-images-payload.js';

/** The fields of a reading in REST: one that was made over REST has no camera. */
export type PlateReadingFields = {
  [Key in keyof PlateReadingEvent]: Key extends 'lpr_camera_id' | 'plate_side' | 'lpr_camera_direction'
    ? PlateReadingEvent[Key] | null
    : PlateReadingEvent[Key];
};

export function plateReadingFields(reading: Row<'plate_readings'>, images: ReadingImages): PlateReadingFields {
  return {
    id: reading.id,
    plate: reading.plate,
    confidence: reading.confidence,
    ...imageLinks(images),
    direction: reading.direction,
    type: reading.type,
    make: reading.make,
    color: reading.color,
    model: reading.model,
    country_code: reading.country_code,
    session_id: reading.session_id,
    access_decision: reading.access_decision,
    access_decision_reason: reading.access_decision_reason,
    lpr_camera_id: reading.lpr_camera_id,
    zone_id: reading.zone_id,
    plate_side: reading.plate_side,
    lpr_camera_direction: reading.lpr_camera_direction,
    created_at: new Date(reading.created_at).toISOString(),
    updated_at: new Date(reading.updated_at).toISOString(),
  };
}

/** Payload of plate_reading_create: the reading before its decision and session are known. */
export function plateReadingCreated(reading: Row<'plate_readings'>, images: ReadingImages): PlateReadingEvent {
  return {
    ...plateReadingUpdated(reading, images),
    session_id: null,
    access_decision: null,
    access_decision_reason: null,
  };
}

/**
 * Payload of plate_reading_update: the reading as it is now.
 * @throws Error for a reading without a camera, which has no events
 */
export function plateReadingUpdated(reading: Row<'plate_readings'>, images: ReadingImages): PlateReadingEvent {
  const fields = plateReadingFields(reading, images);
  const { lpr_camera_id, plate_side, lpr_camera_direction } = fields;
  if (lpr_camera_id === null || plate_side === null || lpr_camera_direction === null) {
    throw new Error(`plate reading ${reading.id} was not made by a camera and has no event`);
  }
  return { ...fields, lpr_camera_id, plate_side, lpr_camera_direction };
}
