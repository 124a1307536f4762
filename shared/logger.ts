/** A log line: fields for programs, a message for people. pino fits as it is. */
type LogLine = (fields: Record<string, unknown>, message: string) => void;

export interface Logger {
  debug: LogLine;
  info: LogLine;
  warn: LogLine;
  error: LogLine;
}

/** For tests and tools that have nothing to tell. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
