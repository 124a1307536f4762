/** All that the records of a batch name, as the database has it: read by a few statements before anything is planned. */
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import type { PlateReadRecord, RecordPayload, SessionEffect } from '../../shared/uplink.js';
import type { Db } from '../store/cloud-store.js';
import { imagesOfOwners } from '../store/queries/images.js';
import { deadLetterReasons, parkedFor } from '../store/queries/ingest.js';
import {
  findImages,
  findReadingCameras,
  findReadingsById,
  findReadingsByUid,
  lastAllowedLotEntry,
  lotEntriesOfReadings,
  zoneIdsOfLot,
  type KnownLotEntry,
  type ReadingCamera,
} from '../store/queries/plate-readings.js';
import { findProductPlaces, type ProductPlace } from '../store/queries/products.js';
import {
  currenciesOf,
  findSessionsByUid,
  memberTariffs,
  openSessionsOf,
  zoneTariffs,
  type MemberTariff,
  type SessionRow,
  type Tariff,
} from '../store/queries/sessions.js';
import type { Row } from '../store/schema.js';
import type { KnownReadingRef, LotEntryState, Numbered, SessionState } from './batch-plan.js';

/** The gateway that sent the records, with its lot. */
export interface IngestGateway {
  id: number;
  account_id: number;
  lot_id: number;
}

/** A record of the batch, or one that waited for it. */
export interface FactsFor {
  uid: string;
  payload: RecordPayload;
  /** When a plate was read, by the cloud's reckoning. */
  at_ms: number;
}

export interface BatchFacts {
  cameras: Map<number, ReadingCamera>;
  zoneIds: Set<number>;
  products: Map<number, ProductPlace>;
  /** By uid: those the records name, and open ones of their plates in the lot. The plan changes them and adds to them. */
  sessions: Map<string, SessionState>;
  /** The same by normalised plate. */
  sessionsOfPlate: Map<string, SessionState[]>;
  zoneTariffs: Map<number, Tariff>;
  memberTariffs: MemberTariff[];
  /** By uid; readings that are named, not those of the batch. */
  readings: Map<string, KnownReadingRef>;
  images: Map<string, Pick<Row<'images'>, 'owner_uid' | 'lot_id'>>;
  /** Lot entries of sessions' entries, by their reading; allowed ones of plates. The plan adds to both. */
  entriesOfReadings: Map<Numbered, LotEntryState>;
  entriesOfPlates: Map<string, LotEntryState[]>;
  parked: Map<string, Row<'parked_records'>[]>;
  /** uid -> why its record was given up. */
  givenUp: Map<string, string>;
}

const emptyFacts = (): BatchFacts => ({
  cameras: new Map(),
  zoneIds: new Set(),
  products: new Map(),
  sessions: new Map(),
  sessionsOfPlate: new Map(),
  zoneTariffs: new Map(),
  memberTariffs: [],
  readings: new Map(),
  images: new Map(),
  entriesOfReadings: new Map(),
  entriesOfPlates: new Map(),
  parked: new Map(),
  givenUp: new Map(),
});

export async function loadFacts(db: Db, gateway: IngestGateway, records: FactsFor[]): Promise<BatchFacts> {
  const facts = emptyFacts();
  const reads = records.flatMap(({ payload }) => (payload.kind === 'plate_read' ? [payload] : []));
  const cameraIds = records.flatMap(({ payload }) => cameraIdOf(payload) ?? []);
  facts.cameras = byKey(await findReadingCameras(db, unique(cameraIds)), ({ id }) => id);
  if (cameraIds.length > 0) facts.zoneIds = await zoneIdsOfLot(db, gateway.lot_id);
  const productIds = unique(reads.flatMap(({ opening }) => opening?.product_id ?? []));
  facts.products = byKey(await findProductPlaces(db, productIds), ({ id }) => id);
  await loadSessions(db, facts, { gateway, reads });
  await loadLotEntries(db, facts, { gateway, records });
  await loadOwners(db, facts, { gateway, records });
  return facts;
}

/** Sessions that the reads name, and what the events of those already there are made of. */
async function loadSessions(
  db: Db,
  facts: BatchFacts,
  { gateway, reads }: { gateway: IngestGateway; reads: PlateReadRecord[] },
): Promise<void> {
  const begins = reads.filter(({ session }) => session?.effect === 'begin');
  const plates_normalised = unique(begins.map(({ reading }) => normalisePlate(reading.plate)));
  const zone_ids = unique(begins.map(({ reading }) => reading.zone_id));
  const rows = byKey(
    [
      ...(await findSessionsByUid(db, unique(reads.flatMap(({ session }) => sessionUidsOf(session))))),
      ...(await openSessionsOf(db, { lot_id: gateway.lot_id, plates_normalised })),
    ],
    ({ uid }) => uid,
  );
  const currencies = await currenciesOf(db, unique([...rows.values()].flatMap(({ tariff_id }) => tariff_id ?? [])));
  const readings = await findReadingsById(db, unique([...rows.values()].flatMap((row) => row.entry_reading_id ?? [])));
  const images = await imagesOfOwners(
    db,
    readings.flatMap(({ uid }) => uid ?? []),
  );
  for (const row of [...rows.values()].sort((a, b) => a.created_at - b.created_at || a.id - b.id)) {
    const reading = readings.find(({ id }) => id === row.entry_reading_id);
    const state = knownSession(row, row.tariff_id === null ? null : (currencies.get(row.tariff_id) ?? null));
    if (reading !== undefined && state.entry_reading !== null) {
      state.entry = {
        reading: state.entry_reading,
        plate: reading.plate,
        images: images.get(reading.uid ?? '') ?? { full: null, cropped: null },
      };
    }
    addSession(facts, state);
  }
  facts.zoneTariffs = await zoneTariffs(db, zone_ids);
  facts.memberTariffs = await memberTariffs(db, { zone_ids, plates_normalised });
}

