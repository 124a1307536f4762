/** How many vehicles arrive in each hour of a week, at a car park between offices, shops and a harbour. */

/** For each hour of the day, how many arrive as a share of the busiest hour. */
const WORKDAY = [
  0.02, 0.01, 0.01, 0.01, 0.02, 0.05, 0.15, 0.55, 1, 0.85, 0.6, 0.6, 0.75, 0.7, 0.55, 0.5, 0.6, 0.75, 0.65, 0.45, 0.3,
  0.2, 0.12, 0.06,
];
const SATURDAY = [
  0.05, 0.03, 0.02, 0.01, 0.01, 0.02, 0.05, 0.15, 0.35, 0.6, 0.85, 0.95, 0.8, 0.6, 0.5, 0.5, 0.5, 0.55, 0.65, 0.7, 0.6,
  0.45, 0.3, 0.15,
];
const SUNDAY = [
  0.06, 0.04, 0.02, 0.01, 0.01, 0.01, 0.03, 0.06, 0.12, 0.25, 0.4, 0.5, 0.55, 0.45, 0.4, 0.4, 0.4, 0.4, 0.35, 0.3, 0.2,
  0.12, 0.06, 0.03,
];

/**
 * Returns how many strangers arrive in an hour, as a share of the busiest hour of the week.
 * @param at.weekday 1 is Monday, 7 is Sunday
 * @param at.hour 0 to 23, local time
 */
export function arrivalShare({ weekday, hour }: { weekday: number; hour: number }): number {
  const day = weekday === 6 ? SATURDAY : weekday === 7 ? SUNDAY : WORKDAY;
  return day[hour] ?? 0;
}
