import { inspect } from 'node:util';

/** At first it asks soon again, for what comes about at once; later less often. */
const [ASK_AGAIN_MS, ASK_AGAIN_MAX_MS] = [5, 25];
const SHOWN_MAX = 500;

/** A value as a failure shows it, in one line that is not too long. */
export function shortened(value: unknown): string {
  const text = value instanceof Error ? String(value) : inspect(value, { depth: 4, breakLength: Infinity });
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}...` : text;
}

/**
 * Waits for a condition, asking again and again: null, undefined, false and a throw mean not yet. The failure names the
 * condition and the value that was seen last. The limit only ends a test that would hang: nothing is ever timed with
 * it.
 */
export async function waitUntil<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  limitMs = 60_000,
): Promise<T> {
  const endMs = performance.now() + limitMs;
  for (let pauseMs = ASK_AGAIN_MS; ; pauseMs = Math.min(2 * pauseMs, ASK_AGAIN_MAX_MS)) {
    let seen: unknown;
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) return answer;
      seen = answer;
    } catch (error) {
      seen = error;
    }
    if (performance.now() > endMs)
      throw new Error(`waited ${limitMs / 1000} s in vain for: ${what}; seen last: ${shortened(seen)}`, {
        cause: seen instanceof Error ? seen : undefined,
      });
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
