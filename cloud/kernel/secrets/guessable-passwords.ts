/** Passwords that are guessed first: the common ones, and what is built of them, of keys in a row, of dates and of repetitions. */
import { isDatedWord } from './dated-words.js';
import { loadEstimate } from './password-estimate.cjs';

/** What the estimate calls "very guessable": fewer than a million guesses. */
const SCORE_MIN = 2;
/**
 * Bounds of an estimate, which is made on the thread that serves everybody. A password that is made for it (`P@ssw0rdP@ssw0rd...`) takes half a
 * second with 100 characters and 512 ways to read its signs as letters, and some hundredths with these. No text becomes easier to guess by what
 * follows it.
 */
const JUDGED_CHARS = 48;
const SUBSTITUTIONS_MAX = 64;

let estimate: ReturnType<typeof loadEstimate> | undefined;

export function isCommonPassword(password: string): boolean {
  if (isDatedWord(password, [])) return true;
  estimate ??= loadEstimate(SUBSTITUTIONS_MAX);
  return estimate.check(password.slice(0, JUDGED_CHARS)).score < SCORE_MIN;
}
