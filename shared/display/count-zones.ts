/** Adds up the zones that a display counts. Gateways and the REST interface both count by this function. */

export interface ZoneCount {
  /** 0: unlimited. */
  spot_count: number;
  occupied: number;
}

export interface CountedZones {
  occupied: number;
  /** The number of places in zones with a limit; null: no zone has a limit. */
  total: number | null;
  /** The number of free places in zones with a limit; null: no zone has a limit. */
  free: number | null;
}

/**
 * Adds up zones one by one: vehicles in a zone without a limit occupy no place of the others, and neither do the surplus vehicles of an
 * overfull zone.
 * @param zones may be empty; then nothing is limited
 */
export function countZones(zones: readonly ZoneCount[]): CountedZones {
  const limited = zones.filter(({ spot_count }) => spot_count > 0);
  const isLimited = limited.length > 0;
  return {
    occupied: zones.reduce((sum, { occupied }) => sum + occupied, 0),
    total: isLimited ? limited.reduce((sum, { spot_count }) => sum + spot_count, 0) : null,
    free: isLimited
      ? limited.reduce((sum, { spot_count, occupied }) => sum + Math.max(0, spot_count - occupied), 0)
      : null,
  };
}

/** Returns the same zones with this many vehicles in total. All of them count as being in zones with a limit. */
export function withOccupied({ total }: CountedZones, occupied: number): CountedZones {
  return { occupied, total, free: total === null ? null : Math.max(0, total - occupied) };
}
