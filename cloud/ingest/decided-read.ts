/** A refinement that was decided again, as the read that a decision is planned of. */
import type { PlateReadRecord, PlateRefinedRecord } from '../../shared/uplink.js';

/** The refined read as if it were read so; null where the decision on the reading stands. */
export function decidedRead({ reading, decided }: PlateRefinedRecord): PlateReadRecord | null {
  return decided === null ? null : { kind: 'plate_read', reading, ...decided };
}
