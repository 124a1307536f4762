/**
 * The plan of batches: what they will change, worked out in memory and written by a few statements. It has rows that wait for their ids,
 * and events that are built once the ids are known.
 */
import type { EventPayload } from '../../../shared/events/event-schemas.js';
import type { ConfigSection } from '../../../shared/gateway-config.js';
import type { CameraCounts, LotEntryCamera } from '../../equipment/entry.js';
import type { ReadingImages } from '../image/reading-images-payload.js';
import type { NewRow, Row } from '../../kernel/entry.js';

/** A row; its id is null until it is written. */
export interface Numbered {
  id: number | null;
}

/** Returns the id of a row that is already written. @throws Error when it is not, which is a mistake in the order of writing */
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

/** A session as it is at this point of the batch. What prices a new one is looked up when it is written. */
export interface SessionState extends Numbered {
  row: Omit<Row<'sessions'>, 'id' | 'entry_reading_id' | 'exit_reading_id'>;
  entry_reading: Numbered | null;
  exit_reading: Numbered | null;
  entry: { reading: Numbered; plate: string; images: ReadingImages } | null;
}

/** An exit that was allowed although no session was known. */
export interface ExitState {
  at: number;
  camera_id: number | null;
  reading: Numbered;
  /** The reading, if it is of this batch. */
  planned: PlannedReading | null;
}

/** A lot entry, with what its event and the event of its exit say. */
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

/** An event of a lot, built after the rows were written. */
export interface PlannedEvent {
  owner: { account_id: number; lot_id: number };
  build(): { [Name in keyof PayloadOf]: EventOf<Name> }[keyof PayloadOf];
}

export interface OpeningOutcome {
  opening_event_id: string;
  opening_outcome: 'succeeded' | 'failed' | 'unknown';
  opening_error_type: number | null;
  updated_at: number;
}

export interface BatchPlan {
  /** By uid. */
  readings: Map<string, PlannedReading>;
  /** Readings that are already in the database, by id, with the session that each had before the batch. */
  refinedReadings: Map<number, { reading: PlannedReading; session_id: number | null }>;
  /** By uid. */
  images: Map<string, NewRow<'images'>>;
  /** uids of images whose bytes are here. */
  arrived: string[];
  sightings: NewRow<'sightings'>[];
  /** Outcomes of openings for readings that are already in the database. */
  openings: { reading: Numbered; outcome: OpeningOutcome }[];
  newSessions: SessionState[];
  /** Readings that are already in the database, and whose session came late. */
  claimedReadings: { reading: Numbered; session: SessionState }[];
  /** Sessions that are already in the database, and that this batch ends. */
  endedSessions: SessionState[];
  lotEntries: LotEntryState[];
  events: PlannedEvent[];
  /** uids of records that are applied, stored as early, or given up, with their gateways, which need not send them again. */
  handled: Map<string, number>;
  /** Records that wait for another one, by its uid. */
  early: Map<string, NewRow<'early_records'>[]>;
  /** uids of early records in the database that wait no longer. */
  dueEarly: string[];
  deadLetters: NewRow<'dead_letters'>[];
  lost: NewRow<'lost_records'>[];
  /** What is to be added to the days of cameras, by camera and day. */
  cameraCounts: Map<string, CameraCounts & { lpr_camera_id: number; day: number }>;
  /** Sections of lots' configuration that become stale. */
  stale: Map<number, Set<ConfigSection>>;
}

export function emptyPlan(): BatchPlan {
  return {
    readings: new Map(),
    refinedReadings: new Map(),
    images: new Map(),
    arrived: [],
    sightings: [],
    openings: [],
    newSessions: [],
    claimedReadings: [],
    endedSessions: [],
    lotEntries: [],
    events: [],
    handled: new Map(),
    early: new Map(),
    dueEarly: [],
    deadLetters: [],
    lost: [],
    cameraCounts: new Map(),
    stale: new Map(),
  };
}

export function markStale(plan: BatchPlan, lot_id: number, section: ConfigSection): void {
  const sections = plan.stale.get(lot_id);
  if (sections === undefined) plan.stale.set(lot_id, new Set([section]));
  else sections.add(section);
}

/** The record names a uid that is not here yet: it is stored as early. Thrown before anything is planned. */
export class RecordTooEarly extends Error {
  readonly waits_for_uid: string;

  constructor(waits_for_uid: string) {
    super(`waits for ${waits_for_uid}`);
    this.name = 'RecordTooEarly';
    this.waits_for_uid = waits_for_uid;
  }
}
