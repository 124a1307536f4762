/** What the payload of a record refers to: the things that have to be loaded before the record is planned. */
import type { TimeSource } from '../../../../shared/decide-device-time.js';
import type { PlateReadRecord, PlateRefinedRecord, RecordPayload } from '../../../../shared/uplink.js';

/** Returns the plate read whose decision a record carries; null for a record without one. */
export function decidedReadOf(payload: RecordPayload): PlateReadRecord | null {
  if (payload.kind === 'plate_read') return payload;
  return payload.kind === 'plate_refined' ? decidedAgain(payload) : null;
}

/** Returns the refined read as if the camera had read it so at once; null if the first decision stands. */
export function decidedAgain({ reading, decided }: PlateRefinedRecord): PlateReadRecord | null {
  return decided === null ? null : { kind: 'plate_read', reading, ...decided };
}

/**
 * Whether the gateway let the vehicle out, with a session or without: it may have been cut off from the gateway that let the
 * vehicle in.
 */
export const isAdmittedExit = ({ reading, lot_entry }: PlateReadRecord): boolean =>
  reading.direction === 'out' && lot_entry?.is_allowed === true;

/** Returns the uids, besides a record's own, that delivery is compared by: those of announced pictures and of the reading. */
export function uidsNamedBy(payload: RecordPayload): readonly string[] {
  switch (payload.kind) {
    case 'plate_read':
      return payload.reading.images.map(({ uid }) => uid);
    case 'sighting':
      return payload.images.map(({ uid }) => uid);
    case 'opening_result':
      return [payload.reading_uid];
    default:
      return [];
  }
}

/** Returns the product that a read had opened, or is to open; null for none. */
export const openedProductOf = (payload: RecordPayload): number | null =>
  payload.kind === 'opening_result' ? payload.product_id : (decidedReadOf(payload)?.opening?.product_id ?? null);

export function cameraIdOf(payload: RecordPayload): number | null {
  const read = decidedReadOf(payload);
  if (read !== null) return read.reading.lpr_camera_id;
  if (payload.kind === 'plate_refined') return payload.reading.lpr_camera_id;
  return payload.kind === 'sighting' ? payload.lpr_camera_id : null;
}

export function zoneIdOf(payload: RecordPayload): number | null {
  const read = decidedReadOf(payload);
  if (read !== null) return read.reading.zone_id;
  return payload.kind === 'sighting' ? payload.zone_id : null;
}

export const placeIdOf = (payload: RecordPayload): number | null =>
  payload.kind === 'place_change' ? payload.parking_place_id : null;

export const parkingGatewayIdOf = (payload: RecordPayload): number | null =>
  payload.kind === 'parking_gateway_status' ? payload.parking_gateway_id : null;

export const refinedUidOf = (payload: RecordPayload): string | null =>
  payload.kind === 'plate_refined' ? payload.reading_uid : null;

/** Returns the uid of the refused reading whose vehicle a person let through at the gateway itself; null for none. */
export const letThroughUidOf = (payload: RecordPayload): string | null =>
  payload.kind === 'local_action' && payload.action === 'let_in' && payload.outcome === 'succeeded'
    ? payload.reading_uid
    : null;

/** Whether other records may wait for a record of this kind: only reads and sightings announce pictures and are refined. */
export const announcesOthers = ({ kind }: RecordPayload): boolean => kind === 'plate_read' || kind === 'sighting';

/**
 * Returns when the event of a record was, by the gateway's clock, and whose time that is; null: the record is about something that the cloud
 * has, which has its own time.
 */
export function eventOf(payload: RecordPayload): { event_ms: number; time_source?: TimeSource | undefined } | null {
  switch (payload.kind) {
    case 'plate_read':
      return payload.reading;
    case 'sighting':
    case 'place_change':
      return payload;
    case 'parking_gateway_status':
      return { event_ms: payload.event_ms };
    default:
      return null;
  }
}
