import { describe, expect, it } from 'vitest';
import { arrivalShare } from '../../../scripts/sim/traffic/day-curve.js';
import {
  localDay,
  localTime,
  type ScheduledLot,
  UNREADABLE,
  type Visit,
  visitsFrom,
  visitsOfDay,
} from '../../../scripts/sim/traffic/traffic-schedule.js';
import { vehicleOf } from '../../../scripts/sim/traffic/vehicle.js';

const LOT: ScheduledLot = { timezone: 'Europe/Zagreb', members: ['ZG1234AB', 'ST2401KM'], busiest: 10 };
/** A Monday. */
const MONDAY = Date.UTC(2026, 5, 1) / 86_400_000;
const SEEDS = [1, 2, 3, 4711];

const daysOf = (seed: number, days: number): Visit[] =>
  Array.from({ length: days }, (_, day) => visitsOfDay(LOT, { seed, day: MONDAY + day })).flat();
const firstOf = ({ passes }: Visit): number => passes[0]?.at_ms ?? 0;
const hourIn = (ms: number): number =>
  Number(new Intl.DateTimeFormat('en-GB', { timeZone: LOT.timezone, hour: '2-digit', hour12: false }).format(ms));

describe('the schedule of traffic', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(visitsOfDay(LOT, { seed: 7, day: MONDAY })).toEqual(visitsOfDay(LOT, { seed: 7, day: MONDAY }));
    expect(visitsOfDay(LOT, { seed: 7, day: MONDAY })).not.toEqual(visitsOfDay(LOT, { seed: 8, day: MONDAY }));
    expect(visitsOfDay(LOT, { seed: 7, day: MONDAY })).not.toEqual(visitsOfDay(LOT, { seed: 7, day: MONDAY + 1 }));
  });

  it.each(SEEDS)('lets no vehicle come while it is inside, and none stay beyond the next morning: seed %j', (seed) => {
    const left = new Map<string, number>();
    for (const { vehicle, passes } of daysOf(seed, 28)) {
      const [first] = passes;
      const last = passes.at(-1);
      if (first === undefined || last === undefined) throw new Error('a visit without a pass');
      expect(first.at_ms, vehicle.plate).toBeGreaterThan(left.get(vehicle.plate) ?? 0);
      expect(passes.map(({ at_ms }) => at_ms)).toEqual(passes.map(({ at_ms }) => at_ms).toSorted((a, b) => a - b));
      expect(last.at_ms - first.at_ms).toBeLessThan(24 * 3_600_000);
      left.set(vehicle.plate, last.at_ms);
    }
  });

  it.each(SEEDS)('follows the day and the week: seed %j', (seed) => {
    const strangers = daysOf(seed, 28).filter(({ vehicle, passes }) => !vehicle.isMember && passes.length === 2);
    const inHours = (from: number, until: number) =>
      strangers.filter((visit) => hourIn(firstOf(visit)) >= from && hourIn(firstOf(visit)) < until).length;
    expect(inHours(8, 10)).toBeGreaterThan(10 * inHours(1, 3));
    const onDay = (weekday: number) => strangers.filter((visit) => dayOf(visit) % 7 === weekday).length;
    expect(onDay(1)).toBeGreaterThan(onDay(0) * 1.3);
    const daily = strangers.length / 28;
    expect(daily).toBeGreaterThan(50);
    expect(daily).toBeLessThan(110);
  });

  it.each(SEEDS)('has everything in four weeks that goes wrong at a car park: seed %j', (seed) => {
    const visits = daysOf(seed, 28);
    const passes = visits.flatMap((visit) => visit.passes);
    expect(passes.filter(({ jam_s }) => jam_s !== null).length).toBeGreaterThan(3);
    expect(passes.filter(({ reads }) => reads.length === 0).length).toBeGreaterThan(0);
    expect(passes.filter(({ reads }) => reads[0]?.plate === UNREADABLE).length).toBeGreaterThan(20);
    expect(
      visits.filter(({ passes: [only, more] }) => more === undefined && only?.side === 'out').length,
    ).toBeGreaterThan(5);
    const plates = visits.map(({ vehicle }) => vehicle.plate);
    expect(plates.length - new Set(plates).size).toBeGreaterThan(200);
    const members = visits.filter(({ vehicle }) => vehicle.plate === 'ZG1234AB');
    expect(members.length).toBeGreaterThan(15);
    expect(members.every(({ vehicle }) => vehicle.isMember)).toBe(true);
  });

  it('has members home in the evening and away in the morning', () => {
    for (const { passes } of daysOf(5, 5).filter(({ vehicle }) => vehicle.isMember)) {
      expect(hourIn(passes[0]?.at_ms ?? 0)).toBeGreaterThanOrEqual(14);
      expect(hourIn(passes[1]?.at_ms ?? 0)).toBeLessThanOrEqual(12);
    }
  });

  it('goes on from any moment of a day, without an end', () => {
    const from_ms = localTime(LOT.timezone, { day: MONDAY, hour: 12.5 });
    const visits = visitsFrom(LOT, { seed: 3, from_ms });
    const planned = Array.from({ length: 500 }, () => visits.next().value as Visit);
    expect(planned.map(firstOf)).toEqual(planned.map(firstOf).toSorted((a, b) => a - b));
    expect(firstOf(planned[0] as Visit)).toBeGreaterThanOrEqual(from_ms);
    expect(planned[0]).toEqual(visitsOfDay(LOT, { seed: 3, day: MONDAY }).find((visit) => firstOf(visit) >= from_ms));
  });

  it('keeps to the local calendar where clocks are changed', () => {
    // The night to 25 October 2026 has 25 hours.
    const day = Date.UTC(2026, 9, 25) / 86_400_000;
    expect(new Date(localTime(LOT.timezone, { day, hour: 0 })).toISOString()).toBe('2026-10-24T22:00:00.000Z');
    expect(new Date(localTime(LOT.timezone, { day, hour: 8 })).toISOString()).toBe('2026-10-25T07:00:00.000Z');
    expect(localDay(LOT.timezone, Date.UTC(2026, 9, 24, 22))).toBe(day);
    expect(localDay(LOT.timezone, Date.UTC(2026, 9, 24, 21, 59))).toBe(day - 1);
  });

  it('knows a share for each hour of a week', () => {
    for (const weekday of [1, 2, 3, 4, 5, 6, 7]) {
      for (let hour = 0; hour < 24; hour++) {
        expect(arrivalShare({ weekday, hour })).toBeGreaterThan(0);
        expect(arrivalShare({ weekday, hour })).toBeLessThanOrEqual(1);
      }
    }
  });

  it('gives a plate the same vehicle always', () => {
    expect(vehicleOf('ZG1234AB', { isMember: false })).toEqual(vehicleOf('ZG1234AB', { isMember: false }));
    expect(vehicleOf('LJAB123', { isMember: false }).country_code).toBe('SI');
  });
});

/** 0 is Sunday. */
function dayOf(visit: Visit): number {
  return (localDay(LOT.timezone, firstOf(visit)) + 4) % 7;
}
