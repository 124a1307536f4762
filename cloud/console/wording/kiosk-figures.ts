/** The figures of a lot that are read from afar. */

interface ZoneFacts {
  id: number;
  lot_id: number;
  spot_count: number;
  occupied_count: number;
}

interface LotFigures {
  /** null: the lot has no limit. */
  free: number | null;
  /** 0: no limit. */
  spots: number;
  occupied: number;
  /** null: not known. */
  insideCount: number | null;
}

/** @param inside all open stays; null: they are not known, or not all of them */
export function lotFigures(
  lotId: number,
  zones: readonly ZoneFacts[],
  inside: readonly { zone_id: number | null }[] | null,
): LotFigures {
  const own = zones.filter(({ lot_id }) => lot_id === lotId);
  const ids = new Set<number | null>(own.map(({ id }) => id));
  const occupied = own.reduce((sum, { occupied_count }) => sum + occupied_count, 0);
  // A zone without a limit makes the lot one.
  const isLimited = own.length > 0 && own.every(({ spot_count }) => spot_count > 0);
  const spots = isLimited ? own.reduce((sum, { spot_count }) => sum + spot_count, 0) : 0;
  return {
    // One zone that is over its limit takes no place of another one.
    free: isLimited
      ? own.reduce((sum, { spot_count, occupied_count }) => sum + Math.max(0, spot_count - occupied_count), 0)
      : null,
    spots,
    occupied,
    insideCount: inside === null ? null : inside.filter(({ zone_id }) => ids.has(zone_id)).length,
  };
}
