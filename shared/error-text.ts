/** Connections are tried at several addresses at once; that many of their failures are told. */
const FAILURES_MAX = 4;
/** An error may be its own cause. */
const CAUSES_MAX = 4;

/**
 * Returns what went wrong as a text that is never empty: the message of an error, or anything else that was thrown as text. An error that
 * says nothing itself, as an `AggregateError` of several addresses or what `fetch` throws, is told by what lies behind it.
 */
export const errorText = (thrown: unknown): string => textOf(thrown, CAUSES_MAX);

function textOf(thrown: unknown, depth: number): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.message !== '' && thrown.message !== 'fetch failed') return thrown.message;
  const within = thrown instanceof AggregateError && thrown.errors.length > 0 ? thrown.errors : [thrown.cause];
  const told = depth === 0 ? [] : within.filter((each) => each !== undefined && each !== null);
  const texts = new Set(told.slice(0, FAILURES_MAX).map((each) => textOf(each, depth - 1)));
  if (texts.size > 0) return [...texts].join('; ');
  return thrown.message || ('code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name);
}
