/**
 * Bounds the log lines that an outsider can cause at will, for example by wrong passwords. Otherwise an attacker could fill the disk, or bury
 * everything else in the log.
 */
import type { Clock } from './clock.js';
import type { Logger } from './logger.js';

const WINDOW_MS = 60_000;
/** How many lines of one kind from one address are written in a minute, unless the caller sets another number. Further lines are only counted. */
const LINES_MAX = 10;
/**
 * How many pairs of kind and address are counted apart. All others of a kind share one count, so that many addresses do not get around the
 * limit.
 */
const KEYS_MAX = 1_000;

export interface BoundedLog {
  /**
   * Returns the logger for lines that `who` causes: an address, or the name of a known device or user. Lines with the same message are of one
   * kind.
   */
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

/**
 * @param deps.linesMax how many lines of one kind from one address are written in a minute; 1: a repeated line appears once a minute with its
 * count
 */
export function createBoundedLog(deps: { logger: Logger; clock: Clock; linesMax?: number }): BoundedLog {
  const { logger, clock, linesMax = LINES_MAX } = deps;
  const windows = new Map<string, Window>();
  let isTimerSet = false;

  /** Ends the windows that are older than a minute, and logs how many lines of each were left out. `windows` is ordered by their beginning. */
  const sweep = () => {
    const since = clock.monotonic() - WINDOW_MS;
    for (const [key, { level, message, who, startedAt, lines }] of windows) {
      if (startedAt > since) break;
      windows.delete(key);
      const left_out = lines - linesMax;
      if (left_out > 0) logger[level]({ who, left_out }, `${message} (more of these were left out)`);
    }
  };
  /** A timer runs only while lines were left out. */
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
    // The type of the fields was checked where the line was written.
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

/** The key that is shared by all addresses beyond `KEYS_MAX`. */
const OTHERS = 'others';
