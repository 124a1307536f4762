/**
 * Writes an IANA time zone as the rule that Hikvision cameras take, after POSIX 1003.1 (TZ): the offset, where positive is west of Greenwich,
 * and the days on which summer time begins and ends. A zone whose days follow no such rule, or change from one year to the next, has none.
 */
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.js';
import { zoneOffsetMin } from '../formats/camera-time-parser.js';

interface ZoneRule {
  /** Minutes east of Greenwich, outside summer time. */
  standardMin: number;
  /** null: there is no summer time. */
  summer: { offsetMin: number; begins: ChangeDay; ends: ChangeDay } | null;
}

/** A day of the year such as "the last Sunday of March", and the wall time at which the clock changes. */
interface ChangeDay {
  month: number;
  /** 1 to 4; 5 is the last week of the month. */
  week: number;
  /** 0 is Sunday. */
  weekday: number;
  wallMin: number;
}

/** `CST-1:00:00DST01:00:00,M3.5.0/02:00:00,M10.5.0/03:00:00`, where the names of the two times mean nothing; null: no rule describes the zone. */
export function hikvisionZone(zone: string, at_ms: number): string | null {
  const rule = zoneRule(zone, at_ms);
  if (rule === null) return null;
  const sign = rule.standardMin > 0 ? '-' : '+';
  const standard = `CST${sign}${clockOf(Math.abs(rule.standardMin)).replace(/^0/, '')}`;
  if (rule.summer === null) return standard;
  const { offsetMin, begins, ends } = rule.summer;
  const day = ({ month, week, weekday, wallMin }: ChangeDay) => `M${month}.${week}.${weekday}/${clockOf(wallMin)}`;
  return `${standard}DST${clockOf(offsetMin - rule.standardMin)},${day(begins)},${day(ends)}`;
}

const two = (number: number): string => String(number).padStart(2, '0');
const clockOf = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00`;

/** The rule of this year if it is also that of the next one; null: no rule describes the zone. */
function zoneRule(zone: string, at_ms: number): ZoneRule | null {
  const year = new Date(at_ms).getUTCFullYear();
  const rule = ruleOfYear(zone, year);
  return rule !== null && JSON.stringify(rule) === JSON.stringify(ruleOfYear(zone, year + 1)) ? rule : null;
}

/** null: the offset does not change exactly twice in this year, or not at all. */
function ruleOfYear(zone: string, year: number): ZoneRule | null {
  const offsetMin = (ms: number): number => zoneOffsetMin(ms, zone);
  const changes: { at_ms: number; from: number; to: number }[] = [];
  for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += DAY_MS) {
    const [from, to] = [offsetMin(day), offsetMin(day + DAY_MS)];
    if (from !== to) changes.push({ at_ms: momentOf(day, (ms) => offsetMin(ms) !== from), from, to });
  }
  const [first, second] = changes;
  if (first === undefined) return { standardMin: offsetMin(Date.UTC(year, 0, 1)), summer: null };
  if (second === undefined || changes.length > 2 || first.to !== second.from || first.from !== second.to) return null;
  const [begin, end] = first.to > first.from ? [first, second] : [second, first];
  const change = ({ at_ms: moment, from }: { at_ms: number; from: number }) => changeDay(moment + from * MINUTE_MS);
  return { standardMin: begin.from, summer: { offsetMin: begin.to, begins: change(begin), ends: change(end) } };
}

/** The first minute of the day at which `isAfter` holds. */
function momentOf(day: number, isAfter: (ms: number) => boolean): number {
  let [before, after] = [0, DAY_MS / MINUTE_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isAfter(day + middle * MINUTE_MS)) after = middle;
    else before = middle;
  }
  return day + after * MINUTE_MS;
}

/** @param wall_ms the wall time before the change, counted as if it were UTC */
function changeDay(wall_ms: number): ChangeDay {
  const wall = new Date(wall_ms);
  const [month, date] = [wall.getUTCMonth() + 1, wall.getUTCDate()];
  const daysOfMonth = new Date(Date.UTC(wall.getUTCFullYear(), month, 0)).getUTCDate();
  const week = date + 7 > daysOfMonth ? 5 : Math.ceil(date / 7);
  return { month, week, weekday: wall.getUTCDay(), wallMin: wall.getUTCHours() * 60 + wall.getUTCMinutes() };
}
