/**
 * Writes an IANA time zone as the rule that cameras take (POSIX 1003.1, TZ): its offset, where positive is west of Greenwich, and the days on
 * which summer time begins and ends. A zone whose days follow no such rule, or that changes its law, has none.
 */
import { wallIsoAt } from './camera-time-parser.js';
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.js';

interface ZoneRule {
  /** Minutes east of Greenwich, in winter. */
  standardMin: number;
  /** null: there is no summer time. */
  summer: { offsetMin: number; begins: ChangeDay; ends: ChangeDay } | null;
}

/** A day of the year as "the last Sunday of March", and the wall time at which the clock is moved. */
interface ChangeDay {
  month: number;
  /** 1 to 4, or 5: the last one. */
  week: number;
  /** 0 is Sunday. */
  weekday: number;
  wallMin: number;
}

/** `CET-1CEST,M3.5.0,M10.5.0/3` in other words: the names of the two times are only names. null: no rule says it. */
export function posixZone(zone: string, at_ms: number): string | null {
  const rule = zoneRule(zone, at_ms);
  if (rule === null) return null;
  const standard = `STD${posixOffset(rule.standardMin)}`;
  if (rule.summer === null) return standard;
  const { offsetMin, begins, ends } = rule.summer;
  const day = (change: ChangeDay) => `${dayOf(change)}/${clockOf(change.wallMin)}`;
  return `${standard}DST${posixOffset(offsetMin)},${day(begins)},${day(ends)}`;
}

/** The same as Hikvision cameras write it: `CST-1:00:00DST01:00:00,M3.5.0/02:00:00,M10.5.0/03:00:00`. */
export function hikvisionZone(zone: string, at_ms: number): string | null {
  const rule = zoneRule(zone, at_ms);
  if (rule === null) return null;
  const sign = rule.standardMin > 0 ? '-' : '+';
  const standard = `CST${sign}${longClock(Math.abs(rule.standardMin)).replace(/^0/, '')}`;
  if (rule.summer === null) return standard;
  const { offsetMin, begins, ends } = rule.summer;
  const day = (change: ChangeDay) => `${dayOf(change)}/${longClock(change.wallMin)}`;
  return `${standard}DST${longClock(offsetMin - rule.standardMin)},${day(begins)},${day(ends)}`;
}

const two = (number: number): string => String(number).padStart(2, '0');
const longClock = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00`;
const clockOf = (minutes: number): string =>
  minutes % 60 === 0 ? String(minutes / 60) : `${Math.floor(minutes / 60)}:${two(minutes % 60)}`;
const posixOffset = (eastMin: number): string => `${eastMin > 0 ? '-' : ''}${clockOf(Math.abs(eastMin))}`;
const dayOf = ({ month, week, weekday }: ChangeDay): string => `M${month}.${week}.${weekday}`;

/** The rule of this year, which is that of the next one too; null: there is none. */
function zoneRule(zone: string, at_ms: number): ZoneRule | null {
  const year = new Date(at_ms).getUTCFullYear();
  const rule = ruleOfYear(zone, year);
  return rule !== null && JSON.stringify(rule) === JSON.stringify(ruleOfYear(zone, year + 1)) ? rule : null;
}

/** null: the offset changes more than twice in this year, or only once. */
function ruleOfYear(zone: string, year: number): ZoneRule | null {
  const offsetMin = (ms: number): number =>
    Math.round((Date.parse(`${wallIsoAt(ms, zone)}Z`) - Math.floor(ms / 1000) * 1000) / MINUTE_MS);
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

/** The first minute of the day of which `isAfter` holds. */
function momentOf(day: number, isAfter: (ms: number) => boolean): number {
  let [before, after] = [0, DAY_MS / MINUTE_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isAfter(day + middle * MINUTE_MS)) after = middle;
    else before = middle;
  }
  return day + after * MINUTE_MS;
}

/** `wall_ms`: the wall time before the change, counted as if it were UTC. */
function changeDay(wall_ms: number): ChangeDay {
  const wall = new Date(wall_ms);
  const [month, date] = [wall.getUTCMonth() + 1, wall.getUTCDate()];
  const daysOfMonth = new Date(Date.UTC(wall.getUTCFullYear(), month, 0)).getUTCDate();
  const week = date + 7 > daysOfMonth ? 5 : Math.ceil(date / 7);
  return { month, week, weekday: wall.getUTCDay(), wallMin: wall.getUTCHours() * 60 + wall.getUTCMinutes() };
}
