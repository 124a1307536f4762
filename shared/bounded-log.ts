/**
 * Bounds the log lines that somebody outside can cause as often as they like, such as wrong passwords: a full disk, or a log in which
 * nothing else can be found, would be their work.
 */
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';

const WINDOW_MS = 60_000;
/** How many lines of one kind from one address are written in a minute, unless it is said otherwise. The rest is counted. */
const LINES_MAX = 10;
/** Those beyond share one more place for each kind, so that somebody with many addresses gets no further. */
const KEYS_MAX = 1_000;

export interface BoundedLog {
  /** Logs for whoever caused the line: an address, or the name of what is known. Lines are of one kind when their messages are the same. */
  from(who: string | undefined): Logger;
}

type Level = keyof Logger;

interface Window {
  level: Level;
  message: string;
  who: string | undefined;
  /** Monotonic milliseconds. */
  startedAt: number;
  lines: number;
}

/** @param deps.linesMax of one kind from one address in a minute; 1: what repeats itself is one line a minute, with its count */
export function createBoundedLog(deps: { logger: Logger; clock: Clock; linesMax?: number }): BoundedLog {
  const { logger, clock, linesMax = LINES_MAX } = deps;
  const windows = new Map<string, Window>();
  let isTimerSet = false;

  /** Ends the windows whose minute is over, and says how much of each was left out. They stand in the order in which they began. */
  const sweep = () => {
    const since = clock.monotonic() - WINDOW_MS;
    for (const [key, { level, message, who, startedAt, lines }] of windows) {
      if (startedAt > since) break;
      windows.delete(key);
      const left_out = lines - linesMax;
      if (left_out > 0) logger[level]({ who, left_out }, `${message} (more of these were left out)`);
    }
  };
  /** No timer is set while nothing was left out. */
  const setTimer = () => {
    if (isTimerSet) return;
    const next = [...windows.values()].find(({ lines }) => lines > linesMax);
    if (next === undefined) return;
    isTimerSet = true;
    clock.setTimer(Math.max(next.startedAt + WINDOW_MS - clock.monotonic(), 0), () => {
      isTimerSet = false;
      sweep();
      setTimer();
    });
  };

  const windowOf = (line: Pick<Window, 'level' | 'message' | 'who'>): Window => {
    const key = JSON.stringify([line.message, line.who]);
    const known = windows.get(key);
    if (known !== undefined && clock.monotonic() - known.startedAt < WINDOW_MS) return known;
    if (known !== undefined || windows.size >= KEYS_MAX) sweep();
    if (windows.size >= KEYS_MAX && line.who !== OTHERS) return windowOf({ ...line, who: OTHERS });
    const window = { ...line, startedAt: clock.monotonic(), lines: 0 };
    windows.set(key, window);
    return window;
  };

  const write = (level: Level, who: string | undefined, line: { fields: Record<string, unknown>; message: string }) => {
    const window = windowOf({ level, message: line.message, who });
    window.lines += 1;
    // The fields were checked where the line was written.
    if (window.lines <= linesMax) logger[level](line.fields as Record<string, string>, line.message);
    else setTimer();
  };

  return {
    from: (who) => ({
      debug: (fields, message) => write('debug', who, { fields, message }),
      info: (fields, message) => write('info', who, { fields, message }),
      warn: (fields, message) => write('warn', who, { fields, message }),
      error: (fields, message) => write('error', who, { fields, message }),
    }),
  };
}

/** Stands for all who have no place of their own. */
const OTHERS = 'others';
