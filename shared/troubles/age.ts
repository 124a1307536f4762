/** How long something has been so, in words. Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.js';
import { hasAge, type Trouble } from './trouble.js';

interface AgeWords {
  minutes(count: number): string;
  hours(count: number): string;
  days(count: number): string;
  since(age: string, time: string): string;
  sinceUnknown: string;
  now: string;
  ago(age: string): string;
  was(state: string, ago: string): string;
}

/** `12 min`, `3 h`, `4 days`: of the greatest unit of which there are two, of minutes at least one. */
export function ageText(ageMs: number, words: Pick<AgeWords, 'minutes' | 'hours' | 'days'>): string {
  const minutes = Math.max(1, Math.floor(ageMs / MINUTE_MS));
  if (ageMs < 2 * HOUR_MS) return words.minutes(minutes);
  if (ageMs < 2 * DAY_MS) return words.hours(Math.floor(ageMs / HOUR_MS));
  return words.days(Math.floor(ageMs / DAY_MS));
}

/** `for 3 h, since 09:30`. @param timeOf writes wall milliseconds for people. @returns null for what is to come */
export function sinceText(
  trouble: Trouble,
  words: AgeWords,
  { nowMs, timeOf }: { nowMs: number; timeOf: (ms: number) => string },
): string | null {
  const { since_ms } = trouble;
  if (!hasAge(trouble)) return null;
  if (since_ms === null) return words.sinceUnknown;
  return words.since(ageText(nowMs - since_ms, words), timeOf(since_ms));
}

/** `was closed 12 min ago`. @param state as people say what it was */
export function formerText(state: string, { ageMs, words }: { ageMs: number; words: AgeWords }): string {
  return words.was(state, ageMs < MINUTE_MS ? words.now : words.ago(ageText(ageMs, words)));
}
