/** The types of what `batch-facts.ts` and `session-facts.ts` load before a batch is planned. */
import type { PlateReadRecord } from '../../../shared/uplink.js';
import type { ProductPlace, ReadingCamera } from '../../equipment/entry.js';
import type { MemberTariff } from '../session/session-queries.js';
import type {
  ExitState,
  KnownReadingRef,
  LotEntryState,
  Numbered,
  PlannedReading,
  SessionState,
} from './batch-plan.js';
import type { EventTime } from './decide-event-time.js';
import type { Known } from './known-queries.js';

/** The gateway that sent the records, with its lot. */
export interface IngestGateway {
  id: number;
  account_id: number;
  lot_id: number;
}

export interface ReadFacts {
  lot_id: number;
  payload: PlateReadRecord;
  time: EventTime;
}

export interface BatchFacts {
  /** Cameras by id, also those that were deleted since. */
  cameras: Map<number, ReadingCamera>;
  /** The lots of zones that the records name, also of those that were deleted since. */
  lotsOfZones: Map<number, number>;
  products: Map<number, ProductPlace>;
  /** By uid: sessions that the records name, and sessions of their plates in their lots. The plan changes and adds some. */
  sessions: Map<string, SessionState>;
  /** The same sessions by normalised plate. */
  sessionsOfPlate: Map<string, SessionState[]>;
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

/** A reading with the session it has in the database. */
export interface KnownReading {
  reading: PlannedReading;
  session_id: number | null;
}

/** Names a plate in a lot. */
export const plateKey = (lot_id: number, plate_normalised: string): string => `${lot_id} ${plate_normalised}`;

/** Names a record of a gateway. */
export const givenUpKey = (gateway_id: number, uid: string): string => `${gateway_id} ${uid}`;
