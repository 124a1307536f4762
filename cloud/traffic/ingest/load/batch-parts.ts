/**
 * The lots of a batch's records. The cameras, places, parking gateways and pictures that a record names tell in which lot it was made:
 * while a gateway is offline, its lot may be deleted, or the gateway moved, and it goes on in its old lot until it hears of that. So the
 * times of records do not tell their lots. A gateway writes only for lots that it is or was in.
 */
import { keyBy, unique } from '../../../../shared/grouping.js';
import type { Uid } from '../../../../shared/ids.js';
import type { Logger } from '../../../../shared/logger.js';
import type { Lane, OutboxEpoch, RecordPayload, UplinkRecord } from '../../../../shared/uplink.js';
import { type BootClocks, findReadingCameras, lotsOfParkingGateways, lotsOfPlaces } from '../../../equipment/entry.js';
import type { Db } from '../../../kernel/store/entry.js';
import { cameraIdOf, parkingGatewayIdOf, placeIdOf } from '../read/payload-references.js';
import { understood, type UnderstoodRecord, type WireRecord } from '../read/wire-batch-parser.js';
import {
  type AgeBounds,
  decideEventTime,
  type EventTime,
  oldestAppliedMs,
  type PlaceTime,
} from './decide-event-time.js';
import type { DueBatch } from './find-due.js';
import type { Known, Sender } from '../known-queries.js';

/** A gateway in a lot that it is or was in. */
export interface LotGateway {
  id: number;
  account_id: number;
  lot_id: number;
}

/** Due records of a batch, one after the other, that belong to one lot. */
export interface BatchPart {
  sender: Sender;
  /** The sender in the lot of the records; null: it is and was in no lot. */
  gateway: LotGateway | null;
  epoch: OutboxEpoch;
  lane: Lane;
  /** Bounded by gateway. */
  logger: Logger;
  due: WireRecord[];
  /** Those of them that were understood. */
  records: DatedRecord[];
  /** Returns the function that converts the times of a record. */
  placing(record: UplinkRecord): PlaceTime;
  /** What bounds how old its records may be. */
  ages: AgeBounds;
  /** How many records have been given up; counted while the part is planned and applied. */
  givenUp: number;
}

export interface DatedRecord {
  uid: Uid;
  payload: RecordPayload;
  /** When its event was, as the cloud determined it. */
  time: EventTime;
}

interface Clocks {
  bootClocks: BootClocks;
  /** Wall milliseconds of the cloud. */
  now: number;
}

/** What a new lot has; it counts for one that was deleted since. */
const AUTONOMY_DAYS = 31;

/** Cuts the due records of batches into parts. Nearly always a batch is one part. */
export async function partsOfBatches(
  db: Db,
  known: Known,
  { batches, ...clocks }: Clocks & { batches: readonly DueBatch[] },
): Promise<BatchPart[]> {
  const lotsOf = ({ sender }: DueBatch): number[] => known.lots.get(sender.id) ?? [];
  const moved = batches.filter((batch) => lotsOf(batch).length > 1);
  const findLot = await lotFinder(
    db,
    known,
    moved.flatMap(({ due }) => due),
  );
  return batches.flatMap((batch) => {
    const { sender, isFormer, key, logger } = batch;
    const { epoch, lane } = key;
    return lotsOfRecords(batch, lotsOf(batch), findLot).map(({ lot_id, due }): BatchPart => {
      const autonomy_days = known.autonomyDays.get(lot_id ?? 0) ?? AUTONOMY_DAYS;
      // The claim is that of the present device.
      const claimed_ms = isFormer ? null : sender.device_since;
      const ages = { autonomy_days, claimed_ms, cloud_ms: clocks.now };
      const placing = (record: UplinkRecord) =>
        timePlacer({ ...clocks, oldest_ms: oldestAppliedMs(ages) }, sender, record);
      const gateway = lot_id === null ? null : { id: sender.id, account_id: sender.account_id, lot_id };
      const records = understood(due).map((each) => dated(each, placing(each.record)));
      return { sender, gateway, epoch, lane, logger, due, records, placing, ages, givenUp: 0 };
    });
  });
}

/** A record that names nothing of the gateway's lots belongs to the lot of the record before it. */
function lotsOfRecords(
  { due }: DueBatch,
  lots: readonly number[],
  findLot: FindLot,
): { lot_id: number | null; due: WireRecord[] }[] {
  if (due.length === 0) return [];
  const [first = null] = lots;
  if (first === null || lots.length === 1) return [{ lot_id: first, due }];
  const parts: { lot_id: number; due: WireRecord[] }[] = [];
  for (const record of due) {
    const named = findLot(record);
    const last = parts.at(-1);
    const lot_id = named !== undefined && lots.includes(named) ? named : (last?.lot_id ?? first);
    if (last?.lot_id === lot_id) last.due.push(record);
    else parts.push({ lot_id, due: [record] });
  }
  return parts;
}

/** Finds the lot of what a record names; undefined: it names nothing that has a lot. */
type FindLot = (record: WireRecord) => number | undefined;

async function lotFinder(db: Db, { images }: Known, due: readonly WireRecord[]): Promise<FindLot> {
  if (due.length === 0) return () => undefined;
  const idsBy = (idOf: (payload: RecordPayload) => number | null): number[] =>
    unique(understood(due).flatMap(({ payload }) => idOf(payload) ?? []));
  const cameras = keyBy(await findReadingCameras(db, idsBy(cameraIdOf)), ({ id }) => id);
  const places = keyBy(await lotsOfPlaces(db, idsBy(placeIdOf)), ({ id }) => id);
  const parkingGateways = keyBy(await lotsOfParkingGateways(db, idsBy(parkingGatewayIdOf)), ({ id }) => id);
  return ({ uid, parsed }) => {
    if ('problem' in parsed) return undefined;
    const { payload } = parsed;
    const named =
      cameras.get(cameraIdOf(payload) ?? 0) ??
      places.get(placeIdOf(payload) ?? 0) ??
      parkingGateways.get(parkingGatewayIdOf(payload) ?? 0) ??
      (payload.kind === 'image' ? images.get(uid) : undefined);
    return named?.lot_id;
  };
}

/** Returns the function that converts times of the wall clock by which a record was made. */
function timePlacer(
  { bootClocks, now, oldest_ms }: Clocks & { oldest_ms: number },
  { id }: Sender,
  record: UplinkRecord,
): PlaceTime {
  const facts = {
    clock_ok: record.clock_ok,
    mono_ms: record.mono_ms,
    boot_began_ms: bootClocks.beganMs(id, record.boot_id),
    present_boot_began_ms: bootClocks.presentBeganMs(id),
    cloud_ms: now,
    made_ms: record.wall_ms,
    oldest_ms,
  };
  return (event_ms, time_source) => decideEventTime({ ...facts, event_ms, time_source });
}

function dated({ record: { uid, wall_ms }, payload }: UnderstoodRecord, placeTime: PlaceTime): DatedRecord {
  if (payload.kind !== 'plate_read' && payload.kind !== 'plate_refined') {
    return { uid, payload, time: placeTime(wall_ms, 'device') };
  }
  // The time of a refinement is that of its reading, which was judged.
  const time_source = payload.kind === 'plate_read' ? payload.reading.time_source : 'device';
  return { uid, payload, time: placeTime(payload.reading.event_ms, time_source) };
}
