/** Loads everything that the records of a batch name by a few statements, before anything is planned. */
import { pushTo } from '../../shared/grouping.js';
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import type { Uid } from '../../shared/ids.js';
import type { ImageReference, PlateReadRecord, RecordPayload } from '../../shared/uplink.js';
import { findReadingCameras } from '../camera/camera-queries.js';
import { findImages, imagesOfOwners } from '../image/image-queries.js';
import { findProductPlaces } from '../product/product-queries.js';
import { type KnownLotEntry, lastAllowedLotEntry, lotEntriesOfReadings } from '../lot-entry/lot-entry-queries.js';
import { findReadingsByUid, findWholeReadings } from '../reading/reading-queries.js';
import type { Db, Tx } from '../store/cloud-store.js';
import type { Row } from '../store/schema.js';
import { lotsOfZones } from '../zone/zone-queries.js';
import type { LotEntryState, Numbered, SessionState } from './batch-plan.js';
import type { EventTime } from './decide-event-time.js';
import { decidedRead } from './decided-read.js';
import { byKey, unique } from './distinct.js';
import type { BatchFacts, IngestGateway, KnownReading, ReadFacts } from './ingest-facts.js';
import { deadLetterReasons, earlyRecordsFor } from './ingest-queries.js';
import { loadSessions, sessionsOfPlateInLot } from './session-facts.js';

/** A record of the batch, or one that waited for it. */
export interface FactsFor {
  uid: Uid;
  payload: RecordPayload;
  /** When a plate was read, as the cloud determined it. */
  time: EventTime;
}

const emptyFacts = (): BatchFacts => ({
  cameras: new Map(),
  zoneIds: new Set(),
  products: new Map(),
  sessions: new Map(),
  sessionsOfPlate: new Map(),
  exitsOfPlates: new Map(),
  zoneTariffs: new Map(),
  memberTariffs: [],
  readings: new Map(),
  refinable: new Map(),
  images: new Map(),
  entriesOfReadings: new Map(),
  entriesOfPlates: new Map(),
  early: new Map(),
  givenUp: new Map(),
});

/** Records of one lot that are planned together. */
export interface FactsPart {
  /** null: the gateway is and was in no lot, and its records need no facts. */
  place: IngestGateway | null;
  records: readonly FactsFor[];
}

/**
 * Loads the facts of each part. What has an id or a uid is loaded for all of them at once, what belongs to a lot for each by itself: no two
 * parts have the same lot.
 */
export async function loadFacts<Part extends FactsPart>(
  tx: Tx,
  parts: readonly Part[],
): Promise<(Part & { facts: BatchFacts })[]> {
  const placed = parts.filter(({ place }) => place !== null);
  const all = placed.flatMap(({ records }) => records);
  const cameraIds = all.flatMap(({ payload }) => cameraIdOf(payload) ?? []);
  const cameras = byKey(await findReadingCameras(tx, unique(cameraIds)), ({ id }) => id);
  const zones = await lotsOfZones(tx, unique(all.flatMap(({ payload }) => zoneIdOf(payload) ?? [])));
  const productIds = unique(all.flatMap(({ payload }) => decidedReadOf(payload)?.opening?.product_id ?? []));
  const products = byKey(await findProductPlaces(tx, productIds), ({ id }) => id);
  const owners = await loadOwners(tx, placed);
  const loaded: (Part & { facts: BatchFacts })[] = [];
  for (const part of parts) {
    const facts: BatchFacts = { ...emptyFacts(), cameras, products, ...owners, early: new Map() };
    loaded.push({ ...part, facts });
    const { place: gateway, records } = part;
    if (gateway === null) continue;
    facts.zoneIds = new Set(zones.filter(({ lot_id }) => lot_id === gateway.lot_id).map(({ id }) => id));
    const reads = records.flatMap(({ payload, time }) => {
      const read = decidedReadOf(payload);
      return read === null ? [] : [{ payload: read, time }];
    });
    await loadSessions(tx, facts, { gateway, reads });
    await loadLotEntries(tx, facts, { gateway, reads });
    await loadWaiting(tx, facts, { gateway, records, early: owners.early });
  }
  return loaded;
}

