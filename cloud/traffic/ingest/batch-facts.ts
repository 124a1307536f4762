/** Loads everything that the records of a batch name by a few statements, before anything is planned. */
import { pushTo } from '../../../shared/grouping.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { Uid } from '../../../shared/ids.js';
import type { PlateReadRecord, RecordPayload } from '../../../shared/uplink.js';
import { findProductPlaces, findReadingCameras } from '../../equipment/entry.js';
import { imagesOfOwners } from '../image/image-queries.js';
import { type KnownLotEntry, lotEntriesOfExits, type PlateBefore } from '../lot-entry/lot-entry-queries.js';
import { findWholeReadings } from '../reading/reading-queries.js';
import type { Db } from '../../kernel/entry.js';
import { lotsOfZones } from '../../site/entry.js';
import type { LotEntryState, Numbered, SessionState } from './batch-plan.js';
import type { EventTime } from './decide-event-time.js';
import { decidedRead } from './decided-read.js';
import { byKey, unique } from './distinct.js';
import {
  type BatchFacts,
  givenUpKey,
  type IngestGateway,
  type KnownReading,
  plateKey,
  type ReadFacts,
} from './ingest-facts.js';
import { countEarlyRecordsOf, deadLetterReasons } from './ingest-queries.js';
import type { Known } from './known-queries.js';
import { loadSessions, sessionsOfPlateInLot } from './session-facts.js';

/** A record of the batch, or one that waited for it. */
export interface FactsFor {
  uid: Uid;
  payload: RecordPayload;
  /** When a plate was read, as the cloud determined it. */
  time: EventTime;
}

const emptyFacts = ({ readings, images }: Known): BatchFacts => ({
  cameras: new Map(),
  lotsOfZones: new Map(),
  products: new Map(),
  sessions: new Map(),
  sessionsOfPlate: new Map(),
  exitsOfPlates: new Map(),
  zoneTariffs: new Map(),
  memberTariffs: [],
  readings,
  refinable: new Map(),
  images,
  entriesOfReadings: new Map(),
  entriesOfPlates: new Map(),
  early: new Map(),
  earlyCounts: new Map(),
  givenUp: new Map(),
});

/** Records of one lot. */
export interface FactsPart {
  /** null: the gateway is and was in no lot, and its records need no facts. */
  place: IngestGateway | null;
  records: readonly FactsFor[];
}

/** A record with the place that it belongs to. */
type Placed = FactsFor & { gateway: IngestGateway };

/** Loads the facts of all parts at once: how many statements that takes does not depend on how many parts there are. */
export async function loadFacts(tx: Db, known: Known, parts: readonly FactsPart[]): Promise<BatchFacts> {
  const facts = emptyFacts(known);
  const all = parts.flatMap(({ place: gateway, records }) =>
    gateway === null ? [] : records.map((record): Placed => ({ ...record, gateway })),
  );
  if (all.length === 0) return facts;
  await loadPlaces(tx, facts, all);
  const reads = all.flatMap(({ payload, time, gateway: { lot_id } }) => {
    const read = decidedReadOf(payload);
    return read === null ? [] : [{ payload: read, time, lot_id }];
  });
  await loadSessions(tx, facts, reads);
  await loadLotEntries(tx, facts, reads);
  facts.refinable = await refinableReadings(tx, unique(all.flatMap(({ payload }) => refinedUidOf(payload))));
  // Only reads and sightings announce what others wait for.
  for (const { uid, payload } of all) {
    const waiting = ownsOthers(payload) ? known.early.get(uid) : undefined;
    if (waiting !== undefined) facts.early.set(uid, waiting);
  }
  await loadWaiting(tx, facts, all);
  return facts;
}

async function loadPlaces(db: Db, facts: BatchFacts, all: readonly Placed[]): Promise<void> {
  const cameraIds = unique(all.flatMap(({ payload }) => cameraIdOf(payload) ?? []));
  facts.cameras = byKey(await findReadingCameras(db, cameraIds), ({ id }) => id);
  // Nearly always the zone of a read is that of its camera.
  for (const { zone_id, lot_id, timezone } of facts.cameras.values()) {
    if (timezone !== undefined) facts.lotsOfZones.set(zone_id, lot_id);
  }
  const zoneIds = unique(all.flatMap(({ payload }) => zoneIdOf(payload) ?? []));
  const others = zoneIds.filter((id) => !facts.lotsOfZones.has(id));
  for (const { id, lot_id } of await lotsOfZones(db, others)) facts.lotsOfZones.set(id, lot_id);
  const productIds = unique(all.flatMap(({ payload }) => decidedReadOf(payload)?.opening?.product_id ?? []));
  facts.products = byKey(await findProductPlaces(db, productIds), ({ id }) => id);
}

