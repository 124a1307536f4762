/** Which day of the week and which minute of the day it is somewhere. */

export interface LocalMinute {
  /** 1 is Monday. */
  day: number;
  /** 0 to 1439. */
  minute: number;
}

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 24 * 60;
const MINUTES_PER_WEEK = 7 * MINUTES_PER_DAY;
/** Clocks are changed on quarter hours of UTC only, so that a quarter hour has one offset. */
const QUARTER_MINUTES = 15;

const DAYS = { Mon: 0, Tue: 1, Wed: 2, Thu: 3, Fri: 4, Sat: 5, Sun: 6 } as const;

/** Asks the time zone database once per quarter hour. @throws RangeError for a name that is no time zone */
export function createLocalMinutes(timezone: string): (ms: number) => LocalMinute {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
  let quarter = Number.NaN;
  let weekMinuteOfQuarter = 0;
  return (ms) => {
    const minutes = Math.floor(ms / MINUTE_MS);
    const beginning = Math.floor(minutes / QUARTER_MINUTES) * QUARTER_MINUTES;
    if (beginning !== quarter) {
      quarter = beginning;
      weekMinuteOfQuarter = weekMinute(format, beginning * MINUTE_MS);
    }
    const weekMinuteNow = (weekMinuteOfQuarter + minutes - beginning) % MINUTES_PER_WEEK;
    return { day: Math.floor(weekMinuteNow / MINUTES_PER_DAY) + 1, minute: weekMinuteNow % MINUTES_PER_DAY };
  };
}

function weekMinute(format: Intl.DateTimeFormat, ms: number): number {
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const day = DAYS[parts['weekday'] as keyof typeof DAYS];
  return day * MINUTES_PER_DAY + Number(parts['hour']) * 60 + Number(parts['minute']);
}