/** Loads the lot entries that exits may belong to. */
async function loadLotEntries(
  db: Db,
  facts: BatchFacts,
  { gateway, reads }: { gateway: IngestGateway; reads: ReadFacts[] },
): Promise<void> {
  const begun = new Set(reads.flatMap(({ payload }) => begunUidOf(payload) ?? []));
  const references = new Map<number, Numbered>();
  for (const { payload, time } of reads) {
    if (payload.reading.direction !== 'out' || payload.lot_entry === null) continue;
    const named = payload.session?.effect === 'end' ? payload.session.session_uid : null;
    if (named !== null && begun.has(named)) continue;
    const plate = { lot_id: gateway.lot_id, plate_normalised: normalisePlate(payload.reading.plate) };
    const ended = sessionsOfExit(facts, { plate, named, time });
    for (const { entry_reading } of ended) {
      if (entry_reading !== null && entry_reading.id !== null) references.set(entry_reading.id, entry_reading);
    }
    if (ended.some(({ entry_reading }) => entry_reading !== null)) continue;
    // This is rare: no session is known, because the plate is whitelisted or a gateway was cut off.
    const last = await lastAllowedLotEntry(db, { ...plate, before: time.at_ms });
    if (last !== undefined) {
      addEntryOfPlate(facts, plate.plate_normalised, knownLotEntry(last, { id: last.entry.plate_reading_id }));
    }
  }
  for (const known of await lotEntriesOfReadings(db, [...references.keys()])) {
    const reading = references.get(known.entry.plate_reading_id);
    if (reading !== undefined) facts.entriesOfReadings.set(reading, knownLotEntry(known, reading));
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

export function addEntryOfPlate(facts: BatchFacts, plate_normalised: string, entry: LotEntryState): void {
  pushTo(facts.entriesOfPlates, plate_normalised, entry);
}

function knownLotEntry({ entry, reading, images, camera }: KnownLotEntry, reference: Numbered): LotEntryState {
  const { id, plate_reading_id: _reading, related_lot_entry_id: _related, ...row } = entry;
  return { id, row, reading: reference, seen: reading, images, camera, related: null };
}

const uidsWhere = (
  parts: readonly Pick<FactsPart, 'records'>[],
  wanted: (payload: RecordPayload) => boolean,
): string[] =>
  unique(parts.flatMap(({ records }) => records.flatMap(({ uid, payload }) => (wanted(payload) ? [uid] : []))));

/** Loads readings and images that records belong to, or whose uids they have, and the early records that wait for records of the parts. */
async function loadOwners(db: Db, parts: readonly FactsPart[]) {
  const payloads = parts.flatMap(({ records }) => records.map(({ payload }) => payload));
  const openingsOf = payloads.flatMap((payload) => (payload.kind === 'opening_result' ? [payload.reading_uid] : []));
  const readUids = uidsWhere(parts, ({ kind }) => kind === 'plate_read');
  const readings: BatchFacts['readings'] = new Map();
  for (const { id, uid, gateway_id } of await findReadingsByUid(db, unique([...openingsOf, ...readUids]))) {
    if (uid !== null) readings.set(uid, { id, gateway_id });
  }
  const refinable = await refinableReadings(db, unique(payloads.flatMap(refinedUidOf)));
  const announced = payloads.flatMap(announcedBy).map(({ uid }) => uid);
  const imageUids = unique([...uidsWhere(parts, ({ kind }) => kind === 'image'), ...announced]);
  const images = byKey(await findImages(db, imageUids), ({ uid }) => uid);
  const gateway_ids = unique(parts.flatMap(({ place }) => place?.id ?? []));
  const early = await earlyRecordsFor(db, { gateway_ids, uids: uidsWhere(parts, ownsOthers) });
  return { readings, refinable, images, early };
}

/** Adds the early records that wait for records of the part, and why what its records wait for was given up. */
async function loadWaiting(
  db: Db,
  facts: BatchFacts,
  part: { gateway: IngestGateway; records: readonly FactsFor[]; early: readonly Row<'early_records'>[] },
): Promise<void> {
  const { gateway, records, early } = part;
  const ofPart = new Set<string>(records.map(({ uid }) => uid));
  for (const row of early) {
    if (row.gateway_id === gateway.id && ofPart.has(row.waits_for_uid)) pushTo(facts.early, row.waits_for_uid, row);
  }
  const awaited = records.flatMap(({ uid, payload }) => {
    if (payload.kind === 'opening_result') return payload.reading_uid;
    if (payload.kind === 'image' && !facts.images.has(uid)) return payload.owner_uid;
    return refinedUidOf(payload);
  });
  const missing = unique(awaited).filter(
    (uid) => !ofPart.has(uid) && !facts.readings.has(uid) && !facts.refinable.has(uid),
  );
  facts.givenUp = await deadLetterReasons(db, { gateway_id: gateway.id, uids: missing });
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
function decidedReadOf(payload: RecordPayload): PlateReadRecord | null {
  if (payload.kind === 'plate_read') return payload;
  return payload.kind === 'plate_refined' ? decidedRead(payload) : null;
}

const refinedUidOf = (payload: RecordPayload): string[] =>
  payload.kind === 'plate_refined' ? [payload.reading_uid] : [];

function announcedBy(payload: RecordPayload): readonly ImageReference[] {
  if (payload.kind === 'plate_read') return payload.reading.images;
  return payload.kind === 'sighting' ? payload.images : [];
}

const ownsOthers = ({ kind }: RecordPayload): boolean => kind === 'plate_read' || kind === 'sighting';

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
