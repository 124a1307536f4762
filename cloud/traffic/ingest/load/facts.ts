/** What the records of a transaction are planned with. It is loaded by a few statements before anything is planned (`load-facts.ts`). */
import { pushTo } from '../../../../shared/grouping.js';
import type { ProductPlace, ReadingCamera } from '../../../equipment/entry.js';
import type { MemberTariff } from '../../session/member-tariff.js';
import type { PlateOfLot } from '../../session/session-queries.js';
import type { Known } from '../known-queries.js';
import type { ExitState, KnownReading, KnownReadingRef, LotEntryState, Numbered, SessionState } from './row-states.js';

/** The cloud's knowledge, before the transaction, of all that its records name. */
export interface BatchFacts {
  /** Cameras by id, also those that were deleted since. */
  readonly cameras: ReadonlyMap<number, ReadingCamera>;
  /** The lots of zones that the records name, also of those that were deleted since. */
  readonly lotsOfZones: ReadonlyMap<number, number>;
  readonly products: ReadonlyMap<number, ProductPlace>;
  /** By zone: the id of the tariff that prices its sessions. */
  readonly zoneTariffs: ReadonlyMap<number, number>;
  readonly memberTariffs: readonly MemberTariff[];
  /** By uid: readings in the database that the records name, or whose uids they have. */
  readonly readings: ReadonlyMap<string, KnownReadingRef>;
  readonly images: Known['images'];
  /** By the uid that they wait for: early records in the database, of all gateways. */
  readonly early: Known['early'];
}

/** The state that planning changes as records would have changed the database: it begins as the database is. */
export interface PlanMemory {
  /** By uid: sessions that the records name, and sessions of their plates in their lots. */
  sessions: Map<string, SessionState>;
  /** The same sessions by `plateKey`, in the order they began. */
  sessionsOfPlates: Map<string, SessionState[]>;
  /** Exits that were allowed without a session, by `plateKey` and in their order. */
  exitsOfPlates: Map<string, ExitState[]>;
  /** By uid: readings that refinements name, or whose vehicles people let through. */
  refinable: ReadonlyMap<string, KnownReading>;
  /** Lot entries by the reading that began a session, and allowed lot entries by `plateKey`. */
  entriesOfReadings: Map<Numbered, LotEntryState>;
  entriesOfPlates: Map<string, LotEntryState[]>;
  /** How many early records each gateway has, where that may matter. */
  earlyCounts: Map<number, number>;
  /** By `givenUpKey`: why a record was given up. */
  givenUp: Map<string, string>;
}

export const emptyMemory = (): PlanMemory => ({
  sessions: new Map(),
  sessionsOfPlates: new Map(),
  exitsOfPlates: new Map(),
  refinable: new Map(),
  entriesOfReadings: new Map(),
  entriesOfPlates: new Map(),
  earlyCounts: new Map(),
  givenUp: new Map(),
});

/** Names a plate in a lot. */
export const plateKey = ({ lot_id, plate_normalised }: PlateOfLot): string => `${lot_id} ${plate_normalised}`;

/** Names a record of a gateway. */
export const givenUpKey = (gateway_id: number, uid: string): string => `${gateway_id} ${uid}`;

export function addSession(memory: PlanMemory, session: SessionState): void {
  memory.sessions.set(session.row.uid, session);
  // A session without a plate, which a person can begin, belongs to no plate.
  if (session.row.plate_normalised === '') return;
  insertInOrder(memory.sessionsOfPlates, plateKey(session.row), { item: session, atOf: ({ row }) => row.created_at });
}

/** Lists the sessions of a plate in a lot that matter to the batch, in the order they began. */
export const sessionsOfPlateInLot = (memory: PlanMemory, plate: PlateOfLot): SessionState[] =>
  memory.sessionsOfPlates.get(plateKey(plate)) ?? [];

export function addExitOfPlate(memory: PlanMemory, plate: PlateOfLot, exit: ExitState): void {
  if (plate.plate_normalised === '') return;
  insertInOrder(memory.exitsOfPlates, plateKey(plate), { item: exit, atOf: ({ at }) => at });
}

/** Of equal times, the one that is added later stands later. */
function insertInOrder<T>(
  lists: Map<string, T[]>,
  key: string,
  { item, atOf }: { item: T; atOf: (item: T) => number },
): void {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  list.splice(list.findLastIndex((each) => atOf(each) <= atOf(item)) + 1, 0, item);
}

export function addEntryOfPlate(memory: PlanMemory, plate: PlateOfLot, entry: LotEntryState): void {
  pushTo(memory.entriesOfPlates, plateKey(plate), entry);
}
