/** Whether a vehicle that was read may still be let through: later another one stands there, or none. */
import type { Clock } from '../../../shared/clock.js';
import { ApiError } from '../../../shared/errors.js';
import type { AnsweredVehicle } from '../../equipment/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import type { FieldError } from '../../rest/entry.js';

const LIVE_MS = 10 * 60_000;

const VEHICLES = { plate_reading_id: 'plate_readings', plate_sighting_id: 'sightings' } as const;

/** @throws ApiError naming the vehicle that is not one of the lot, or was there more than ten minutes ago */
export async function requireLiveVehicle(
  db: Db,
  { lot_id, ...named }: AnsweredVehicle & { lot_id: number | null },
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  const errors: FieldError[] = [];
  for (const field of ['plate_reading_id', 'plate_sighting_id'] as const) {
    const id = named[field];
    if (id === undefined) continue;
    const found = await db
      .selectFrom(VEHICLES[field])
      .select('created_at')
      .where('id', '=', id)
      .where('lot_id', '=', lot_id ?? 0)
      .executeTakeFirst();
    if (found === undefined) errors.push({ field, message: 'There is no such thing' });
    else if (clock.now() - found.created_at > LIVE_MS)
      errors.push({ field, message: 'It is of more than 10 minutes ago' });
  }
  if (errors.length > 0) throw ApiError.validation(errors);
}
