/** The schedule of a day at a car park, drawn from a seed: which vehicle comes when, for how long, and what goes wrong. Pure. */
import { zoneOffsets } from '../../../shared/zone-offsets.js';
import { type Chance, createChance } from './chance.js';
import { arrivalShare } from './day-curve.js';
import { confusedPlate, coveredPlate, makePlate, type Vehicle, vehicleOf } from './vehicle.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.js';

/** The word of a camera for a plate that it cannot read. */
export const UNREADABLE = 'unknown';

/** One read of a vehicle that stands at a camera. */
export interface SeenPlate {
  /** Seconds after the vehicle came to the camera. */
  after_s: number;
  plate: string;
  /** 0..1 */
  confidence: number;
  /** Left out: the direction of the camera's position. */
  direction?: 'in' | 'out';
}

/** A vehicle comes to the entry or to the exit. */
export interface Pass {
  /** Wall milliseconds. */
  at_ms: number;
  side: 'in' | 'out';
  /** If the first one opens, later ones are left out, except one within `AGAIN_S`. Empty: the vehicle slips through behind another. */
  reads: SeenPlate[];
  /** For how many seconds something blocks the barrier; null: nothing does. */
  jam_s: number | null;
}

/** A vehicle from its first pass to its last; between an entry and an exit it is parked. */
export interface Visit {
  vehicle: Vehicle;
  passes: Pass[];
}

export interface ScheduledLot {
  /** IANA */
  timezone: string;
  /** Plates of residents. */
  members: readonly string[];
  /** How many strangers come in the busiest hour. */
  busiest: number;
}

/** A read this soon after the first is of a vehicle that is passing. */
export const AGAIN_S = 8;

/** Strangers who come again and again. */
const REGULARS = 300;
const REGULAR_SHARE = 0.45;
const REGULARS_FROM_H = 7;
const REGULARS_UNTIL_H = 20;
const STAY_MEDIAN_MIN = 75;
const STAY_MAX_MIN = 10 * 60;
const STAY_MIN_MIN = 4;
/** A stay never ends later than this many hours after the day began: the next day's vehicles may bear the same plate. */
const LATEST_END_H = 30.5;

/** How often things go wrong, as shares of passes or times a day. */
const UNREADABLE_SHARE = 0.015;
const REPEATED_SHARE = 0.03;
const COVERED_SHARE = 0.012;
const CONFUSED_SHARE = 0.012;
const JAM_SHARE = 0.005;
const MISSED_EXIT_SHARE = 0.003;
const WRONG_EXITS_A_DAY = 0.8;
const TURNS_A_DAY = 0.7;

/** Numbers the day of a moment by the local calendar: days since 1970-01-01. */
export const localDay = (timezone: string, ms: number): number =>
  Math.floor((ms + zoneOffsets(timezone)(ms).offset_ms) / DAY_MS);

/** Wall milliseconds of an hour of a day by the local calendar; hours may be beyond 24. */
export function localTime(timezone: string, { day, hour }: { day: number; hour: number }): number {
  const asUtc = day * DAY_MS + hour * HOUR_MS;
  const offsetAt = zoneOffsets(timezone);
  return Math.round(asUtc - offsetAt(asUtc - offsetAt(asUtc).offset_ms).offset_ms);
}

/** The visits that begin on a day of the local calendar, in the order of their first passes. */
export function visitsOfDay(lot: ScheduledLot, { seed, day }: { seed: number; day: number }): Visit[] {
  const visits = [
    ...strangersOf(lot, { seed, day }),
    ...membersOf(lot, { seed, day }),
    ...mistakesOf(lot, { seed, day }),
  ];
  return visits.sort((a, b) => (a.passes[0]?.at_ms ?? 0) - (b.passes[0]?.at_ms ?? 0));
}

/** The visits that begin at a moment or later, in their order, without an end. */
export function* visitsFrom(lot: ScheduledLot, { seed, from_ms }: { seed: number; from_ms: number }): Generator<Visit> {
  for (let day = localDay(lot.timezone, from_ms); ; day++) {
    for (const visit of visitsOfDay(lot, { seed, day })) {
      if ((visit.passes[0]?.at_ms ?? 0) >= from_ms) yield visit;
    }
  }
}

/** Draws how long a stranger stays, in milliseconds. */
export function drawStay(chance: Chance): number {
  const minutes = STAY_MEDIAN_MIN * Math.exp(0.75 * chance.normal());
  return Math.round(Math.min(STAY_MAX_MIN, Math.max(STAY_MIN_MIN, minutes)) * MINUTE_MS);
}

