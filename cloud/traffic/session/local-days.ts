/**
 * Dates in reports on sessions: a date without a time means that day in the time zone of the car parks, as in the report's own periods.
 * Paged lists have no time zone: there a date is a day of UTC.
 */
import { type Condition, type FieldKind, parseTime, TIME_FROM, TIME_TO } from '../../rest/entry.js';
import { dayBounds, type Db } from '../../kernel/entry.js';
import { type SessionsAsked, timezonesAsked } from './session-analytics-queries.js';
import { SESSION_LIST } from './session-list.js';

/** Wall milliseconds, or a date such as 2026-10-25. */
export type MomentOrDate = number | string;

const parse = (text: string): MomentOrDate | undefined => {
  const at = parseTime(text);
  return at === undefined || text.includes('T') ? at : text;
};

export const LOCAL_FROM: FieldKind = { ...TIME_FROM, parse };
export const LOCAL_TO: FieldKind = { ...TIME_TO, parse };

const { date_from, date_to } = SESSION_LIST.filters;

/** The filters of the list, as reports accept them. Call `inLocalDays` with their conditions before you use them. */
export const REPORT_FILTERS = {
  ...SESSION_LIST.filters,
  ...(date_from === undefined ? {} : { date_from: { ...date_from, kind: LOCAL_FROM } }),
  ...(date_to === undefined ? {} : { date_to: { ...date_to, kind: LOCAL_TO } }),
};

/** Finds the time zone that all lots share in which the filtered sessions may be, else UTC. */
export async function reportTimezone(db: Db, asked: SessionsAsked): Promise<string> {
  const [timezone = 'UTC', ...others] = await timezonesAsked(db, asked);
  return others.length === 0 ? timezone : 'UTC';
}

/** @param end which end of its day a date means */
export function momentOf(moment: MomentOrDate, end: 'date_from' | 'date_to', timezone: string): number {
  if (typeof moment === 'number') return moment;
  const { from_ms, to_ms } = dayBounds(timezone, Date.parse(`${moment}T00:00:00Z`));
  return end === 'date_from' ? from_ms : to_ms - 1;
}

/** Replaces the dates of conditions by moments. */
export async function inLocalDays(db: Db, asked: SessionsAsked): Promise<SessionsAsked> {
  if (!asked.conditions.some(isDate)) return asked;
  const timezone = await reportTimezone(db, asked);
  const conditions = asked.conditions.map((condition) => {
    const { field, values } = condition;
    if (!isDate(condition) || (field !== 'date_from' && field !== 'date_to')) return condition;
    return { ...condition, values: values.map((value) => momentOf(value, field, timezone)) };
  });
  return { ...asked, conditions };
}

const isDate = ({ field, values }: Condition): boolean =>
  (field === 'date_from' || field === 'date_to') && typeof values[0] === 'string';
