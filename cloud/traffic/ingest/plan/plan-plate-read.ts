/** Plans a plate read with its decision, its session and its lot entry. */
import { encodeJson } from '../../../../shared/json-text-codec.js';
import { normalisePlate } from '../../../../shared/plate/normalise-plate.js';
import type { PlateReadRecord } from '../../../../shared/uplink.js';
import type { ReadingCamera } from '../../../equipment/entry.js';
import { type LotEntryDetails, lprEvent } from '../../lot-entry/lot-entry-event-payload.js';
import { plateReadingCreated, plateReadingUpdated } from '../../reading/plate-reading-event-payload.js';
import { readingImages } from '../../image/reading-images-payload.js';
import { entryBefore, staySeconds } from '../../lot-entry/decide-related-entry.js';
import { addEntryOfPlate, plateKey } from '../load/facts.js';
import { idOf, type LotEntryState, type PlannedReading } from '../load/row-states.js';
import { addEvent, countOfCamera, type RecordContext, requireCamera, UnusableRecord } from './context.js';
import { checkImagesAreNew, planImages } from './plan-images.js';
import { NOT_HANDLED } from '../../reading/handled-payload.js';
import { checkSessionEffect, planSessionEffect } from './plan-session-effect.js';

export function planPlateRead(context: RecordContext, payload: PlateReadRecord): void {
  const camera = checkPlaces(context, payload);
  checkSessionEffect(context, payload.session);
  checkReadingIsNew(context);
  checkImagesAreNew(context, payload.reading.images);

  const { plan } = context;
  const reading = planReading(context, payload);
  plan.readings.set(context.record.uid, reading);
  countOfCamera(context, { lpr_camera_id: camera.id, at_ms: reading.row.created_at, counts: 'reads_count' });
  planImages(context, { images: payload.reading.images, created_at: reading.row.created_at });
  // Both events show the reading as it was read, without its session.
  const asRead = reading.row;
  const row = () => ({ ...asRead, id: idOf(reading), session_id: null });
  addEvent(context, () => ({ event: 'plate_reading_create', payload: plateReadingCreated(row(), reading.images) }));
  if (asRead.access_decision !== null) {
    addEvent(context, () => ({ event: 'plate_reading_update', payload: plateReadingUpdated(row(), reading.images) }));
  }
  planSessionEffect(context, { payload, reading });
  planLotEntry(context, { payload, reading, camera });
}

/** Uids of records are forgotten after a while, those of readings never. */
function checkReadingIsNew({ facts, record }: RecordContext): void {
  if (facts.readings.has(record.uid)) throw new UnusableRecord(`reading ${record.uid} came long ago`);
}

/** Checks that the gateway writes only for its own lot. @returns the camera */
export function checkPlaces(context: RecordContext, { reading, opening }: PlateReadRecord): ReadingCamera {
  const camera = requireCamera(context, reading);
  const { facts, gateway } = context;
  // A product that was removed or moved to another lot meanwhile is harmless: the reading keeps only the opening's event_id.
  const product = opening === null ? undefined : facts.products.get(opening.product_id);
  if (product !== undefined && product.account_id !== gateway.account_id) {
    throw new UnusableRecord(`product ${product.id} is not of the gateway's account`);
  }
  return camera;
}

function planReading(context: RecordContext, payload: PlateReadRecord): PlannedReading {
  const { reading } = payload;
  const time = context.placeTime(reading.event_ms, reading.time_source);
  return {
    id: null,
    gateway_id: context.gateway.id,
    images: readingImages(reading.images),
    session: null,
    row: {
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
      access_decision: payload.access_decision,
      access_decision_reason: payload.access_decision_reason,
      vendor_event_id: reading.vendor_event_id,
      retransmission: reading.retransmission ? 1 : 0,
      time_estimated: time.estimated ? 1 : 0,
      time_source: reading.time_source ?? null,
      opening_event_id: payload.opening?.event_id ?? null,
      opening_outcome: null,
      opening_error_type: null,
      original_plate: null,
      corrected_by: null,
      corrected_at: null,
      refinement: 0,
      ...traceColumns(context, payload),
      ...NOT_HANDLED,
      created_at: time.at_ms,
      updated_at: time.at_ms,
    },
  };
}

/** The columns that keep what a decision saw. */
export function traceColumns(
  { record, placeTime }: Pick<RecordContext, 'record' | 'placeTime'>,
  { trace }: Pick<PlateReadRecord, 'trace'>,
): Pick<PlannedReading['row'], 'decision_trace' | 'decided_at'> {
  if (trace === undefined) return { decision_trace: null, decided_at: null };
  return { decision_trace: encodeJson(trace), decided_at: placeTime(record.wall_ms).at_ms };
}

export function planLotEntry(
  context: RecordContext,
  read: { payload: PlateReadRecord; reading: PlannedReading; camera: ReadingCamera },
): void {
  const { plan, memory, gateway } = context;
  const { reading, camera } = read;
  const { direction, created_at: at, plate, make, color, model } = reading.row;
  if (read.payload.lot_entry === null || direction === 'undefined') return;
  const related = direction === 'in' ? null : entryOfExit(context, reading);
  const entry: LotEntryState = {
    id: null,
    row: {
      account_id: gateway.account_id,
      lot_id: gateway.lot_id,
      lpr_camera_id: camera.id,
      direction,
      is_allowed: read.payload.lot_entry.is_allowed ? 1 : 0,
      duration: related === null ? null : staySeconds(related.row, at),
      scan_time: at,
      created_at: at,
      updated_at: at,
    },
    reading,
    seen: { plate, make, color, model },
    images: reading.images,
    camera,
    related,
  };
  plan.lotEntries.push(entry);
  memory.entriesOfReadings.set(reading, entry);
  if (entry.row.is_allowed === 1) addEntryOfPlate(memory, reading.row, entry);
  addEvent(context, () => ({
    event: 'lpr_event',
    payload: lprEvent({
      ...viewOf(entry),
      camera,
      related: related === null ? null : { ...viewOf(related), camera: related.camera },
    }),
  }));
}

/** Finds the entry of the ended session, else the plate's last allowed lot entry, unless the vehicle left since. */
function entryOfExit({ memory }: RecordContext, { session, row }: PlannedReading): LotEntryState | null {
  const entered = session?.entry_reading ?? null;
  if (entered === null) return entryBefore(memory.entriesOfPlates.get(plateKey(row)) ?? [], row.created_at);
  const entry = memory.entriesOfReadings.get(entered);
  return entry?.row.direction === 'in' ? entry : null;
}

function viewOf(entry: LotEntryState): LotEntryDetails {
  const related_lot_entry_id = entry.related === null ? null : idOf(entry.related);
  return {
    entry: { ...entry.row, id: idOf(entry), plate_reading_id: idOf(entry.reading), related_lot_entry_id },
    reading: entry.seen,
    images: entry.images,
  };
}
