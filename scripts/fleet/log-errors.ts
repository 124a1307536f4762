/** Errors and warnings in the logs of a cloud's programs while the fleet ran. */
import { openSync, readSync, closeSync, statSync } from 'node:fs';
import { basename } from 'node:path';

const LINES_SHOWN_MAX = 5;
/** pino's number of a warning. */
const WARNING = 40;
/** The lines of PostgreSQL, NATS and HAProxy. */
const OTHER_ERROR = /\b(?:ERROR|FATAL|PANIC|WARNING):|^\[\d+\] .* \[(?:ERR|FTL|WRN)\]|\[(?:ALERT|WARNING)\]/;

export interface LogErrors {
  /** Errors and warnings, by the name of the log. */
  counts: Readonly<Record<string, number>>;
  deadlocks: number;
  /** The first of each message. */
  first: readonly string[];
}

/** Begins to look at logs. @throws Error when one cannot be read */
export function watchLogs(files: readonly string[]): { found(): LogErrors } {
  const from = new Map(files.map((file) => [file, statSync(file).size]));
  return {
    found() {
      const counts: Record<string, number> = {};
      const messages = new Map<string, string>();
      let deadlocks = 0;
      for (const [file, start] of from) {
        const name = basename(file);
        for (const line of linesFrom(file, start)) {
          const message = messageOf(line);
          if (message === null) continue;
          counts[name] = (counts[name] ?? 0) + 1;
          if (message.includes('deadlock detected')) deadlocks += 1;
          if (!messages.has(message)) messages.set(message, `${name}: ${line.slice(0, 300)}`);
        }
      }
      return { counts, deadlocks, first: [...messages.values()].slice(0, LINES_SHOWN_MAX) };
    },
  };
}

/** The message of a line without what varies; null: the line is no error and no warning. */
export function messageOf(line: string): string | null {
  if (!line.startsWith('{'))
    return OTHER_ERROR.test(line) ? line.replace(/^.*?(?=[A-Z]+:|\[[A-Z]+\])/, '').replaceAll(/\d+/g, '0') : null;
  try {
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown };
    return typeof level === 'number' && level >= WARNING ? String(msg) : null;
  } catch {
    return null;
  }
}

function linesFrom(file: string, start: number): string[] {
  const length = statSync(file).size - start;
  if (length <= 0) return [];
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return bytes
      .subarray(0, readSync(descriptor, bytes, 0, length, start))
      .toString('utf8')
      .split('\n');
  } finally {
    closeSync(descriptor);
  }
}
