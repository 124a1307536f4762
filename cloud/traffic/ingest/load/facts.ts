/**
 * What the cloud knows of all that the records of a transaction name. It is loaded by a few statements before anything is planned
 * (`load-facts.ts`, `load-sessions.ts`); planning changes it as a record would have changed the database.
 */
import { pushTo } from '../../../../shared/grouping.js';
import type { ProductPlace, ReadingCamera } from '../../../equipment/entry.js';
import type { MemberTariff, PlateOfLot } from '../../session/session-queries.js';
import type { Known } from '../known-queries.js';
import type { ExitState, KnownReading, KnownReadingRef, LotEntryState, Numbered, SessionState } from './row-states.js';

export interface BatchFacts {
  /** Cameras by id, also those that were deleted since. */
  cameras: Map<number, ReadingCamera>;
  /** The lots of zones that the records name, also of those that were deleted since. */
  lotsOfZones: Map<number, number>;
  products: Map<number, ProductPlace>;
  /** By uid: sessions that the records name, and sessions of their plates in their lots. The plan changes and adds some. */
  sessions: Map<string, SessionState>;
  /** The same sessions by `plateKey`, in the order they began. */
  sessionsOfPlates: Map<string, SessionState[]>;
  /** Exits that were allowed without a session, by `plateKey` and in their order. The plan adds some and removes some. */
  exitsOfPlates: Map<string, ExitState[]>;
  /** By zone: the id of the tariff that prices its sessions. */
  zoneTariffs: Map<number, number>;
  memberTariffs: MemberTariff[];
  /** By uid: readings in the database that the records name, or whose uids they have. */
  readings: ReadonlyMap<string, KnownReadingRef>;
  /** By uid: readings that refinements name. The plan changes them. */
  refinable: Map<string, KnownReading>;
  images: Known['images'];
  /** Lot entries by the reading that began a session, and allowed lot entries by `plateKey`. The plan adds to both. */
  entriesOfReadings: Map<Numbered, LotEntryState>;
  entriesOfPlates: Map<string, LotEntryState[]>;
  /** By the uid that they wait for: early records in the database, of all gateways. */
  early: Known['early'];
  /** How many early records each gateway has in the database, where that may matter. */
  earlyCounts: Map<number, number>;
  /** By `givenUpKey`: why a record was given up. The plan adds some. */
  givenUp: Map<string, string>;
}

export const emptyFacts = ({ readings, images }: Known): BatchFacts => ({
  cameras: new Map(),
  lotsOfZones: new Map(),
  products: new Map(),
  sessions: new Map(),
  sessionsOfPlates: new Map(),
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

/** Names a plate in a lot. */
export const plateKey = ({ lot_id, plate_normalised }: PlateOfLot): string => `${lot_id} ${plate_normalised}`;

/** Names a record of a gateway. */
export const givenUpKey = (gateway_id: number, uid: string): string => `${gateway_id} ${uid}`;

export function addSession(facts: BatchFacts, session: SessionState): void {
  facts.sessions.set(session.row.uid, session);
  // A session without a plate, which a person can begin, belongs to no plate.
  if (session.row.plate_normalised === '') return;
  insertInOrder(facts.sessionsOfPlates, plateKey(session.row), { item: session, atOf: ({ row }) => row.created_at });
}

/** Lists the sessions of a plate in a lot that matter to the batch, in the order they began. */
export const sessionsOfPlateInLot = (facts: BatchFacts, plate: PlateOfLot): SessionState[] =>
  facts.sessionsOfPlates.get(plateKey(plate)) ?? [];

export function addExitOfPlate(facts: BatchFacts, plate: PlateOfLot, exit: ExitState): void {
  if (plate.plate_normalised === '') return;
  insertInOrder(facts.exitsOfPlates, plateKey(plate), { item: exit, atOf: ({ at }) => at });
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

export function addEntryOfPlate(facts: BatchFacts, plate: PlateOfLot, entry: LotEntryState): void {
  pushTo(facts.entriesOfPlates, plateKey(plate), entry);
}
