import type { Logger } from '../../shared/logger.js';

/** Ends the process at the first error: what went wrong must not be measured, or waited for. */
export const failingLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error(fields, message) {
    console.error(`bench: ${message}`, fields);
    process.exit(1);
  },
};
