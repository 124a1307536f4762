/** Evaluates the two counts of a zone: how many vehicles it shows, and whether the counts differ too much. */

/** The number of vehicles in a zone, by its sensors and by its sessions. */
export interface ZoneCounts {
  /** The number of occupied places with sensors; null: no place of the zone has a sensor. */
  sensors: number | null;
  /** The number of open sessions that are not older than the zone's `occupancy_max_hours`, corrected by the last recount. */
  sessions: number;
}

/** How long the counts have to differ before it is reported as drift. */
export const DRIFT_AFTER_MS = 3_600_000;
/** The share of the zone's places by which the counts may differ. */
const DIFFERENCE_MAX = 0.1;

/** Returns the count that the zone shows: that of its sensors, or that of its sessions if it has no sensors. */
export const occupiedCountOf = ({ sensors, sessions }: ZoneCounts): number => sensors ?? sessions;

/** Whether sensors and sessions differ by more than a tenth of the zone's places. @param spot_count 0: unlimited; the larger count replaces it */
export function decideDiffers({ sensors, sessions }: ZoneCounts, spot_count: number): boolean {
  if (sensors === null) return false;
  const whole = spot_count > 0 ? spot_count : Math.max(sensors, sessions);
  return Math.abs(sensors - sessions) > DIFFERENCE_MAX * whole;
}
