/** Payload of plate_reading_create and plate_reading_update (specification, "Events"). */
import type { PlateReadingEvent } from '../../shared/events/event-schemas.js';
import type { Row } from '../store/schema.js';
import { imageLinks, type ReadingImages } from './reading-images-payload.js';

/** The keys of a reading in REST: a reading made over REST has no camera. */
export type PlateReadingKeys = {
  [Key in keyof PlateReadingEvent]: Key extends 'lpr_camera_id' | 'plate_side' | 'lpr_camera_direction'
    ? PlateReadingEvent[Key] | null
    : PlateReadingEvent[Key];
};

export function plateReadingKeys(reading: Row<'plate_readings'>, images: ReadingImages): PlateReadingKeys {
  return {
    id: reading.id,
    plate: reading.plate,
    confidence: reading.confidence,
    ...imageLinks(images),
    direction: reading.direction,
    type: reading.type as PlateReadingKeys['type'],
    make: reading.make,
    color: reading.color,
    model: reading.model,
    country_code: reading.country_code,
    session_id: reading.session_id,
    access_decision: reading.access_decision,
    access_decision_reason: reading.access_decision_reason as PlateReadingKeys['access_decision_reason'],
    lpr_camera_id: reading.lpr_camera_id,
    zone_id: reading.zone_id,
    plate_side: reading.plate_side as PlateReadingKeys['plate_side'],
    lpr_camera_direction: reading.lpr_camera_direction as PlateReadingKeys['lpr_camera_direction'],
    created_at: new Date(reading.created_at).toISOString(),
    updated_at: new Date(reading.updated_at).toISOString(),
  };
}

/** As the camera read it: decision and session are not known yet. */
export function plateReadingCreated(reading: Row<'plate_readings'>, images: ReadingImages): PlateReadingEvent {
  return {
    ...plateReadingUpdated(reading, images),
    session_id: null,
    access_decision: null,
    access_decision_reason: null,
  };
}

/** As it stands now. A reading without a camera has no events. */
export function plateReadingUpdated(reading: Row<'plate_readings'>, images: ReadingImages): PlateReadingEvent {
  const keys = plateReadingKeys(reading, images);
  const { lpr_camera_id, plate_side, lpr_camera_direction } = keys;
  if (lpr_camera_id === null || plate_side === null || lpr_camera_direction === null) {
    throw new Error(`plate reading ${reading.id} was not made by a camera and has no event`);
  }
  return { ...keys, lpr_camera_id, plate_side, lpr_camera_direction };
}
