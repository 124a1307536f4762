import type { Caller } from '../../kernel/auth/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { majorUnits } from '../../../shared/currencies.js';
import { newestReadings, type VehicleSums } from './session-analytics-queries.js';
import { averageDuration } from './session-analytics.js';

/** A plate with its visits, as vehicle analytics show it. Durations are in seconds and count visits that have ended. */
export interface Vehicle {
  /** The newest spelling. */
  plate: string;
  /** The country that a camera last saw; null when no camera saw the vehicle, or recognised it. */
  country_code: string | null;
  type: string | null;
  make: string | null;
  color: string | null;
  model: string | null;
  visits_count: number;
  total_duration: number;
  average_duration: number | null;
  /** null: in several currencies. */
  amount_paid: number | null;
  first_seen_at: string;
  last_seen_at: string;
}

export async function representVehicles(
  db: Db,
  caller: Pick<Caller, 'account_id' | 'lot_ids'>,
  vehicles: readonly VehicleSums[],
): Promise<Vehicle[]> {
  const plates = vehicles.map(({ plate }) => plate);
  const newest = await newestReadings(db, caller, plates);
  return vehicles.map(({ plate, visits, ended, seconds, currency, is_mixed, paid, first_seen, last_seen }) => {
    const { written, seen } = newest.get(plate) ?? { written: null, seen: null };
    return {
      plate: written ?? plate,
      country_code: seen?.country_code ?? null,
      type: seen?.type ?? null,
      make: seen?.make ?? null,
      color: seen?.color ?? null,
      model: seen?.model ?? null,
      visits_count: visits,
      total_duration: seconds,
      average_duration: averageDuration(seconds, ended),
      amount_paid: is_mixed === 1 ? null : majorUnits(paid, currency),
      first_seen_at: new Date(first_seen).toISOString(),
      last_seen_at: new Date(last_seen).toISOString(),
    };
  });
}
