/** How log lines get from a thread or child process to the process that writes the log. */
import { jsonCopy } from './json-text-codec.js';
import type { JsonValue } from './logger.js';

/** The fields of a log line in the form in which a thread or child process sends them. */
export type SentLogFields = Readonly<Record<string, JsonValue>>;

/**
 * Prepares the fields of a log line for another thread or process. An Error would lose its code on the way, so the Error under `err` becomes
 * an object with its name, message, stack and code. pino writes this object as it writes an Error.
 */
export function sendableLogFields({ err, ...fields }: Record<string, unknown>): SentLogFields {
  const sent = jsonCopy(fields);
  return err === undefined ? sent : { ...sent, err: sendableError(err) };
}

function sendableError(thrown: unknown): JsonValue {
  if (!(thrown instanceof Error)) return String(thrown);
  const { name, message, stack = '' } = thrown;
  const code = 'code' in thrown ? { code: String(thrown.code) } : {};
  const cause = thrown.cause === undefined ? {} : { cause: sendableError(thrown.cause) };
  return { name, message, stack, ...code, ...cause };
}
