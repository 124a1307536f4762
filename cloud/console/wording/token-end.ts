/** When a new API token ends. Pure. */
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.js';

/** In days; the first is preselected. `at`: a time of the person's own; `none`: it never ends. */
export const TOKEN_ENDS = ['365', '90', '30', 'at', 'none'] as const;

/**
 * @param form.ends one of TOKEN_ENDS; any other text counts as the first
 * @param form.end as `<input type=datetime-local>` gives it, for `at`
 * @param now milliseconds since 1970
 * @returns as the service takes it: a whole minute; null: it never ends, or the time is none yet
 */
export function tokenEnd({ ends, end }: { ends: string; end: string }, now: number): string | null {
  if (ends === 'none') return null;
  if (ends === 'at') return Number.isNaN(Date.parse(end)) ? null : new Date(end).toISOString();
  const days = Number(TOKEN_ENDS.find((each) => each === ends) ?? TOKEN_ENDS[0]);
  return new Date(Math.floor((now + days * DAY_MS) / MINUTE_MS) * MINUTE_MS).toISOString();
}
