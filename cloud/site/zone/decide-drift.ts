/** What a zone's two counts say together: how many vehicles it shows, and whether they disagree. */

/** How many vehicles are in a zone, as each of the two that count says. */
export interface ZoneCounts {
  /** Occupied places with sensors; null: no place of the zone has one. */
  sensors: number | null;
  /** Open sessions that are not older than the zone's `occupancy_max_hours`, as the last recount corrected them. */
  sessions: number;
}

/** Counts that disagree for this long drift. */
export const DRIFT_AFTER_MS = 3_600_000;
/** The share of the places by which they may differ. */
const DIFFERENCE_MAX = 0.1;

/** What the zone shows: its sensors' count, or its sessions' where it has no sensors. */
export const occupiedCountOf = ({ sensors, sessions }: ZoneCounts): number => sensors ?? sessions;

/** Whether sensors and sessions differ by more than a tenth of the zone's places. @param spot_count 0: unlimited, and the larger count stands for it */
export function decideDiffers({ sensors, sessions }: ZoneCounts, spot_count: number): boolean {
  if (sensors === null) return false;
  const whole = spot_count > 0 ? spot_count : Math.max(sensors, sessions);
  return Math.abs(sensors - sessions) > DIFFERENCE_MAX * whole;
}
