/** The types of what `batch-facts.ts` and `session-facts.ts` load before a batch is planned. */
import type { PlateReadRecord } from '../../shared/uplink.js';
import type { ReadingCamera } from '../camera/camera-queries.js';
import type { ProductPlace } from '../product/product-queries.js';
import type { MemberTariff } from '../session/session-queries.js';
import type { Row } from '../store/schema.js';
import type {
  ExitState,
  KnownReadingRef,
  LotEntryState,
  Numbered,
  PlannedReading,
  SessionState,
} from './batch-plan.js';
import type { EventTime } from './decide-event-time.js';

/** The gateway that sent the records, with its lot. */
export interface IngestGateway {
  id: number;
  account_id: number;
  lot_id: number;
}

export interface ReadFacts {
  payload: PlateReadRecord;
  time: EventTime;
}

export interface BatchFacts {
  /** Cameras by id, also those that were deleted since. */
  cameras: Map<number, ReadingCamera>;
  /** The zones of the lot that the records name, also those that were deleted since. */
  zoneIds: Set<number>;
  products: Map<number, ProductPlace>;
  /** By uid: sessions that the records name, and sessions of their plates in the lot. The plan changes and adds some. */
  sessions: Map<string, SessionState>;
  /** The same sessions by normalised plate. */
  sessionsOfPlate: Map<string, SessionState[]>;
  /** Exits that were allowed without a session, by normalised plate and in their order. The plan adds some and removes some. */
  exitsOfPlates: Map<string, ExitState[]>;
  /** By zone: the id of the tariff that prices its sessions. */
  zoneTariffs: Map<number, number>;
  memberTariffs: MemberTariff[];
  /** By uid: readings in the database that the records name, or whose uids they have. */
  readings: Map<string, KnownReadingRef>;
  /** By uid: readings that refinements name. The plan changes them. */
  refinable: Map<string, KnownReading>;
  images: Map<string, Pick<Row<'images'>, 'owner_uid' | 'lot_id'>>;
  /** Lot entries by the reading that began a session, and allowed lot entries by plate. The plan adds to both. */
  entriesOfReadings: Map<Numbered, LotEntryState>;
  entriesOfPlates: Map<string, LotEntryState[]>;
  early: Map<string, Row<'early_records'>[]>;
  /** By uid: why the record was given up. */
  givenUp: Map<string, string>;
}

/** A reading with the session it has in the database. */
export interface KnownReading {
  reading: PlannedReading;
  session_id: number | null;
}
