/**
 * Finds when vehicles left that a recount had counted and that have no session of their own to end. What shows at the exit is the only
 * sign of them: a plate that was read on its way out and belongs to no session, or whose session was too old or taken to be over when the
 * vehicles were counted.
 */
import type { Db, Row } from '../../kernel/entry.js';
import { HOUR_MS } from '../../../shared/durations.js';

export type CountedZone = Pick<Row<'zones'>, 'id' | 'lot_id' | 'occupancy_max_hours'>;
export type RecountOfZone = Pick<Row<'zone_recounts'>, 'uncounted_until' | 'extra_count' | 'counted_at'>;

/** When the vehicles without a session stop counting even if none of them was seen leaving: a session would not count longer either. */
export const extrasEnd = ({ occupancy_max_hours }: CountedZone, { counted_at }: RecountOfZone): number =>
  counted_at + occupancy_max_hours * HOUR_MS;

/**
 * The times at which vehicles left that a recount counted beside the sessions, in their order: at most `extra_count`. A plate counts once,
 * however often it is read. A denied one counts too: it stands at the exit, and only a person can let it out.
 * @param until wall milliseconds; what came later is left out
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
  /** Exclusive. */
  from: number;
  end: number;
}

/** A vehicle that drives the wrong way, or is read again, is none that leaves. */
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

/** Sessions that ended at the exit and were not counted as vehicles when somebody counted. */
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
