/**
 * What a batch will change, worked out in memory and written by a few statements: rows that wait for their ids, and events
 * that are made once the ids are known.
 */
import type { EventPayload } from '../../shared/events/event-schemas.js';
import type { ConfigSection } from '../../shared/gateway-config.js';
import type { UplinkRecord } from '../../shared/uplink.js';
import type { DirectPayload } from './apply-direct.js';
import type { LotEntryCamera } from '../lpr/lot-entry-payload.js';
import type { ReadingImages } from '../lpr/reading-images-payload.js';
import type { NewRow, Row } from '../store/schema.js';

/** A row; its id is null until it is written. */
export interface Numbered {
  id: number | null;
}

/** The id of what was written before; anything else is a mistake in the order of writing. */
export function idOf(thing: Numbered): number {
  if (thing.id === null) throw new Error('a row was asked for its id before it was written');
  return thing.id;
}

/** A reading that is in the database already. */
export interface KnownReadingRef extends Numbered {
  gateway_id: number | null;
}

export interface PlannedReading extends KnownReadingRef {
  row: Omit<Row<'plate_readings'>, 'id' | 'session_id'>;
  images: ReadingImages;
  session: SessionState | null;
}

/** A session as it is at this point of the batch. */
export interface SessionState extends Numbered {
  row: Omit<Row<'sessions'>, 'id' | 'entry_reading_id' | 'exit_reading_id'>;
  entry_reading: Numbered | null;
  exit_reading: Numbered | null;
  currency: string | null;
  entry: { reading: Numbered; plate: string; images: ReadingImages } | null;
}

/** An exit that was allowed though no session was known. */
export interface ExitState {
  at: number;
  camera_id: number | null;
  reading: Numbered;
  /** The reading, where it is of this batch. */
  planned: PlannedReading | null;
}

/** A lot entry, with what its event and that of its exit tell. */
export interface LotEntryState extends Numbered {
  row: Omit<Row<'lot_entries'>, 'id' | 'plate_reading_id' | 'related_lot_entry_id'>;
  reading: Numbered;
  seen: Pick<Row<'plate_readings'>, 'plate' | 'make' | 'color' | 'model'>;
  images: ReadingImages;
  camera: Pick<LotEntryCamera, 'id' | 'device_id' | 'name'>;
  related: LotEntryState | null;
}

type EventOf<Name extends keyof PayloadOf> = { event: Name; payload: PayloadOf[Name] };
type PayloadOf = {
  [Name in
    | 'plate_reading_create'
    | 'plate_reading_update'
    | 'session_create'
    | 'session_update'
    | 'lpr_event']: EventPayload<Name>;
};
/** Made after the rows were written. */
export type PlannedEvent = () => { [Name in keyof PayloadOf]: EventOf<Name> }[keyof PayloadOf];

export interface OpeningOutcome {
  opening_event_id: string;
  opening_outcome: 'succeeded' | 'failed' | 'unknown';
  opening_error_type: number | null;
  updated_at: number;
}

export interface BatchPlan {
  readings: PlannedReading[];
  /** In the database already, by id, with the session each had before the batch. */
  refinedReadings: Map<number, { reading: PlannedReading; session_id: number | null }>;
  images: NewRow<'images'>[];
  /** uids of pictures whose bytes are here. */
  arrived: string[];
  sightings: NewRow<'sightings'>[];
  /** Of readings that are in the database already. */
  openings: { reading: Numbered; outcome: OpeningOutcome }[];
  newSessions: SessionState[];
  /** Readings in the database already, whose session came late. */
  claimedReadings: { reading: Numbered; session: SessionState }[];
  /** In the database already, and ended by this batch. */
  endedSessions: SessionState[];
  lotEntries: LotEntryState[];
  events: PlannedEvent[];
  /** Applied by statements of their own, after the rows and events above. */
  direct: { record: UplinkRecord; payload: DirectPayload }[];
  /** uids that are taken for good: applied or parked. */
  taken: Set<string>;
  parked: NewRow<'parked_records'>[];
  /** uids of parked records whose time has come. */
  unparked: string[];
  deadLetters: NewRow<'dead_letters'>[];
  lost: NewRow<'lost_records'>[];
  /** Configuration sections that become stale. */
  dirty: Set<ConfigSection>;
}

export function emptyPlan(): BatchPlan {
  return {
    readings: [],
    refinedReadings: new Map(),
    images: [],
    arrived: [],
    sightings: [],
    openings: [],
    newSessions: [],
    claimedReadings: [],
    endedSessions: [],
    lotEntries: [],
    events: [],
    direct: [],
    taken: new Set(),
    parked: [],
    unparked: [],
    deadLetters: [],
    lost: [],
    dirty: new Set(),
  };
}

/** The record can never be applied: it goes to the dead letters. Thrown before anything is planned. */
export class UnusableRecord extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnusableRecord';
  }
}

/** The record names a uid that is not here yet: it is parked. Thrown before anything is planned. */
export class RecordTooEarly extends Error {
  readonly waits_for_uid: string;

  constructor(waits_for_uid: string) {
    super(`waits for ${waits_for_uid}`);
    this.name = 'RecordTooEarly';
    this.waits_for_uid = waits_for_uid;
  }
}
