/** Decides whether a read that a camera sent again refines its reading, and whether the reading is decided again. Pure. */
import type { ReadDirection } from '../../../shared/access/resolve-direction.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { confidenceOfState, readState } from '../../store/read-state-codec.js';

/** Bounds how often a camera may refine the reading of one vehicle. */
export const STATES_PER_READ_MAX = 32;

/** The present values of a reading. */
export interface RefinableRead {
  /** The plate as stored. */
  plate: string;
  direction: ReadDirection;
  /** Whether the vehicle was let in or out; null: the reading led to no lot entry. */
  allowed: boolean | null;
  /** All states of the reading that were recorded, the present one last. Empty: they are not known. */
  states: readonly string[];
}

/** The read that the camera sent with the same id. */
export interface SentAgain {
  /** null: no usable plate. */
  plate: string | null;
  direction: ReadDirection;
  /** 0..1; null: the camera does not say. */
  confidence: number | null;
  retransmission: boolean;
  /** The read came so late that the vehicle may have left. */
  isLate: boolean;
}

/** The new values of a reading. */
export interface Refinement {
  plate: string;
  confidence: number | null;
  /** The plate of the reading stays, because the camera was less certain of the plate that it sent now. */
  keepsPlate: boolean;
  state: string;
  decidesAgain: boolean;
}

/**
 * Returns null for a repeat of the read or of one of its refinements, and for a read that improves nothing. The more
 * certain of two plates stays, though the other read may add the direction. A reading with another plate or direction
 * is decided again after a denial or no decision, but never when the vehicle was let through or may have left (REST
 * contract, "Access decisions").
 */
export function decideRefinement(known: RefinableRead, sent: SentAgain): Refinement | null {
  const { direction } = sent;
  if (sent.retransmission || sent.plate === null) return null;
  const present = known.states.at(-1);
  if (present === undefined || known.states.length >= STATES_PER_READ_MAX) return null;
  const sureness = confidenceOfState(present);
  const keepsPlate = sureness !== null && sent.confidence !== null && sent.confidence < sureness;
  const plate = keepsPlate ? known.plate : sent.plate;
  const confidence = keepsPlate ? sureness : sent.confidence;
  if (keepsPlate && direction === 'undefined') return null;
  const state = readState({ plate, direction, confidence });
  if (known.states.includes(state)) return null;
  const isOther = direction !== known.direction || normalisePlate(plate) !== normalisePlate(known.plate);
  const decidesAgain = isOther && direction !== 'undefined' && known.allowed !== true && !sent.isLate;
  return { plate, confidence, keepsPlate, state, decidesAgain };
}
