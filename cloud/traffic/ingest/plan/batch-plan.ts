/**
 * The plan of batches: what they will change, worked out in memory and written by a few statements. It has rows that wait for their ids,
 * and events that are built once the ids are known.
 */
import type { EventPayload } from '../../../../shared/events/event-schemas.js';
import type { ConfigSection } from '../../../../shared/gateway-config.js';
import type { CameraCounts, NewOpening } from '../../../equipment/entry.js';
import type { NewRow } from '../../../kernel/store/entry.js';
import type { KnownReading, LotEntryState, Numbered, PlannedReading, SessionState } from '../load/row-states.js';

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
  refinedReadings: Map<number, KnownReading>;
  /** By uid. */
  images: Map<string, NewRow<'images'>>;
  /** uids of images whose bytes are here. */
  arrived: string[];
  sightings: NewRow<'sightings'>[];
  /** Outcomes of openings for readings that are already in the database. */
  openings: { reading: Numbered; outcome: OpeningOutcome }[];
  /** What readings had opened, by reading: of several outcomes the last one. */
  movements: Map<Numbered, NewOpening>;
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
    movements: new Map(),
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
