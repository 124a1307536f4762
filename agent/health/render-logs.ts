/** Renders lines of the log for a person at a shell. */
import { printable } from '../../shared/node/printable.js';
import type { KeptLogLine } from './log-ring.js';

/** One line: when, how important, what, and the fields; of an error its message alone. */
export function renderLogLine({ time, level, message, fields }: KeptLogLine): string {
  const named = Object.entries(fields).map(([name, value]) => `${name}=${valueWords(value)}`);
  return printable([time, level.toUpperCase().padEnd(5), message, ...named].join(' '));
}

function valueWords(value: unknown): string {
  if (typeof value === 'string') return /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
  if (isError(value)) return JSON.stringify(value.message);
  return JSON.stringify(value);
}

/** As the logger writes errors. */
const isError = (value: unknown): value is { message: string } =>
  typeof value === 'object' && value !== null && 'stack' in value && 'message' in value;
