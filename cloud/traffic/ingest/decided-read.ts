/** Turns a refinement that was decided again into the read whose decision is planned. */
import type { PlateReadRecord, PlateRefinedRecord } from '../../../shared/uplink.js';

/** Returns the refined read as if it had been read like this; null if the decision on the reading stands. */
export function decidedRead({ reading, decided }: PlateRefinedRecord): PlateReadRecord | null {
  return decided === null ? null : { kind: 'plate_read', reading, ...decided };
}
