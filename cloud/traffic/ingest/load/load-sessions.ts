/** Loads the sessions that plate reads name or may be part of. */
import { keyBy, unique } from '../../../../shared/grouping.js';
import { normalisePlate } from '../../../../shared/plate/normalise-plate.js';
import type { SessionEffect } from '../../../../shared/access/session-effect.js';
import type { PlateReadRecord } from '../../../../shared/uplink.js';
import type { Db } from '../../../kernel/store/entry.js';
import { imagesOfOwners } from '../../image/image-queries.js';
import { exitsWithoutSession } from '../../lot-entry/lot-entry-queries.js';
import { findReadingsById } from '../../reading/reading-queries.js';
import {
  memberTariffs,
  type PlateAt,
  type PlateOfLot,
  type SessionRow,
  sessionsOfReads,
  tariffsOfAnyZones,
} from '../../session/session-queries.js';
import { isAdmittedExit } from '../read/payload-references.js';
import type { EventTime } from './decide-event-time.js';
import { addExitOfPlate, addSession, type BatchFacts, plateKey, type PlanMemory } from './facts.js';
import type { Numbered, SessionState } from './row-states.js';

/** A decided read. */
export interface ReadFacts {
  account_id: number;
  lot_id: number;
  payload: PlateReadRecord;
  time: EventTime;
}

/**
 * Loads the sessions, with what the events of the open ones show. The caller has locked the open sessions of the reads' lots.
 * @param of.letThrough plates of vehicles that people let through
 * @returns what prices the sessions that the reads begin
 */
export async function loadSessions(
  db: Db,
  memory: PlanMemory,
  { reads, letThrough }: { reads: readonly ReadFacts[]; letThrough: readonly PlateOfLot[] },
): Promise<Pick<BatchFacts, 'zoneTariffs' | 'memberTariffs'>> {
  const begins = reads.filter(({ payload }) => payload.session?.effect === 'begin');
  const around = platesAround(begins);
  const uids = unique(reads.flatMap(({ payload }) => sessionUidsOf(payload.session)));
  const sessions = await sessionsOfReads(db, { uids, open: platesOfSessions(reads, letThrough), around });
  await addKnownSessions(db, memory, [...keyBy(sessions, ({ uid }) => uid).values()]);
  for (const { id, lot_id, plate_normalised, created_at, lpr_camera_id } of await exitsWithoutSession(db, around)) {
    const exit = { at: created_at, camera_id: lpr_camera_id, reading: { id }, planned: null };
    addExitOfPlate(memory, { lot_id, plate_normalised }, exit);
  }
  const zone_ids = unique(begins.map(({ payload }) => payload.reading.zone_id));
  return {
    zoneTariffs: await tariffsOfAnyZones(db, zone_ids),
    memberTariffs: await memberTariffs(db, {
      account_ids: unique(begins.map(({ account_id }) => account_id)),
      zone_ids,
      plates_normalised: unique(begins.map(plateOf)),
    }),
  };
}

/** Only open sessions can change, so only they need what an event shows. */
async function addKnownSessions(db: Db, memory: PlanMemory, rows: SessionRow[]): Promise<void> {
  const open = rows.filter(({ ended_at }) => ended_at === null);
  const found = await findReadingsById(db, unique(open.flatMap((row) => row.entry_reading_id ?? [])));
  const readings = keyBy(found, ({ id }) => id);
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
    addSession(memory, state);
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

const plateOf = ({ payload }: ReadFacts): string => normalisePlate(payload.reading.plate);
const plateOfLot = (read: ReadFacts): PlateOfLot => ({ lot_id: read.lot_id, plate_normalised: plateOf(read) });

/** Plates of reads that begin, keep or end a session, or may do so. */
function platesOfSessions(reads: readonly ReadFacts[], letThrough: readonly PlateOfLot[]): PlateOfLot[] {
  const mayChange = reads.filter(({ payload }) => payload.session !== null || isAdmittedExit(payload));
  return [...keyBy([...mayChange.map(plateOfLot), ...letThrough], plateKey).values()];
}

/** Where and when each read was, once. An estimated time cannot be compared with others and is left out. */
const platesAround = (begins: readonly ReadFacts[]): PlateAt[] => [
  ...keyBy(
    begins.filter(({ time }) => !time.estimated).map((begin) => ({ ...plateOfLot(begin), at: begin.time.at_ms })),
    (plate) => `${plateKey(plate)} ${plate.at}`,
  ).values(),
];

function sessionUidsOf(effect: SessionEffect | null): string[] {
  if (effect === null) return [];
  const ended = effect.effect === 'begin' ? effect.ended_session_uid : null;
  return ended === null ? [effect.session_uid] : [effect.session_uid, ended];
}
