/** Applies one record's payload: all of it, or nothing and why. */
import { recordPayloadSchema, type RecordPayload } from '../../shared/uplink.js';
import {
  findImage,
  findReadingByUid,
  insertImages,
  insertSighting,
  isZoneOfLot,
  findReadingCamera,
  saveImageArrived,
  saveOpeningOutcome,
} from '../store/queries/plate-readings.js';
import { deadLetterReason } from '../store/queries/ingest.js';
import { applyPlateRead } from './apply-plate-read.js';
import { RecordTooEarly, UnusableRecord, type RecordContext } from './record-context.js';

type PayloadOf<Kind extends RecordPayload['kind']> = Extract<RecordPayload, { kind: Kind }>;

/** Throws UnusableRecord for one this cloud does not understand. */
export function parsePayload(payload: unknown): RecordPayload {
  const parsed = recordPayloadSchema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new UnusableRecord(`payload not understood: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}

/** Losses are no domain change: the caller keeps them with the cursor they belong to. */
export async function applyRecord(
  context: RecordContext,
  payload: Exclude<RecordPayload, { kind: 'lost' }>,
): Promise<void> {
  switch (payload.kind) {
    case 'plate_read':
      return applyPlateRead(context, payload);
    case 'opening_result':
      return applyOpeningResult(context, payload);
    case 'sighting':
      return applySighting(context, payload);
    case 'image':
      return applyImage(context, payload);
    case 'command_result':
      return applyCommandResult(context, payload);
  }
}

async function applyCommandResult(context: RecordContext, payload: PayloadOf<'command_result'>): Promise<void> {
  const at_ms = context.placeTime(context.record.wall_ms).at_ms;
  const step = await context.takeCommandResult({ record: payload, at_ms });
  if (step === null) {
    throw new UnusableRecord(
      `no command ${payload.event_id} for product ${payload.product_id} was given to the gateway`,
    );
  }
  context.commandSteps.push(step);
}

async function applyOpeningResult(context: RecordContext, payload: PayloadOf<'opening_result'>): Promise<void> {
  const { tx, gateway, record } = context;
  const reading = await findReadingByUid(tx, payload.reading_uid);
  if (reading === undefined) return tooEarly(context, payload.reading_uid);
  if (reading.gateway_id !== gateway.id) {
    throw new UnusableRecord(`reading ${payload.reading_uid} is of another gateway`);
  }
  await saveOpeningOutcome(tx, {
    id: reading.id,
    event_id: payload.event_id,
    outcome: payload.outcome,
    error_type: payload.gateway_error_type,
    now: context.placeTime(record.wall_ms).at_ms,
  });
}

async function applySighting(context: RecordContext, payload: PayloadOf<'sighting'>): Promise<void> {
  const { tx, gateway, record } = context;
  const owner = { account_id: gateway.account_id, lot_id: gateway.lot_id };
  const camera = await findReadingCamera(tx, payload.lpr_camera_id);
  if (camera?.account_id !== gateway.account_id || camera.lot_id !== gateway.lot_id) {
    throw new UnusableRecord(`camera ${payload.lpr_camera_id} is not of the gateway's lot`);
  }
  if (!(await isZoneOfLot(tx, { id: payload.zone_id, lot_id: gateway.lot_id }))) {
    throw new UnusableRecord(`zone ${payload.zone_id} is not of the gateway's lot`);
  }
  const created_at = context.placeTime(payload.event_ms).at_ms;
  await insertSighting(tx, {
    uid: record.uid,
    ...owner,
    zone_id: payload.zone_id,
    lpr_camera_id: payload.lpr_camera_id,
    direction: payload.direction,
    created_at,
  });
  await insertImages(
    tx,
    payload.images.map(({ uid, role }) => ({
      uid,
      ...owner,
      owner_uid: record.uid,
      role,
      created_at,
      arrived_at: null,
    })),
  );
}

/** The bytes were put into the image store before; here they become visible. */
async function applyImage(context: RecordContext, payload: PayloadOf<'image'>): Promise<void> {
  const { tx, gateway, record } = context;
  const image = await findImage(tx, record.uid);
  if (image === undefined) return tooEarly(context, payload.owner_uid);
  if (image.owner_uid !== payload.owner_uid || image.lot_id !== gateway.lot_id) {
    throw new UnusableRecord(`picture ${record.uid} was not announced by ${payload.owner_uid}`);
  }
  await saveImageArrived(tx, { uid: record.uid, now: context.now });
}

/** Parks the record, unless what it waits for was given up. */
async function tooEarly(context: RecordContext, waits_for_uid: string): Promise<never> {
  const reason = await deadLetterReason(context.tx, { gateway_id: context.gateway.id, uid: waits_for_uid });
  if (reason !== undefined) throw new UnusableRecord(`belongs to ${waits_for_uid}, which was given up: ${reason}`);
  throw new RecordTooEarly(waits_for_uid);
}
