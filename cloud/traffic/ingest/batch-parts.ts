/**
 * The lots of a batch's records. The cameras, places, parking gateways and pictures that a record names tell in which lot it was made:
 * while a gateway was offline, its lot may have been deleted, or it was moved. It goes on in its old lot until it hears of that, so that
 * the times of the records tell nothing. A gateway writes only for lots that it is or was in.
 */
import type { RecordPayload } from '../../../shared/uplink.js';
import { findReadingCameras, lotsOfParkingGateways, lotsOfPlaces } from '../../equipment/entry.js';
import type { Db } from '../../kernel/entry.js';
import { cameraIdOf } from './batch-facts.js';
import { byKey, unique } from './distinct.js';
import type { IngestGateway } from './ingest-facts.js';
import type { Known, Sender } from './known-queries.js';
import type { DueRecord } from './plan-batch.js';

/** Records one after the other that belong to one lot. */
export interface BatchPart {
  /** null: the gateway is and was in no lot. */
  place: IngestGateway | null;
  due: DueRecord[];
}

/** What came of a batch. */
interface DueBatch {
  gateway: Sender;
  due: DueRecord[];
}

/**
 * Nearly always a batch is one part. A record that names nothing of the gateway's lots belongs to the lot of the one before.
 * @returns the parts of each batch
 */
export async function partsOfBatches(db: Db, known: Known, batches: readonly DueBatch[]): Promise<BatchPart[][]> {
  const lotsOf = ({ gateway }: DueBatch): number[] => known.lots.get(gateway.id) ?? [];
  const moved = batches.filter((batch) => lotsOf(batch).length > 1);
  const findLot = await lotFinder(
    db,
    known,
    moved.flatMap(({ due }) => due),
  );
  return batches.map((batch) => partsOf(batch, lotsOf(batch), findLot));
}

function partsOf({ gateway, due }: DueBatch, lots: readonly number[], findLot: FindLot): BatchPart[] {
  const { id, account_id } = gateway;
  const [first] = lots;
  if (first === undefined) return [{ place: null, due }];
  if (lots.length === 1) return [{ place: { id, account_id, lot_id: first }, due }];

  const parts: { place: IngestGateway; due: DueRecord[] }[] = [];
  for (const record of due) {
    const named = findLot(record);
    const last = parts.at(-1);
    const lot_id = named !== undefined && lots.includes(named) ? named : (last?.place.lot_id ?? first);
    if (last?.place.lot_id === lot_id) last.due.push(record);
    else parts.push({ place: { id, account_id, lot_id }, due: [record] });
  }
  return parts;
}

/** Finds the lot of what a record names; undefined: it names nothing that tells. */
type FindLot = (record: DueRecord) => number | undefined;

async function lotFinder(db: Db, { images }: Known, due: DueRecord[]): Promise<FindLot> {
  if (due.length === 0) return () => undefined;
  const payloads = due.flatMap(({ read }) => ('problem' in read ? [] : [read.payload]));
  const cameras = byKey(await findReadingCameras(db, idsOf(payloads, cameraIdOf)), ({ id }) => id);
  const places = byKey(await lotsOfPlaces(db, idsOf(payloads, placeIdOf)), ({ id }) => id);
  const parkingGateways = byKey(await lotsOfParkingGateways(db, idsOf(payloads, parkingGatewayIdOf)), ({ id }) => id);
  return ({ wire, read }) => {
    if ('problem' in read) return undefined;
    const { payload } = read;
    const named =
      cameras.get(cameraIdOf(payload) ?? 0) ??
      places.get(placeIdOf(payload) ?? 0) ??
      parkingGateways.get(parkingGatewayIdOf(payload) ?? 0) ??
      (payload.kind === 'image' ? images.get(wire.uid) : undefined);
    return named?.lot_id;
  };
}

const idsOf = (payloads: RecordPayload[], idOf: (payload: RecordPayload) => number | null): number[] =>
  unique(payloads.flatMap((payload) => idOf(payload) ?? []));

const placeIdOf = (payload: RecordPayload): number | null =>
  payload.kind === 'place_change' ? payload.parking_place_id : null;

const parkingGatewayIdOf = (payload: RecordPayload): number | null =>
  payload.kind === 'parking_gateway_status' ? payload.parking_gateway_id : null;
