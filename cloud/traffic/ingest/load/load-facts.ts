/** Loads the facts of all parts at once: how many statements that takes does not depend on how many parts or records there are. */
import { keyBy, unique } from '../../../../shared/grouping.js';
import { normalisePlate } from '../../../../shared/plate/normalise-plate.js';
import type { PlateReadRecord } from '../../../../shared/uplink.js';
import { findProductPlaces, findReadingCameras } from '../../../equipment/entry.js';
import type { Db } from '../../../kernel/store/entry.js';
import { lotsOfZones as findLotsOfZones } from '../../../site/entry.js';
import { imagesOfOwners } from '../../image/image-queries.js';
import { type KnownLotEntry, lotEntriesOfExits } from '../../lot-entry/lot-entry-queries.js';
import { findWholeReadings } from '../../reading/reading-queries.js';
import type { PlateAt, PlateOfLot } from '../../session/session-queries.js';
import { countEarlyRecordsOf, deadLetterReasons } from '../ingest-queries.js';
import {
  announcesOthers,
  cameraIdOf,
  decidedReadOf,
  letThroughUidOf,
  openedProductOf,
  refinedUidOf,
  zoneIdOf,
} from '../read/payload-references.js';
import type { BatchPart, DatedRecord, LotGateway } from './batch-parts.js';
import type { EventTime } from './decide-event-time.js';
import {
  addEntryOfPlate,
  type BatchFacts,
  emptyMemory,
  givenUpKey,
  type PlanMemory,
  sessionsOfPlateInLot,
} from './facts.js';
import type { Known } from '../known-queries.js';
import { loadSessions, type ReadFacts } from './load-sessions.js';
import type { KnownReading, LotEntryState, Numbered, SessionState } from './row-states.js';

/** A record with the gateway in the lot that the record belongs to. */
type PlacedRecord = DatedRecord & { gateway: LotGateway };

const NOTHING: Omit<BatchFacts, 'readings' | 'images'> = {
  cameras: new Map(),
  lotsOfZones: new Map(),
  products: new Map(),
  zoneTariffs: new Map(),
  memberTariffs: [],
  early: new Map(),
};

/** Loads what the records of all parts are planned with. */
export async function loadFacts(
  tx: Db,
  known: Known,
  parts: readonly BatchPart[],
): Promise<{ facts: BatchFacts; memory: PlanMemory }> {
  const memory = emptyMemory();
  const { readings, images } = known;
  // Records of a gateway without a lot cannot be applied, and need no facts.
  const all = parts.flatMap(({ gateway, records }) =>
    gateway === null ? [] : records.map((record): PlacedRecord => ({ ...record, gateway })),
  );
  if (all.length === 0) return { facts: { ...NOTHING, readings, images }, memory };
  const places = await loadPlaces(tx, all);
  const named = all.flatMap(({ payload }) => refinedUidOf(payload) ?? letThroughUidOf(payload) ?? []);
  memory.refinable = await wholeReadings(tx, unique(named));
  const timeOf = timesOfReadings(memory, all);
  const reads = all.flatMap((record) => {
    const read = decidedReadOf(record.payload);
    const { account_id, lot_id } = record.gateway;
    return read === null ? [] : [{ payload: read, time: timeOf(record), account_id, lot_id }];
  });
  const tariffs = await loadSessions(tx, memory, { reads, letThrough: letThroughPlates(memory, all) });
  await loadLotEntries(tx, memory, reads);
  await loadWaiting(tx, { known, memory }, all);
  const announced = new Set<string>(all.flatMap(({ uid, payload }) => (announcesOthers(payload) ? uid : [])));
  const early = new Map([...known.early].filter(([uid]) => announced.has(uid)));
  return { facts: { ...places, ...tariffs, readings, images, early }, memory };
}

/** Returns the function that dates a read: a refined one has the time that its reading was given when it came. */
function timesOfReadings({ refinable }: PlanMemory, all: readonly PlacedRecord[]): (record: PlacedRecord) => EventTime {
  const ofBatch = new Map<string, EventTime>(all.map(({ uid, time }) => [uid, time]));
  return ({ payload, time }) => {
    const uid = refinedUidOf(payload);
    if (uid === null) return time;
    const known = refinable.get(uid)?.reading.row;
    if (known !== undefined) return { at_ms: known.created_at, estimated: known.time_estimated === 1 };
    return ofBatch.get(uid) ?? time;
  };
}

async function loadPlaces(db: Db, all: readonly PlacedRecord[]) {
  const cameraIds = unique(all.flatMap(({ payload }) => cameraIdOf(payload) ?? []));
  const cameras = keyBy(await findReadingCameras(db, cameraIds), ({ id }) => id);
  // Nearly always the zone of a read is that of its camera.
  const near = [...cameras.values()].filter(({ timezone }) => timezone !== undefined);
  const lotsOfZones = new Map(near.map(({ zone_id, lot_id }) => [zone_id, lot_id]));
  const zoneIds = unique(all.flatMap(({ payload }) => zoneIdOf(payload) ?? []));
  const others = zoneIds.filter((id) => !lotsOfZones.has(id));
  for (const { id, lot_id } of await findLotsOfZones(db, others)) lotsOfZones.set(id, lot_id);
  const productIds = unique(all.flatMap(({ payload }) => openedProductOf(payload) ?? []));
  return { cameras, lotsOfZones, products: keyBy(await findProductPlaces(db, productIds), ({ id }) => id) };
}

