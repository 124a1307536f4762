const ASK_EVERY_MS = 25;

/**
 * Waits for a condition, asking again and again; the failure names what was waited for and what was last seen.
 * The limit only ends a test that would hang: nothing is ever timed with it.
 */
export async function waitUntil<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  limitMs = 30_000,
): Promise<T> {
  const endMs = performance.now() + limitMs;
  let lastError: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== undefined && answer !== false) return answer;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > endMs)
      throw new Error(`waited ${limitMs / 1000} s in vain for: ${what}`, { cause: lastError });
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}
