/**
 * Finds when the vehicles left that a recount had counted and that have no session to end. The only evidence is a plate that was read at the
 * exit. Either the read belongs to no session, or its session did not count at the recount, because it was too old or its vehicle was taken
 * to be gone.
 */
import type { Db, Row } from '../../kernel/store/entry.js';
import { HOUR_MS } from '../../../shared/durations.js';

export type CountedZone = Pick<Row<'zones'>, 'id' | 'lot_id' | 'occupancy_max_hours'>;
export type RecountOfZone = Pick<Row<'zone_recounts'>, 'uncounted_until' | 'extra_count' | 'counted_at'>;

/**
 * When the vehicles without a session stop counting, even if none of them was seen leaving. It is when sessions of the same age stop counting
 * too.
 */
export const extrasEnd = ({ occupancy_max_hours }: CountedZone, { counted_at }: RecountOfZone): number =>
  counted_at + occupancy_max_hours * HOUR_MS;

/**
 * Returns the times in ascending order at which vehicles left that the recount had counted without a session: at most `extra_count`. Repeated
 * reads of a plate count once. A denied read counts too, because the vehicle stands at the exit and a person will let it out.
 * @param until wall milliseconds; later reads are ignored
 */
export async function departures(
  db: Db,
  { zone, recount, until }: { zone: CountedZone; recount: RecountOfZone; until: number },
): Promise<number[]> {
  const { extra_count, counted_at } = recount;
  const end = Math.min(until, extrasEnd(zone, recount));
  if (extra_count === 0 || end <= counted_at) return [];
  const of = { zone, from: counted_at, end };
  const notCountedUntil = Math.max(recount.uncounted_until, counted_at - zone.occupancy_max_hours * HOUR_MS);
  const first = new Map<string, number>();
  for (const { plate_normalised, at } of [
    ...(await exitsWithoutSession(db, of)),
    ...(await exitsOfUncounted(db, { ...of, notCountedUntil })),
  ]) {
    first.set(plate_normalised, Math.min(Number(at), first.get(plate_normalised) ?? Number(at)));
  }
  return [...first.values()].toSorted((a, b) => a - b).slice(0, extra_count);
}

interface Within {
  zone: CountedZone;
  /** Exclusive; `end` is inclusive. */
  from: number;
  end: number;
}

/** The reasons of reads that are not departures: repeated reads, and vehicles that drive the wrong way. */
const NO_EXIT = ['debounce', 'direction_mismatch'] as const;

const exitsWithoutSession = (db: Db, { zone, from, end }: Within) =>
  db
    .selectFrom('plate_readings')
    .select(({ fn }) => ['plate_normalised', fn.min<number | string>('created_at').as('at')])
    .where('lot_id', '=', zone.lot_id)
    .where('zone_id', '=', zone.id)
    .where('created_at', '>', from)
    .where('created_at', '<=', end)
    .where('direction', '=', 'out')
    .where('session_id', 'is', null)
    .where((eb) => eb.or([eb('access_decision_reason', 'is', null), eb('access_decision_reason', 'not in', NO_EXIT)]))
    .groupBy('plate_normalised')
    .execute();

/** Sessions that ended at the exit, and whose vehicles did not count at the recount. */
const exitsOfUncounted = (db: Db, { zone, from, end, notCountedUntil }: Within & { notCountedUntil: number }) =>
  db
    .selectFrom('sessions')
    .innerJoin('plate_readings', 'plate_readings.id', 'sessions.exit_reading_id')
    .select(({ fn }) => ['sessions.plate_normalised', fn.min<number | string>('sessions.ended_at').as('at')])
    .where('sessions.lot_id', '=', zone.lot_id)
    .where('sessions.zone_id', '=', zone.id)
    .where('sessions.ended_at', '>', from)
    .where('sessions.ended_at', '<=', end)
    .where('sessions.created_at', '<=', notCountedUntil)
    .where('plate_readings.direction', '=', 'out')
    .groupBy('sessions.plate_normalised')
    .execute();
