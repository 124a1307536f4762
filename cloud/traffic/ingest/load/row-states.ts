/** Rows as they are at one point of a batch. A row that is not written yet has no id; who refers to it holds the state instead. */
import type { LotEntryCamera } from '../../../equipment/entry.js';
import type { Row } from '../../../kernel/store/entry.js';
import type { ReadingImages } from '../../image/reading-images-payload.js';

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

/** A reading with the session it has in the database. */
export interface KnownReading {
  reading: PlannedReading;
  session_id: number | null;
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
