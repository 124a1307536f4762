/** What the records of a batch are planned with. */
import type { RecordPayload, UplinkRecord } from '../../../../shared/uplink.js';
import { type CameraCounts, dayIn, NO_COUNTS, type ReadingCamera } from '../../../equipment/entry.js';
import type { BatchPart, LotGateway } from '../load/batch-parts.js';
import type { PlaceTime } from '../load/decide-event-time.js';
import { type BatchFacts, givenUpKey, type PlanMemory } from '../load/facts.js';
import type { BatchPlan, PlannedEvent } from './batch-plan.js';

/** The facts by which the records of a part are planned. All but the part itself is that of the whole transaction. */
export interface PartContext {
  part: BatchPart;
  facts: BatchFacts;
  memory: PlanMemory;
  plan: BatchPlan;
  /** Records that are applied one by one, after the plan was written. */
  direct: DirectRecord[];
  /** Wall milliseconds of the cloud. */
  now: number;
  /** 10 characters, A-Z and 0-9. */
  generatePublicId(): string;
}

/** The facts by which one record of a part is planned and applied. */
export interface RecordContext extends PartContext {
  /** The gateway that sent the record, in the lot that the record belongs to. */
  gateway: LotGateway;
  record: UplinkRecord;
  placeTime: PlaceTime;
}

const DIRECT_KINDS = [
  'place_change',
  'parking_gateway_status',
  'command_result',
  'pairing_offer',
  'local_action',
] as const;

/** Payloads that are too rare to be planned: each is applied by queries and statements of its own. */
export type DirectPayload = Extract<RecordPayload, { kind: (typeof DIRECT_KINDS)[number] }>;

export interface DirectRecord {
  context: RecordContext;
  payload: DirectPayload;
}

export function isDirect(payload: RecordPayload): payload is DirectPayload {
  return DIRECT_KINDS.some((kind) => kind === payload.kind);
}

/** The record can never be applied and becomes a dead letter. Thrown before anything of the record is planned or written. */
export class UnusableRecord extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnusableRecord';
  }
}

/** The record names a uid that is not here yet: it is stored as early. Thrown before anything of the record is planned. */
export class RecordTooEarly extends Error {
  readonly waits_for_uid: string;

  constructor(waits_for_uid: string) {
    super(`waits for ${waits_for_uid}`);
    this.name = 'RecordTooEarly';
    this.waits_for_uid = waits_for_uid;
  }
}

/** Builds the error for a record that names a missing uid: it is early, unless the record that it waits for was given up. */
export function tooEarly({ memory, gateway }: RecordContext, waits_for_uid: string): RecordTooEarly | UnusableRecord {
  const reason = memory.givenUp.get(givenUpKey(gateway.id, waits_for_uid));
  if (reason === undefined) return new RecordTooEarly(waits_for_uid);
  return new UnusableRecord(`belongs to ${waits_for_uid}, which was given up: ${reason}`);
}

/** Finds the camera of a read or a sighting. @throws UnusableRecord when camera or zone are not of the gateway's lot */
export function requireCamera(
  { facts, gateway }: RecordContext,
  { lpr_camera_id, zone_id }: { lpr_camera_id: number; zone_id: number },
): ReadingCamera {
  const camera = facts.cameras.get(lpr_camera_id);
  if (camera?.account_id !== gateway.account_id || camera.lot_id !== gateway.lot_id) {
    throw new UnusableRecord(`camera ${lpr_camera_id} is not of the gateway's lot`);
  }
  if (facts.lotsOfZones.get(zone_id) !== gateway.lot_id) {
    throw new UnusableRecord(`zone ${zone_id} is not of the gateway's lot`);
  }
  return camera;
}

/** Adds an event of the gateway's lot. */
export function addEvent({ plan, gateway: { account_id, lot_id } }: RecordContext, build: PlannedEvent['build']): void {
  plan.events.push({ owner: { account_id, lot_id }, build });
}

/** Counts a record for the day of its camera, at the time of its event. A camera that was deleted since has no days. */
export function countOfCamera(
  { facts, plan }: RecordContext,
  { lpr_camera_id, at_ms, counts }: { lpr_camera_id: number | null; at_ms: number; counts: keyof CameraCounts },
): void {
  const timezone = lpr_camera_id === null ? null : facts.cameras.get(lpr_camera_id)?.timezone;
  if (lpr_camera_id === null || typeof timezone !== 'string') return;
  const day = dayIn(timezone, at_ms);
  const key = `${lpr_camera_id} ${day}`;
  let counted = plan.cameraCounts.get(key);
  if (counted === undefined) plan.cameraCounts.set(key, (counted = { lpr_camera_id, day, ...NO_COUNTS }));
  counted[counts] += 1;
}
