/** Decides whether what a camera sent again refines its reading, and whether the reading is decided again. Pure. */
import type { ReadDirection } from '../../../shared/access/resolve-direction.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';

/** A camera may not refine one vehicle for ever. */
export const STATES_PER_READ_MAX = 32;

/** A reading as it is now. */
export interface RefinableRead {
  /** The plate as stored. */
  plate: string;
  direction: ReadDirection;
  /** Whether the vehicle was let in or out; null: the reading is no lot entry. */
  allowed: boolean | null;
  /** All of its states that were recorded. Empty: they are not known. */
  states: readonly string[];
}

/** What the camera sent with the same id. */
export interface SentAgain {
  /** null: no usable plate. */
  plate: string | null;
  direction: ReadDirection;
  retransmission: boolean;
  /** Its plate, direction and confidence as one text. */
  state: string;
}

/**
 * Returns null for a repeat of the read or of one of its refinements, and for a state that is no better. Another plate or direction
 * is decided again after a denial or no decision, but never once the vehicle was let through (REST contract, "Access decisions").
 */
export function decideRefinement(
  known: RefinableRead,
  sent: SentAgain,
): { plate: string; decidesAgain: boolean } | null {
  const { plate, direction, state } = sent;
  if (sent.retransmission || plate === null) return null;
  if (known.states.length === 0 || known.states.length >= STATES_PER_READ_MAX) return null;
  if (known.states.includes(state)) return null;
  const isOther = direction !== known.direction || normalisePlate(plate) !== normalisePlate(known.plate);
  return { plate, decidesAgain: isOther && direction !== 'undefined' && known.allowed !== true };
}
