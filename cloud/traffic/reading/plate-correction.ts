import type { Tx } from '../../kernel/store/entry.js';

/** A reading whose plate a person corrects. */
export interface CorrectedPlate {
  reading: { id: number; lot_id: number };
  plate_normalised: string;
  /** Wall milliseconds. */
  now: number;
}

/**
 * A step that follows the correction of a plate, in the transaction of the correction, before the reading is written.
 * @throws ApiError if the correction is refused
 */
export type PlateCorrected = (tx: Tx, corrected: CorrectedPlate) => Promise<void>;
