/** Local time as the time zone database itself tells it, one moment at a time: what quicker ways are held against. */

const formats = new Map<string, Intl.DateTimeFormat>();
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

export interface LocalTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  /** 1 is Monday. */
  dayOfWeek: number;
}

export function localTime(ms: number, timezone: string): LocalTime {
  let format = formats.get(timezone);
  if (format === undefined) {
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const;
    const rest = { minute: 'numeric', second: 'numeric', weekday: 'short', hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, ...numeric, ...rest });
    formats.set(timezone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const number = (name: string) => Number(parts[name]);
  return {
    year: number('year'),
    month: number('month'),
    day: number('day'),
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
    dayOfWeek: DAYS.indexOf(parts['weekday'] ?? '') + 1,
  };
}

/** Local time minus UTC, milliseconds. */
export function localOffset(ms: number, timezone: string): number {
  const { year, month, day, hour, minute, second } = localTime(ms, timezone);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
}