/** Loads the lot entries that exits may belong to. */
async function loadLotEntries(db: Db, memory: PlanMemory, reads: readonly ReadFacts[]): Promise<void> {
  const begun = new Set(reads.flatMap(({ payload }) => begunUidOf(payload) ?? []));
  const references = new Map<number, Numbered>();
  const plates: PlateAt[] = [];
  for (const { payload, time, lot_id } of reads) {
    if (payload.reading.direction !== 'out' || payload.lot_entry === null) continue;
    const named = payload.session?.effect === 'end' ? payload.session.session_uid : null;
    if (named !== null && begun.has(named)) continue;
    const plate = { lot_id, plate_normalised: normalisePlate(payload.reading.plate) };
    const ended = sessionsOfExit(memory, { plate, named, time });
    for (const { entry_reading } of ended) {
      if (entry_reading !== null && entry_reading.id !== null) references.set(entry_reading.id, entry_reading);
    }
    // This is rare: no session is known, because the plate is whitelisted or a gateway was cut off.
    if (ended.every(({ entry_reading }) => entry_reading === null)) plates.push({ ...plate, at: time.at_ms });
  }
  const entries = await lotEntriesOfExits(db, { reading_ids: [...references.keys()], plates });
  for (const known of entries) {
    const { plate_reading_id, lot_id } = known.entry;
    const { plate_normalised } = known;
    const reading = references.get(plate_reading_id);
    if (reading !== undefined) memory.entriesOfReadings.set(reading, knownLotEntry(known, reading));
    else addEntryOfPlate(memory, { lot_id, plate_normalised }, knownLotEntry(known, { id: plate_reading_id }));
  }
}

const begunUidOf = ({ session }: PlateReadRecord): string | null =>
  session?.effect === 'begin' ? session.session_uid : null;

/** Finds which of the known sessions an exit may end. */
function sessionsOfExit(
  memory: PlanMemory,
  exit: { plate: PlateOfLot; named: string | null; time: EventTime },
): SessionState[] {
  const named = exit.named === null ? undefined : memory.sessions.get(exit.named);
  const open = sessionsOfPlateInLot(memory, exit.plate).filter(({ row }) => row.ended_at === null);
  const begun = open.filter(({ row }) => exit.time.estimated || row.created_at <= exit.time.at_ms);
  return named === undefined ? begun : [named, ...begun];
}

function knownLotEntry({ entry, reading, images, camera }: KnownLotEntry, reference: Numbered): LotEntryState {
  const { id, plate_reading_id: _reading, related_lot_entry_id: _related, ...row } = entry;
  return { id, row, reading: reference, seen: reading, images, camera, related: null };
}

/** The plates of vehicles that people let through, of this transaction's reads and of earlier ones. */
function letThroughPlates({ refinable }: PlanMemory, all: readonly PlacedRecord[]): PlateOfLot[] {
  const uids = new Set(all.flatMap(({ payload }) => letThroughUidOf(payload) ?? []));
  if (uids.size === 0) return [];
  const stored = [...uids].flatMap((uid) => refinable.get(uid)?.reading.row ?? []);
  const ofBatch = all.flatMap(({ uid, payload, gateway: { lot_id } }) =>
    uids.has(uid) && payload.kind === 'plate_read'
      ? { lot_id, plate_normalised: normalisePlate(payload.reading.plate) }
      : [],
  );
  return [...stored.map(({ lot_id, plate_normalised }) => ({ lot_id, plate_normalised })), ...ofBatch];
}

async function wholeReadings(db: Db, uids: string[]): Promise<Map<string, KnownReading>> {
  const rows = await findWholeReadings(db, uids);
  const images = await imagesOfOwners(db, uids);
  return new Map(
    rows.map(({ id, session_id, ...row }) => {
      const { gateway_id, uid } = row;
      if (uid === null) throw new Error('A reading that was found by its uid has none');
      const shown = images.get(uid) ?? { full: null, cropped: null };
      return [uid, { reading: { id, gateway_id, row, images: shown, session: null }, session_id }];
    }),
  );
}

/** Loads how many records wait already, and why what records wait for was given up. */
async function loadWaiting(
  db: Db,
  { known, memory }: { known: Known; memory: PlanMemory },
  all: readonly PlacedRecord[],
): Promise<void> {
  const waits = all.flatMap((record) => {
    const uid = awaitedUidOf(known, record);
    return uid === null ? [] : [{ gateway_id: record.gateway.id, uid }];
  });
  if (waits.length === 0) return;
  const here = new Set(all.map(({ uid, gateway }) => givenUpKey(gateway.id, uid)));
  const missing = waits.filter(
    ({ gateway_id, uid }) =>
      !here.has(givenUpKey(gateway_id, uid)) && !known.readings.has(uid) && !memory.refinable.has(uid),
  );
  memory.earlyCounts = await countEarlyRecordsOf(db, unique(waits.map(({ gateway_id }) => gateway_id)));
  const letters = await deadLetterReasons(db, {
    gateway_ids: unique(missing.map(({ gateway_id }) => gateway_id)),
    uids: unique(missing.map(({ uid }) => uid)),
  });
  for (const { gateway_id, uid, reason } of letters) memory.givenUp.set(givenUpKey(gateway_id, uid), reason);
}

/** Returns the uid without which a record is early; null: it waits for none. */
function awaitedUidOf({ images }: Known, { uid, payload }: DatedRecord): string | null {
  if (payload.kind === 'opening_result' || payload.kind === 'plate_refined') return payload.reading_uid;
  return payload.kind === 'image' && !images.has(uid) ? payload.owner_uid : null;
}
