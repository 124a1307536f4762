/** Which refused vehicles still wait for a person. */
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { isRefused } from './sentences.js';

/** For so long after it came a vehicle can be let through by its row: later another one stands there, or none. The service holds to it, too. */
export const LIVE_MS = 10 * 60_000;

/** @param iso when the vehicle came. @param now by the service's clock, milliseconds since 1970 */
export const leftToLet = (iso: string, now: number): number => Date.parse(iso) + LIVE_MS - now;

export interface ReadingFacts {
  id: number;
  plate: string;
  lpr_camera_id: number | null;
  direction: string;
  access_decision: string | null;
  access_decision_reason: string | null;
  handled_at: string | null;
}

/**
 * A vehicle that was read again has its newest refusal alone, and none once it was let through or somebody dealt with it.
 * @param readings the newest first
 */
export function waitingOf<Reading extends ReadingFacts>(readings: readonly Reading[]): Reading[] {
  const settled = new Set<string>();
  return readings.filter((reading) => {
    // Cameras and people write the same plate differently.
    const vehicle = normalisePlate(reading.plate);
    if (reading.access_decision === 'triggered') settled.add(vehicle);
    if (!isRefused(reading) || settled.has(vehicle)) return false;
    settled.add(vehicle);
    return reading.handled_at === null;
  });
}
