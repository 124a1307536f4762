/** `parking-agent logs` */
import type { Clock } from '../../shared/clock.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/durations.js';
import { printableJson } from '../../shared/node/printable.js';
import { SettingsError } from '../../shared/settings.js';
import { type KeptLogLine, LOG_LEVELS, type LogLevel } from '../health/log-ring.js';
import { renderLogLine } from '../health/render-logs.js';
import { askGateway } from './local-client.js';
import { LOG_LINES_MAX } from './local-routes.js';
import { asLongAs, type ResultOutput } from './watch-command.js';

const LOGS_WITHIN_MS = 5_000;
const UNITS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

export interface LogsOptions {
  level?: string;
  lines: string;
  since?: string;
  follow?: boolean;
  json?: boolean;
}

/**
 * Prints the newest lines of the running gateway's log; with `follow` also those that come, until the signal or until nobody reads them.
 * @throws SettingsError for an option that is not allowed; Error when no gateway answers
 */
export async function showLogs(
  place: { httpHost: string; httpPort: number },
  options: LogsOptions,
  to: { output: ResultOutput; clock: Clock; signal: AbortSignal },
): Promise<void> {
  const { output, clock } = to;
  const asked = { ...levelOf(options), lines: linesOf(options), ...sinceOf(options, clock) };
  let last: { ring: string; after: number } | undefined;
  const isFollowed = options.follow === true;
  await asLongAs({ ...to, isWatched: isFollowed }, async () => {
    const query = new URLSearchParams();
    const choice = last === undefined ? asked : { ...asked, ...last, lines: LOG_LINES_MAX };
    for (const [name, value] of Object.entries(choice)) query.set(name, String(value));
    const { ring, lines } = await askGateway<{ ring: string; lines: KeptLogLine[] }>(place, {
      method: 'GET',
      path: `/logs?${query}`,
      withinMs: LOGS_WITHIN_MS,
    });
    const before = last?.ring === ring ? last.after : 0;
    last = { ring, after: lines.at(-1)?.seq ?? before };
    // Each of the lines that follow one another is a document, so that programs can read them as they come.
    if (options.json === true && !isFollowed) output.write(`${printableJson(lines, 2)}\n`);
    else
      for (const line of lines) output.write(`${options.json === true ? printableJson(line) : renderLogLine(line)}\n`);
  });
}

function levelOf({ level }: LogsOptions): { level?: LogLevel } {
  if (level === undefined) return {};
  const known = LOG_LEVELS.find((each) => each === level);
  if (known === undefined) throw new SettingsError([`--level: ${level}; allowed: ${LOG_LEVELS.join(', ')}`]);
  return { level: known };
}

function linesOf({ lines }: LogsOptions): number {
  const number = Number(lines);
  if (!/^\d{1,6}$/.test(lines) || number > LOG_LINES_MAX)
    throw new SettingsError([`--lines: ${lines}; allowed: a whole number, at most ${LOG_LINES_MAX}`]);
  return number;
}

function sinceOf({ since }: LogsOptions, clock: Clock): { since_ms?: number } {
  if (since === undefined) return {};
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(since) ?? [];
  const atMs = count === undefined ? Date.parse(since) : clock.now() - Number(count) * (UNITS[unit] ?? 0);
  // A year alone is a date to JavaScript, and here rather a number of something.
  if (Number.isNaN(atMs) || /^\d+$/.test(since))
    throw new SettingsError([`--since: ${since}; allowed: 30s, 10m, 2h, 1d, or a time like 2026-01-31T06:00:00Z`]);
  return { since_ms: Math.max(0, Math.round(atMs)) };
}
