/** A plate read with its decision, its session and its lot entry: the richest record, and the one nothing may lose. */
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import type { PlateReadRecord } from '../../shared/uplink.js';
import { lprEvent, type RelatedLotEntry } from '../lpr/lot-entry-payload.js';
import { plateReadingCreated, plateReadingUpdated } from '../lpr/plate-reading-payload.js';
import { readingImages, type ReadingImages } from '../lpr/reading-images-payload.js';
import {
  findEntryOfExit,
  findReadingCamera,
  insertImages,
  insertLotEntry,
  insertPlateReading,
  isZoneOfLot,
  saveReadingSession,
  type ReadingCamera,
} from '../store/queries/plate-readings.js';
import { findProductPlace } from '../store/queries/products.js';
import type { Row } from '../store/schema.js';
import { applySessionEffect, checkSessionEffect } from './apply-session-effect.js';
import { UnusableRecord, type RecordContext } from './record-context.js';

export async function applyPlateRead(context: RecordContext, payload: PlateReadRecord): Promise<void> {
  const { tx, events, gateway } = context;
  const camera = await checkPlaces(context, payload);
  await checkSessionEffect(context, payload.session);

  const reading = await insertPlateReading(tx, readingRow(context, payload));
  const announced = payload.reading.images;
  await insertImages(
    tx,
    announced.map(({ uid, role }) => ({
      uid,
      account_id: gateway.account_id,
      lot_id: gateway.lot_id,
      owner_uid: context.record.uid,
      role,
      created_at: reading.created_at,
      arrived_at: null,
    })),
  );
  const images = readingImages(announced);
  const owner = { account_id: gateway.account_id, lot_id: gateway.lot_id };
  await events.record({ ...owner, event: 'plate_reading_create', payload: plateReadingCreated(reading, images) });
  if (reading.access_decision !== null) {
    await events.record({ ...owner, event: 'plate_reading_update', payload: plateReadingUpdated(reading, images) });
  }

  const effect = await applySessionEffect(context, { payload, reading, images });
  for (const change of effect.changes) await events.record({ ...owner, ...change });
  if (effect.session_id !== null) {
    await saveReadingSession(tx, { id: reading.id, session_id: effect.session_id });
  }
  await recordLotEntry(context, { payload, reading, images, camera, entry_reading_id: effect.entry_reading_id });
}

/** A gateway writes for its own lot only. */
async function checkPlaces(context: RecordContext, payload: PlateReadRecord): Promise<ReadingCamera> {
  const { tx, gateway } = context;
  const { lpr_camera_id, zone_id } = payload.reading;
  const camera = await findReadingCamera(tx, lpr_camera_id);
  if (camera?.account_id !== gateway.account_id || camera.lot_id !== gateway.lot_id) {
    throw new UnusableRecord(`camera ${lpr_camera_id} is not of the gateway's lot`);
  }
  if (zone_id !== camera.zone_id && !(await isZoneOfLot(tx, { id: zone_id, lot_id: gateway.lot_id }))) {
    throw new UnusableRecord(`zone ${zone_id} is not of the gateway's lot`);
  }
  if (payload.opening !== null) {
    // One that was removed meanwhile is harmless: the reading keeps the opening's event_id only.
    const product = await findProductPlace(tx, payload.opening.product_id);
    if (product !== undefined && (product.account_id !== gateway.account_id || product.lot_id !== gateway.lot_id)) {
      throw new UnusableRecord(`product ${payload.opening.product_id} is not of the gateway's lot`);
    }
  }
  return camera;
}

function readingRow(context: RecordContext, payload: PlateReadRecord) {
  const { reading } = payload;
  const time = context.placeTime(reading.event_ms);
  return {
    uid: context.record.uid,
    account_id: context.gateway.account_id,
    lot_id: context.gateway.lot_id,
    zone_id: reading.zone_id,
    gateway_id: context.gateway.id,
    lpr_camera_id: reading.lpr_camera_id,
    plate: reading.plate,
    plate_normalised: normalisePlate(reading.plate),
    raw_plate: reading.raw_plate,
    confidence: reading.confidence,
    direction: reading.direction,
    type: reading.type,
    make: reading.make,
    color: reading.color,
    model: reading.model,
    country_code: reading.country_code,
    plate_side: reading.plate_side,
    lpr_camera_direction: reading.lpr_camera_direction,
    session_id: null,
    access_decision: payload.access_decision,
    access_decision_reason: payload.access_decision_reason,
    vendor_event_id: reading.vendor_event_id,
    retransmission: reading.retransmission ? 1 : 0,
    time_estimated: time.estimated ? 1 : 0,
    opening_event_id: payload.opening?.event_id ?? null,
    opening_outcome: null,
    opening_error_type: null,
    original_plate: null,
    corrected_by: null,
    corrected_at: null,
    created_at: time.at_ms,
    updated_at: time.at_ms,
  } as const;
}

async function recordLotEntry(
  context: RecordContext,
  read: {
    payload: PlateReadRecord;
    reading: Row<'plate_readings'>;
    images: ReadingImages;
    camera: ReadingCamera;
    /** Of the session that this read ended. */
    entry_reading_id: number | null;
  },
): Promise<void> {
  const { tx, events, gateway } = context;
  const { reading, images, camera } = read;
  const { direction } = reading;
  if (read.payload.lot_entry === null || direction === 'undefined') return;
  const at = reading.created_at;
  const related: RelatedLotEntry | null =
    direction === 'in'
      ? null
      : await findEntryOfExit(tx, {
          lot_id: gateway.lot_id,
          plate_normalised: reading.plate_normalised,
          entry_reading_id: read.entry_reading_id,
          before: at,
        });
  const entry = await insertLotEntry(tx, {
    plate_reading_id: reading.id,
    account_id: gateway.account_id,
    lot_id: gateway.lot_id,
    lpr_camera_id: camera.id,
    direction,
    is_allowed: read.payload.lot_entry.is_allowed ? 1 : 0,
    related_lot_entry_id: related?.entry.id ?? null,
    duration: related === null ? null : Math.max(0, Math.floor((at - related.entry.scan_time) / 1_000)),
    scan_time: at,
    created_at: at,
    updated_at: at,
  });
  await events.record({
    account_id: gateway.account_id,
    lot_id: gateway.lot_id,
    event: 'lpr_event',
    payload: lprEvent({ entry, reading, images, camera, related }),
  });
}
