import type { Logger } from '../../shared/logger.js';

export interface LogLine {
  level: keyof Logger;
  fields: Record<string, unknown>;
  message: string;
}

/** A logger that keeps its lines. */
export function createTestLog(): { lines: LogLine[]; logger: Logger } {
  const lines: LogLine[] = [];
  const at = (level: keyof Logger) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message });
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}
