/** What the correction of a reading's plate means for sessions, which are above readings. */
import type { Caller } from '../../kernel/auth/entry.js';
import type { Row, Tx } from '../../kernel/store/entry.js';

/** A reading whose plate a person corrects. */
export interface CorrectedPlate {
  reading: Pick<Row<'plate_readings'>, 'id' | 'lot_id' | 'session_id'>;
  plate_normalised: string;
  /** Wall milliseconds. */
  now: number;
}

/** An exit that was refused, as it is after the correction. */
export type RefusedExit = Pick<Row<'plate_readings'>, 'id' | 'lot_id' | 'plate_normalised' | 'created_at'>;

export interface PlateCorrections {
  /**
   * A step that follows the correction of a plate, in the transaction of the correction, before the reading is written.
   * @throws ApiError if the correction is refused
   */
  corrected(tx: Tx, corrected: CorrectedPlate): Promise<void>;
  /** Lists the open sessions that a refused exit fits: of its plate, begun before it. No other transaction changes them until this one ends. */
  sessionsLeft(tx: Tx, exit: RefusedExit): Promise<number[]>;
  /**
   * Ends the session that a refused exit fits whose vehicle a person let out, as of the time of its reading: the correction says whose it was.
   * Nothing is changed where none or several fit.
   */
  endLetOut(tx: Tx, exit: { id: number; now: number }): Promise<void>;
  /** Ends the session that a refused exit fits, as of the time of its reading, which is the session's from then on. */
  endSession(tx: Tx, ended: { session_id: number; exit: RefusedExit; caller: Caller; now: number }): Promise<void>;
}
