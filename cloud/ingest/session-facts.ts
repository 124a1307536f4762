/** Sessions that plate reads name, or may be part of, as the database has them. */
import { normalisePlate } from '../../shared/plate/normalise-plate.js';
import type { SessionEffect } from '../../shared/uplink.js';
import type { Db } from '../store/cloud-store.js';
import { imagesOfOwners } from '../store/queries/images.js';
import { exitsWithoutSession, findReadingsById } from '../store/queries/plate-readings.js';
import {
  currenciesOf,
  findSessionsByUid,
  memberTariffs,
  openSessionsOf,
  type PlateSince,
  type SessionRow,
  sessionsSince,
  zoneTariffs,
} from '../store/queries/sessions.js';
import type { BatchFacts, IngestGateway, ReadFacts } from './batch-facts.js';
import type { ExitState, Numbered, SessionState } from './batch-plan.js';
import { isAdmittedExit } from './decide-stay.js';
import { byKey, unique } from './distinct.js';

/** Reads them, and what the events of those that are open are made of. */
export async function loadSessions(
  db: Db,
  facts: BatchFacts,
  { gateway, reads }: { gateway: IngestGateway; reads: ReadFacts[] },
): Promise<void> {
  const { lot_id } = gateway;
  const begins = reads.filter(({ payload }) => payload.session?.effect === 'begin');
  const plates = platesSince(begins);
  const rows = byKey(
    [
      ...(await findSessionsByUid(db, unique(reads.flatMap(({ payload }) => sessionUidsOf(payload.session))))),
      ...(await openSessionsOf(db, { lot_id, plates_normalised: platesOfStays(reads) })),
      ...(await sessionsSince(db, { lot_id, plates })),
    ],
    ({ uid }) => uid,
  );
  await addKnownSessions(db, facts, [...rows.values()]);
  for (const { id, plate_normalised, created_at, lpr_camera_id } of await exitsWithoutSession(db, { lot_id, plates })) {
    const exit = { at: created_at, camera_id: lpr_camera_id, reading: { id }, planned: null };
    addExitOfPlate(facts, plate_normalised, exit);
  }
  const zone_ids = unique(begins.map(({ payload }) => payload.reading.zone_id));
  facts.zoneTariffs = await zoneTariffs(db, zone_ids);
  facts.memberTariffs = await memberTariffs(db, { zone_ids, plates_normalised: unique(begins.map(plateOf)) });
}

/** Those that have ended stay as they are, and no event tells of them. */
async function addKnownSessions(db: Db, facts: BatchFacts, rows: SessionRow[]): Promise<void> {
  const open = rows.filter(({ ended_at }) => ended_at === null);
  const currencies = await currenciesOf(db, unique(open.flatMap(({ tariff_id }) => tariff_id ?? [])));
  const found = await findReadingsById(db, unique(open.flatMap((row) => row.entry_reading_id ?? [])));
  const readings = byKey(found, ({ id }) => id);
  const images = await imagesOfOwners(
    db,
    found.flatMap(({ uid }) => uid ?? []),
  );
  // Of two that began at once the later written one is later; those of the batch are written later still.
  for (const row of rows.toSorted((a, b) => a.id - b.id)) {
    const state = knownSession(row, currencies.get(row.tariff_id ?? -1) ?? null);
    const reading = readings.get(row.entry_reading_id ?? -1);
    if (reading !== undefined && state.entry_reading !== null) {
      state.entry = {
        reading: state.entry_reading,
        plate: reading.plate,
        images: images.get(reading.uid ?? '') ?? { full: null, cropped: null },
      };
    }
    addSession(facts, state);
  }
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

/**
 * Sessions of a plate in a lot as far as they matter to the batch, in the order they began. Those without a plate (people begin
 * such) are nobody's.
 */
export function staysOfPlate(
  facts: BatchFacts,
  { lot_id, plate_normalised }: { lot_id: number; plate_normalised: string },
): SessionState[] {
  const stays = plate_normalised === '' ? [] : (facts.sessionsOfPlate.get(plate_normalised) ?? []);
  return stays.filter(({ row }) => row.lot_id === lot_id).toSorted((a, b) => a.row.created_at - b.row.created_at);
}

export function addExitOfPlate(facts: BatchFacts, plate_normalised: string, exit: ExitState): void {
  if (plate_normalised === '') return;
  const exits = [...(facts.exitsOfPlates.get(plate_normalised) ?? []), exit];
  facts.exitsOfPlates.set(
    plate_normalised,
    exits.toSorted((a, b) => a.at - b.at),
  );
}

const plateOf = ({ payload }: ReadFacts): string => normalisePlate(payload.reading.plate);

/** Plates of reads that begin, keep or end a stay, or may. */
const platesOfStays = (reads: ReadFacts[]): string[] =>
  unique(reads.filter(({ payload }) => payload.session !== null || isAdmittedExit(payload)).map(plateOf));

/** Each plate with the first time that it comes. One that is estimated is in no order with what else is known. */
function platesSince(begins: ReadFacts[]): PlateSince[] {
  const firsts = new Map<string, number>();
  for (const begin of begins) {
    if (begin.time.estimated) continue;
    const plate = plateOf(begin);
    firsts.set(plate, Math.min(begin.time.at_ms, firsts.get(plate) ?? Number.POSITIVE_INFINITY));
  }
  return Array.from(firsts, ([plate_normalised, since]) => ({ plate_normalised, since }));
}

function sessionUidsOf(effect: SessionEffect | null): string[] {
  if (effect === null) return [];
  const ended = effect.effect === 'begin' ? effect.ended_session_uid : null;
  return ended === null ? [effect.session_uid] : [effect.session_uid, ended];
}
