/** Plans one record's payload as a whole, or throws the reason why it cannot. */
import type { RecordPayload } from '../../../../shared/uplink.js';
import type { OpeningOutcome } from './batch-plan.js';
import {
  countOfCamera,
  type DirectPayload,
  type RecordContext,
  requireCamera,
  tooEarly,
  UnusableRecord,
} from './context.js';
import { checkImagesAreNew, planImage, planImages } from './plan-images.js';
import { planPlateRead } from './plan-plate-read.js';
import { planRefinement } from './plan-refinement.js';

type PayloadOf<Kind extends RecordPayload['kind']> = Extract<RecordPayload, { kind: Kind }>;

/** Plans a record of a subject. The caller keeps losses, which are about the delivery itself. */
export function planRecord(
  context: RecordContext,
  payload: Exclude<RecordPayload, { kind: 'lost' } | DirectPayload>,
): void {
  switch (payload.kind) {
    case 'plate_read':
      return planPlateRead(context, payload);
    case 'plate_refined':
      return planRefinement(context, payload);
    case 'opening_result':
      return planOpeningResult(context, payload);
    case 'sighting':
      return planSighting(context, payload);
    case 'image':
      return planImage(context, payload);
  }
}

function planOpeningResult(context: RecordContext, payload: PayloadOf<'opening_result'>): void {
  const { facts, plan, gateway, record } = context;
  const planned = plan.readings.get(payload.reading_uid);
  const reading = planned ?? facts.readings.get(payload.reading_uid);
  if (reading === undefined) throw tooEarly(context, payload.reading_uid);
  if (reading.gateway_id !== gateway.id) {
    throw new UnusableRecord(`reading ${payload.reading_uid} is of another gateway`);
  }
  const outcome: OpeningOutcome = {
    opening_event_id: payload.event_id,
    opening_outcome: payload.outcome,
    opening_error_type: payload.gateway_error_type,
    updated_at: context.placeTime(record.wall_ms).at_ms,
  };
  if (planned === undefined) plan.openings.push({ reading, outcome });
  else planned.row = { ...planned.row, ...outcome };
  const { product_id, outcome: ended, gateway_error_type, event_id } = payload;
  // A product that was removed since, or is of somebody else, has no openings.
  if (facts.products.get(product_id)?.account_id !== gateway.account_id) return;
  const { id: gateway_id, account_id, lot_id } = gateway;
  plan.movements.set(reading, {
    account_id,
    lot_id,
    product_id,
    gateway_id,
    event_id,
    operation: 'open',
    cause: payload.is_on_site === true ? 'on_site' : 'camera',
    outcome: ended,
    error_type: gateway_error_type === null ? null : `${gateway_error_type}`,
    at: outcome.updated_at,
  });
}

function planSighting(context: RecordContext, payload: PayloadOf<'sighting'>): void {
  const { plan, gateway, record } = context;
  const { account_id, lot_id } = gateway;
  requireCamera(context, payload);
  checkImagesAreNew(context, payload.images);
  const created_at = context.placeTime(payload.event_ms, payload.time_source).at_ms;
  const { zone_id, lpr_camera_id, direction } = payload;
  countOfCamera(context, { lpr_camera_id, at_ms: created_at, counts: 'unreadable_count' });
  plan.sightings.push({ uid: record.uid, account_id, lot_id, zone_id, lpr_camera_id, direction, created_at });
  planImages(context, { images: payload.images, created_at });
}