function knownSession(row: SessionRow, currency: string | null): SessionState {
  const { id, entry_reading_id, exit_reading_id, ...columns } = row;
  return {
    id,
    row: columns,
    entry_reading: referenceTo(entry_reading_id),
    exit_reading: referenceTo(exit_reading_id),
    currency,
    entry: null,
  };
}

const referenceTo = (reading_id: number | null): Numbered | null => (reading_id === null ? null : { id: reading_id });

export function addSession(facts: BatchFacts, session: SessionState): void {
  facts.sessions.set(session.row.uid, session);
  const plate = session.row.plate_normalised;
  facts.sessionsOfPlate.set(plate, [...(facts.sessionsOfPlate.get(plate) ?? []), session]);
}

/** The entries that exits may belong to. */
async function loadLotEntries(
  db: Db,
  facts: BatchFacts,
  { gateway, records }: { gateway: IngestGateway; records: FactsFor[] },
): Promise<void> {
  const begun = new Set(records.flatMap(({ payload }) => begunUidOf(payload) ?? []));
  const references = new Map<number, Numbered>();
  for (const { payload, at_ms } of records) {
    if (payload.kind !== 'plate_read' || payload.reading.direction !== 'out' || payload.lot_entry === null) continue;
    const ended = payload.session?.effect === 'end' ? payload.session.session_uid : null;
    if (ended !== null && begun.has(ended)) continue;
    const reading = ended === null ? null : (facts.sessions.get(ended)?.entry_reading ?? null);
    if (reading !== null && reading.id !== null) {
      references.set(reading.id, reading);
      continue;
    }
    // Rare: no session that is known (a whitelisted plate, a gate that was cut off).
    const plate_normalised = normalisePlate(payload.reading.plate);
    const last = await lastAllowedLotEntry(db, { lot_id: gateway.lot_id, plate_normalised, before: at_ms });
    if (last !== undefined) {
      addEntryOfPlate(facts, plate_normalised, knownLotEntry(last, { id: last.entry.plate_reading_id }));
    }
  }
  for (const known of await lotEntriesOfReadings(db, [...references.keys()])) {
    const reading = references.get(known.entry.plate_reading_id);
    if (reading !== undefined) facts.entriesOfReadings.set(reading, knownLotEntry(known, reading));
  }
}

export function addEntryOfPlate(facts: BatchFacts, plate_normalised: string, entry: LotEntryState): void {
  facts.entriesOfPlates.set(plate_normalised, [...(facts.entriesOfPlates.get(plate_normalised) ?? []), entry]);
}

function knownLotEntry({ entry, reading, images, camera }: KnownLotEntry, reference: Numbered): LotEntryState {
  const { id, plate_reading_id: _reading, related_lot_entry_id: _related, ...row } = entry;
  return { id, row, reading: reference, seen: reading, images, camera, related: null };
}

/** Readings and pictures that other records belong to, and what waits for the records of the batch. */
async function loadOwners(
  db: Db,
  facts: BatchFacts,
  { gateway, records }: { gateway: IngestGateway; records: FactsFor[] },
): Promise<void> {
  const ofBatch = new Set(records.map(({ uid }) => uid));
  const openingsOf = records.flatMap(({ payload }) => (payload.kind === 'opening_result' ? [payload.reading_uid] : []));
  const pictures = records.filter(({ payload }) => payload.kind === 'image');
  for (const { id, uid, gateway_id } of await findReadingsByUid(db, unique(openingsOf))) {
    if (uid !== null) facts.readings.set(uid, { id, gateway_id });
  }
  facts.images = byKey(await findImages(db, unique(pictures.map(({ uid }) => uid))), ({ uid }) => uid);
  const awaited = pictures
    .filter(({ uid }) => !facts.images.has(uid))
    .flatMap(({ payload }) => ownerUidOf(payload) ?? []);
  const missing = unique([...openingsOf, ...awaited]).filter((uid) => !ofBatch.has(uid) && !facts.readings.has(uid));
  facts.givenUp = await deadLetterReasons(db, { gateway_id: gateway.id, uids: missing });
  const owners = records.flatMap(({ uid, payload }) => (ownsOthers(payload) ? [uid] : []));
  for (const row of await parkedFor(db, { gateway_id: gateway.id, uids: owners })) {
    facts.parked.set(row.waits_for_uid, [...(facts.parked.get(row.waits_for_uid) ?? []), row]);
  }
}

const ownsOthers = ({ kind }: RecordPayload): boolean => kind === 'plate_read' || kind === 'sighting';

function cameraIdOf(payload: RecordPayload): number | null {
  if (payload.kind === 'plate_read') return payload.reading.lpr_camera_id;
  return payload.kind === 'sighting' ? payload.lpr_camera_id : null;
}

const ownerUidOf = (payload: RecordPayload): string | null => (payload.kind === 'image' ? payload.owner_uid : null);

function begunUidOf(payload: RecordPayload): string | null {
  if (payload.kind !== 'plate_read' || payload.session?.effect !== 'begin') return null;
  return payload.session.session_uid;
}

function sessionUidsOf(effect: SessionEffect | null): string[] {
  if (effect === null) return [];
  const ended = effect.effect === 'begin' ? effect.ended_session_uid : null;
  return ended === null ? [effect.session_uid] : [effect.session_uid, ended];
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

function byKey<Key, T>(values: readonly T[], keyOf: (value: T) => Key): Map<Key, T> {
  return new Map(values.map((value) => [keyOf(value), value]));
}
