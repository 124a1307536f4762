/** The time in which a smoothed signal follows a change by about two thirds. A product is heard once a second or more often. */
const FOLLOWS_IN_MS = 5_000;

/**
 * Smooths the strength of a product's signal, which single packets lose or gain 10 dB of by reflections: gateways are chosen by it, and
 * would take turns. The longer a product was not heard, the less the old strength counts.
 * @param before dBm; null: not heard yet, or so long ago that it says nothing
 * @param sinceMs time since it was last heard
 * @returns dBm, not rounded
 */
export function smoothRssi(before: number | null, heard: number, sinceMs: number): number {
  if (before === null) return heard;
  const share = 1 - Math.exp(-Math.max(0, sinceMs) / FOLLOWS_IN_MS);
  return before + (heard - before) * share;
}
