/** The state of a read that a camera may refine, as one text: direction, confidence and plate. */
import type { PlateReadRecord } from '../../shared/uplink.js';

/** Writes what a camera may refine as one text. */
export function readState(read: Pick<PlateReadRecord['reading'], 'plate' | 'direction' | 'confidence'>): string {
  return `${read.direction} ${read.confidence ?? '-'} ${read.plate}`;
}

/** The plate of a `readState`. */
export function plateOfState(state: string): string {
  return state.split(' ').slice(2).join(' ');
}

/** The confidence of a `readState`, 0..1; null: it was not known. */
export function confidenceOfState(state: string): number | null {
  const written = state.split(' ')[1];
  return written === undefined || written === '-' || !Number.isFinite(Number(written)) ? null : Number(written);
}