/** Loads the lot entries that exits may belong to. */
async function loadLotEntries(db: Db, facts: BatchFacts, reads: readonly ReadFacts[]): Promise<void> {
  const begun = new Set(reads.flatMap(({ payload }) => begunUidOf(payload) ?? []));
  const references = new Map<number, Numbered>();
  const plates: PlateBefore[] = [];
  for (const { payload, time, lot_id } of reads) {
    if (payload.reading.direction !== 'out' || payload.lot_entry === null) continue;
    const named = payload.session?.effect === 'end' ? payload.session.session_uid : null;
    if (named !== null && begun.has(named)) continue;
    const plate = { lot_id, plate_normalised: normalisePlate(payload.reading.plate) };
    const ended = sessionsOfExit(facts, { plate, named, time });
    for (const { entry_reading } of ended) {
      if (entry_reading !== null && entry_reading.id !== null) references.set(entry_reading.id, entry_reading);
    }
    // This is rare: no session is known, because the plate is whitelisted or a gateway was cut off.
    if (ended.every(({ entry_reading }) => entry_reading === null)) plates.push({ ...plate, before: time.at_ms });
  }
  const entries = await lotEntriesOfExits(db, { reading_ids: [...references.keys()], plates });
  for (const known of entries) {
    const { plate_reading_id, lot_id } = known.entry;
    const reading = references.get(plate_reading_id);
    if (reading !== undefined) facts.entriesOfReadings.set(reading, knownLotEntry(known, reading));
    else
      addEntryOfPlate(facts, plateKey(lot_id, known.plate_normalised), knownLotEntry(known, { id: plate_reading_id }));
  }
}

/** Finds which of the known sessions an exit may end. */
function sessionsOfExit(
  facts: BatchFacts,
  exit: { plate: { lot_id: number; plate_normalised: string }; named: string | null; time: EventTime },
): SessionState[] {
  const named = exit.named === null ? undefined : facts.sessions.get(exit.named);
  const open = sessionsOfPlateInLot(facts, exit.plate).filter(({ row }) => row.ended_at === null);
  const begun = open.filter(({ row }) => exit.time.estimated || row.created_at <= exit.time.at_ms);
  return named === undefined ? begun : [named, ...begun];
}

/** @param key of `plateKey` */
export function addEntryOfPlate(facts: BatchFacts, key: string, entry: LotEntryState): void {
  pushTo(facts.entriesOfPlates, key, entry);
}

function knownLotEntry({ entry, reading, images, camera }: KnownLotEntry, reference: Numbered): LotEntryState {
  const { id, plate_reading_id: _reading, related_lot_entry_id: _related, ...row } = entry;
  return { id, row, reading: reference, seen: reading, images, camera, related: null };
}

/** Loads how many records wait already, and why what records wait for was given up. */
async function loadWaiting(db: Db, facts: BatchFacts, all: readonly Placed[]): Promise<void> {
  const here = new Set(all.map(({ uid, gateway }) => givenUpKey(gateway.id, uid)));
  const missing = all.flatMap(({ uid, payload, gateway }) => {
    const awaited = awaitedUidOf(facts, { uid, payload });
    if (awaited === null || here.has(givenUpKey(gateway.id, awaited))) return [];
    const isKnown = facts.readings.has(awaited) || facts.refinable.has(awaited);
    return isKnown ? [] : [{ gateway_id: gateway.id, uid: awaited }];
  });
  const waits = all.filter(({ uid, payload }) => awaitedUidOf(facts, { uid, payload }) !== null);
  if (waits.length === 0) return;
  facts.earlyCounts = await countEarlyRecordsOf(db, unique(waits.map(({ gateway }) => gateway.id)));
  const letters = await deadLetterReasons(db, {
    gateway_ids: unique(missing.map(({ gateway_id }) => gateway_id)),
    uids: unique(missing.map(({ uid }) => uid)),
  });
  for (const { gateway_id, uid, reason } of letters) facts.givenUp.set(givenUpKey(gateway_id, uid), reason);
}

/** Returns the uid without which a record is early; null: it waits for none. */
function awaitedUidOf({ images }: BatchFacts, { uid, payload }: Pick<FactsFor, 'uid' | 'payload'>): string | null {
  if (payload.kind === 'opening_result' || payload.kind === 'plate_refined') return payload.reading_uid;
  return payload.kind === 'image' && !images.has(uid) ? payload.owner_uid : null;
}

async function refinableReadings(db: Db, uids: string[]): Promise<Map<string, KnownReading>> {
  const rows = await findWholeReadings(db, uids);
  const images = await imagesOfOwners(db, uids);
  return new Map(
    rows.map(({ id, session_id, ...row }) => {
      const uid = row.uid ?? '';
      const { gateway_id } = row;
      const shown = images.get(uid) ?? { full: null, cropped: null };
      return [uid, { reading: { id, gateway_id, row, images: shown, session: null }, session_id }];
    }),
  );
}

/** Returns the decided read of a record; null for a record of another kind. */
export function decidedReadOf(payload: RecordPayload): PlateReadRecord | null {
  if (payload.kind === 'plate_read') return payload;
  return payload.kind === 'plate_refined' ? decidedRead(payload) : null;
}

const refinedUidOf = (payload: RecordPayload): string[] =>
  payload.kind === 'plate_refined' ? [payload.reading_uid] : [];

const ownsOthers = ({ kind }: RecordPayload): boolean => kind === 'plate_read' || kind === 'sighting';

/** Returns the uids, beside a record's own, that it is known by or names. */
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

export function cameraIdOf(payload: RecordPayload): number | null {
  const read = decidedReadOf(payload);
  if (read !== null) return read.reading.lpr_camera_id;
  if (payload.kind === 'plate_refined') return payload.reading.lpr_camera_id;
  return payload.kind === 'sighting' ? payload.lpr_camera_id : null;
}

function zoneIdOf(payload: RecordPayload): number | null {
  const read = decidedReadOf(payload);
  if (read !== null) return read.reading.zone_id;
  return payload.kind === 'sighting' ? payload.zone_id : null;
}

const begunUidOf = ({ session }: PlateReadRecord): string | null =>
  session?.effect === 'begin' ? session.session_uid : null;
