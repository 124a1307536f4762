/** Adds up the zones that a display counts. Gateways and REST count by this one function. */

export interface ZoneCount {
  /** 0: unlimited. */
  spot_count: number;
  occupied: number;
}

export interface CountedZones {
  occupied: number;
  /** How many places there are where their number is limited; null: it is nowhere, and there is always another one. */
  total: number | null;
  /** How many of those are free; null: as `total`. */
  free: number | null;
}

/**
 * Vehicles in a zone without a limit take no place from the others, and a zone with more vehicles than places none from its neighbour.
 * @param zones none: nothing is limited
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

/** The same zones with so many vehicles in all: the zones without a limit take none of them. */
export function withOccupied({ total }: CountedZones, occupied: number): CountedZones {
  return { occupied, total, free: total === null ? null : Math.max(0, total - occupied) };
}
