/** Plans one record's payload as a whole, or throws the reason why it cannot. */
import { type RecordPayload, recordPayloadSchema } from '../../../shared/uplink.js';
import type { OpeningOutcome } from './batch-plan.js';
import type { DirectPayload } from './direct-record.js';
import { countOfCamera } from './camera-counts.js';
import { type PlanContext, tooEarly } from './plan-context.js';
import { checkImagesAreNew, planImage, planImages } from './plan-images.js';
import { planPlateRead } from './plan-plate-read.js';
import { planRefinement } from './plan-refinement.js';
import { UnusableRecord } from './unusable-record.js';

type PayloadOf<Kind extends RecordPayload['kind']> = Extract<RecordPayload, { kind: Kind }>;

/** Parses a payload. Throws UnusableRecord for one that this cloud does not understand. */
export function parsePayload(payload: unknown): RecordPayload {
  const parsed = recordPayloadSchema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UnusableRecord(`payload not understood: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}

/** Plans a record. Losses change no subject, so the caller keeps them with their cursor. */
export function planRecord(
  context: PlanContext,
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

function planOpeningResult(context: PlanContext, payload: PayloadOf<'opening_result'>): void {
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
}

function planSighting(context: PlanContext, payload: PayloadOf<'sighting'>): void {
  const { facts, plan, gateway, record } = context;
  const owner = { account_id: gateway.account_id, lot_id: gateway.lot_id };
  const camera = facts.cameras.get(payload.lpr_camera_id);
  if (camera?.account_id !== gateway.account_id || camera.lot_id !== gateway.lot_id) {
    throw new UnusableRecord(`camera ${payload.lpr_camera_id} is not of the gateway's lot`);
  }
  if (facts.lotsOfZones.get(payload.zone_id) !== gateway.lot_id) {
    throw new UnusableRecord(`zone ${payload.zone_id} is not of the gateway's lot`);
  }
  checkImagesAreNew(context, payload.images);
  const created_at = context.placeTime(payload.event_ms, payload.time_source).at_ms;
  const { zone_id, lpr_camera_id, direction } = payload;
  countOfCamera(context, { lpr_camera_id: payload.lpr_camera_id, at_ms: created_at, counts: 'unreadable_count' });
  plan.sightings.push({ uid: record.uid, ...owner, zone_id, lpr_camera_id, direction, created_at });
  planImages(context, { images: payload.images, created_at });
}
