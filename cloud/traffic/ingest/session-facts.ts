/** Loads the sessions that plate reads name or may be part of. */
import { pushTo } from '../../../shared/grouping.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { SessionEffect } from '../../../shared/access/session-effect.js';
import { imagesOfOwners } from '../image/image-queries.js';
import { exitsWithoutSession } from '../lot-entry/lot-entry-queries.js';
import { findReadingsById } from '../reading/reading-queries.js';
import {
  memberTariffs,
  type PlateOfLot,
  type PlateSince,
  type SessionRow,
  sessionsOfReads,
  tariffsOfAnyZones,
} from '../session/session-queries.js';
import type { Db } from '../../kernel/entry.js';
import type { ExitState, Numbered, SessionState } from './batch-plan.js';
import { isAdmittedExit } from './decide-session.js';
import { byKey, unique } from './distinct.js';
import { type BatchFacts, plateKey, type ReadFacts } from './ingest-facts.js';

/** Loads them, with what the events of the open ones show. The caller has locked the open sessions of the reads' lots. */
export async function loadSessions(db: Db, facts: BatchFacts, reads: readonly ReadFacts[]): Promise<void> {
  const begins = reads.filter(({ payload }) => payload.session?.effect === 'begin');
  const since = platesSince(begins);
  const uids = unique(reads.flatMap(({ payload }) => sessionUidsOf(payload.session)));
  const sessions = await sessionsOfReads(db, { uids, open: platesOfSessions(reads), since });
  await addKnownSessions(db, facts, [...byKey(sessions, ({ uid }) => uid).values()]);
  for (const { id, lot_id, plate_normalised, created_at, lpr_camera_id } of await exitsWithoutSession(db, since)) {
    const exit = { at: created_at, camera_id: lpr_camera_id, reading: { id }, planned: null };
    addExitOfPlate(facts, { lot_id, plate_normalised }, exit);
  }
  const zone_ids = unique(begins.map(({ payload }) => payload.reading.zone_id));
  facts.zoneTariffs = await tariffsOfAnyZones(db, zone_ids);
  facts.memberTariffs = await memberTariffs(db, { zone_ids, plates_normalised: unique(begins.map(plateOf)) });
}

/** Only open sessions can change, so only they need what an event shows. */
async function addKnownSessions(db: Db, facts: BatchFacts, rows: SessionRow[]): Promise<void> {
  const open = rows.filter(({ ended_at }) => ended_at === null);
  const found = await findReadingsById(db, unique(open.flatMap((row) => row.entry_reading_id ?? [])));
  const readings = byKey(found, ({ id }) => id);
  const images = await imagesOfOwners(
    db,
    found.flatMap(({ uid }) => uid ?? []),
  );
  // Of two sessions that began at the same time, the one with the higher id counts as later; the sessions of this batch come after both.
  for (const row of rows.toSorted((a, b) => a.id - b.id)) {
    const state = knownSession(row);
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

function knownSession(row: SessionRow): SessionState {
  const { id, entry_reading_id, exit_reading_id, ...columns } = row;
  return {
    id,
    row: columns,
    entry_reading: referenceTo(entry_reading_id),
    exit_reading: referenceTo(exit_reading_id),
    entry: null,
  };
}

const referenceTo = (reading_id: number | null): Numbered | null => (reading_id === null ? null : { id: reading_id });

export function addSession(facts: BatchFacts, session: SessionState): void {
  facts.sessions.set(session.row.uid, session);
  pushTo(facts.sessionsOfPlate, session.row.plate_normalised, session);
}

/**
 * Lists the sessions of a plate in a lot that matter to the batch, in the order they began. A session without a plate, which a
 * person can begin, belongs to no plate.
 */
export function sessionsOfPlateInLot(
  facts: BatchFacts,
  { lot_id, plate_normalised }: { lot_id: number; plate_normalised: string },
): SessionState[] {
  const sessions = plate_normalised === '' ? [] : (facts.sessionsOfPlate.get(plate_normalised) ?? []);
  return sessions.filter(({ row }) => row.lot_id === lot_id).toSorted((a, b) => a.row.created_at - b.row.created_at);
}

export function addExitOfPlate(facts: BatchFacts, { lot_id, plate_normalised }: PlateOfLot, exit: ExitState): void {
  if (plate_normalised === '') return;
  const key = plateKey(lot_id, plate_normalised);
  const exits = [...(facts.exitsOfPlates.get(key) ?? []), exit];
  facts.exitsOfPlates.set(
    key,
    exits.toSorted((a, b) => a.at - b.at),
  );
}

const plateOf = ({ payload }: ReadFacts): string => normalisePlate(payload.reading.plate);
const plateOfLot = (read: ReadFacts): PlateOfLot => ({ lot_id: read.lot_id, plate_normalised: plateOf(read) });
const keyOf = ({ lot_id, plate_normalised }: PlateOfLot): string => plateKey(lot_id, plate_normalised);

/** Plates of reads that begin, keep or end a session, or may do so. */
const platesOfSessions = (reads: readonly ReadFacts[]): PlateOfLot[] => [
  ...byKey(
    reads.filter(({ payload }) => payload.session !== null || isAdmittedExit(payload)).map(plateOfLot),
    keyOf,
  ).values(),
];

/** Each plate with its earliest read. An estimated time cannot be compared with others and is left out. */
function platesSince(begins: readonly ReadFacts[]): PlateSince[] {
  const firsts = new Map<string, PlateSince>();
  for (const begin of begins) {
    if (begin.time.estimated) continue;
    const plate = plateOfLot(begin);
    const since = Math.min(begin.time.at_ms, firsts.get(keyOf(plate))?.since ?? Number.POSITIVE_INFINITY);
    firsts.set(keyOf(plate), { ...plate, since });
  }
  return [...firsts.values()];
}

function sessionUidsOf(effect: SessionEffect | null): string[] {
  if (effect === null) return [];
  const ended = effect.effect === 'begin' ? effect.ended_session_uid : null;
  return ended === null ? [effect.session_uid] : [effect.session_uid, ended];
}
