/** Connections are tried at several addresses at once; that many of their failures are told. */
const FAILURES_MAX = 4;
/** An error may be its own cause. */
const CAUSES_MAX = 4;

/**
 * Returns what went wrong as a text that is never empty: the message of an error, or anything else that was thrown as
 * text. An error without a message of its own, such as an `AggregateError` of several addresses or one of `fetch`,
 * gives the message of its cause.
 */
export const errorText = (thrown: unknown): string => textOf(thrown, CAUSES_MAX);

function textOf(thrown: unknown, depth: number): string {
  if (!isLikeError(thrown)) return String(thrown);
  if (thrown.message !== '' && thrown.message !== 'fetch failed') return thrown.message;
  const within = thrown instanceof AggregateError && thrown.errors.length > 0 ? thrown.errors : [thrown.cause];
  const parts = depth === 0 ? [] : within.filter((each) => each !== undefined && each !== null);
  const texts = new Set(parts.slice(0, FAILURES_MAX).map((each) => textOf(each, depth - 1)));
  if (texts.size > 0) return [...texts].join('; ');
  const { message, code, name } = thrown;
  return message || (typeof code === 'string' ? code : (name ?? 'unknown error'));
}

/** Errors come from other threads and processes as well, where they lose their class. */
const isLikeError = (thrown: unknown): thrown is { message: string; code?: unknown; name?: string; cause?: unknown } =>
  typeof thrown === 'object' && thrown !== null && 'message' in thrown && typeof thrown.message === 'string';