/** A pass, in which something goes wrong now and then. */
export function drawPass(chance: Chance, vehicle: Vehicle, { at_ms, side }: Pick<Pass, 'at_ms' | 'side'>): Pass {
  const { plate } = vehicle;
  const read = (after_s: number, seen = plate): SeenPlate => ({
    after_s,
    plate: seen,
    confidence: Number(chance.between(seen === plate ? 0.86 : 0.45, seen === plate ? 0.99 : 0.75).toFixed(2)),
  });
  const pass = { at_ms, side, jam_s: null };
  const share = chance.share();
  let below = 0;
  const isDrawn = (ofShare: number) => share < (below += ofShare);
  if (isDrawn(UNREADABLE_SHARE)) return { ...pass, reads: [read(0, UNREADABLE), read(20)] };
  if (isDrawn(REPEATED_SHARE)) return { ...pass, reads: [read(0), read(chance.between(3, AGAIN_S - 1))] };
  if (isDrawn(JAM_SHARE)) return { ...pass, jam_s: 40, reads: [read(0), read(60)] };
  if (side === 'in') return { ...pass, reads: [read(0)] };
  if (isDrawn(COVERED_SHARE)) return { ...pass, reads: [read(0, coveredPlate(plate)), read(18)] };
  if (isDrawn(CONFUSED_SHARE)) return { ...pass, reads: [read(0, confusedPlate(plate)), read(18)] };
  if (isDrawn(MISSED_EXIT_SHARE)) return { ...pass, reads: [] };
  return { ...pass, reads: [read(0)] };
}

function strangersOf(lot: ScheduledLot, { seed, day }: { seed: number; day: number }): Visit[] {
  const chance = createChance(seed, `strangers ${day}`);
  const weekday = weekdayOf(day);
  const latest = localTime(lot.timezone, { day, hour: LATEST_END_H });
  const seen = new Set<string>();
  const visits: Visit[] = [];
  for (let hour = 0; hour < 24; hour++) {
    for (let left = chance.times(lot.busiest * arrivalShare({ weekday, hour })); left > 0; left--) {
      const at_ms = localTime(lot.timezone, { day, hour: hour + chance.share() });
      const mayBeRegular = hour >= REGULARS_FROM_H && hour < REGULARS_UNTIL_H;
      const plate =
        mayBeRegular && chance.happens(REGULAR_SHARE)
          ? makePlate(createChance(seed, `regular ${chance.whole(REGULARS)}`))
          : makePlate(chance);
      const leaves_ms = Math.min(at_ms + drawStay(chance), latest);
      if (seen.has(plate) || lot.members.includes(plate)) continue;
      seen.add(plate);
      visits.push(stay(chance, vehicleOf(plate, { isMember: false }), { at_ms, leaves_ms }));
    }
  }
  return visits;
}

/** Members come home in the evening and leave in the morning; at the weekend some go out for a while. */
function membersOf(lot: ScheduledLot, { seed, day }: { seed: number; day: number }): Visit[] {
  const { timezone } = lot;
  return lot.members.flatMap((plate) => {
    const chance = createChance(seed, `member ${plate} ${day}`);
    if (chance.happens(0.15)) return [];
    const home = localTime(timezone, { day, hour: within(17.7 + 1.3 * chance.normal(), 14, 23) });
    const isFreeTomorrow = weekdayOf(day + 1) >= 6;
    const usual = isFreeTomorrow ? 10.5 : 7.6;
    const leaves_ms = localTime(timezone, { day: day + 1, hour: within(usual + 0.7 * chance.normal(), 5, 12.5) });
    return [stay(chance, vehicleOf(plate, { isMember: true }), { at_ms: home, leaves_ms })];
  });
}

/** Vehicles that try to enter at the exit, and vehicles that turn round at the entry. */
function mistakesOf(lot: ScheduledLot, { seed, day }: { seed: number; day: number }): Visit[] {
  const chance = createChance(seed, `mistakes ${day}`);
  const drawn = (mean: number, make: (vehicle: Vehicle, at_ms: number) => Pass): Visit[] =>
    Array.from({ length: chance.times(mean) }, () => {
      const vehicle = vehicleOf(makePlate(chance), { isMember: false });
      const at_ms = localTime(lot.timezone, { day, hour: chance.between(7, 22) });
      return { vehicle, passes: [make(vehicle, at_ms)] };
    });
  const seen = (plate: string, after_s: number) => ({ after_s, plate, confidence: 0.9 });
  return [
    ...drawn(WRONG_EXITS_A_DAY, ({ plate }, at_ms) => {
      return { at_ms, side: 'out', reads: [seen(plate, 0), seen(plate, 25)], jam_s: null };
    }),
    ...drawn(TURNS_A_DAY, ({ plate }, at_ms) => {
      return { at_ms, side: 'in', reads: [{ ...seen(plate, 0), direction: 'out' }], jam_s: null };
    }),
  ];
}

function stay(chance: Chance, vehicle: Vehicle, { at_ms, leaves_ms }: { at_ms: number; leaves_ms: number }): Visit {
  const passes = [drawPass(chance, vehicle, { at_ms, side: 'in' })];
  passes.push(drawPass(chance, vehicle, { at_ms: Math.max(leaves_ms, at_ms + 2 * MINUTE_MS), side: 'out' }));
  return { vehicle, passes };
}

/** 1 is Monday; the first day of 1970 was a Thursday. */
const weekdayOf = (day: number): number => ((((day + 3) % 7) + 7) % 7) + 1;

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));
