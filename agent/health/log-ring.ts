/** Keeps the newest lines of the program's own log in memory, so that people on site can read them without rights to a journal. */
import { z } from 'zod';

/** Beside each other in memory, whatever the lines are. */
export const LOG_RING_BYTES = 512 * 1024;
/** A longer line is kept without its fields. */
const LINE_BYTES_MAX = 8 * 1024;
const MESSAGE_LENGTH_MAX = 1_000;

/** The levels of a log, the least important first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface KeptLogLine {
  /** Its number since the program started, from 1. */
  seq: number;
  /** ISO 8601, by the clock of that moment. */
  time: string;
  level: LogLevel;
  message: string;
  /** The fields of the line beside its message. They hold no secrets. */
  fields: Record<string, unknown>;
}

export interface LogChoice {
  /** The least important level; left out: all that is logged. */
  level?: LogLevel | undefined;
  /** Only lines of this time or later, in wall milliseconds. */
  sinceMs?: number | undefined;
  /** Only lines after the one with this number. */
  afterSeq?: number | undefined;
  /** At most this many, the newest ones. */
  linesMax: number;
}

export interface LogRing {
  /** Random per start of the program: the numbers of lines begin anew with it. */
  readonly id: string;
  /** Keeps a line as the logger writes it: JSON with its end of line. */
  write(line: string): void;
  /** The lines that are kept, the oldest first. */
  lines(choice: LogChoice): KeptLogLine[];
}

/** The numbers of pino's levels: a number between two of them belongs to the higher level. */
const NUMBERS: readonly (readonly [LogLevel, number])[] = [
  ['debug', 20],
  ['info', 30],
  ['warn', 40],
  ['error', 50],
];
const lineSchema = z.looseObject({ level: z.number(), time: z.number(), msg: z.string().default('') });

/** Lines one after the other in a buffer of a fixed size. */
interface Half {
  buffer: Buffer;
  used: number;
  /** The number of its first line. */
  firstSeq: number;
  count: number;
}

/**
 * The memory is taken at once, and never grows: two halves, of which the older one is overwritten when the newer one is full. So it holds
 * between half and all of `bytes`.
 * @param id see `LogRing`
 */
export function createLogRing({ id, bytes = LOG_RING_BYTES }: { id: string; bytes?: number }): LogRing {
  const half = (): Half => ({ buffer: Buffer.alloc(Math.floor(bytes / 2)), used: 0, firstSeq: 1, count: 0 });
  let [older, newer] = [half(), half()];
  return {
    id,
    write(line) {
      // A character takes at most three bytes of UTF-8, and most lines are far from the bound.
      const isLong = line.length * 3 > LINE_BYTES_MAX && Buffer.byteLength(line) > LINE_BYTES_MAX;
      const kept = isLong ? shortened(line) : line;
      const size = Buffer.byteLength(kept);
      if (newer.used + size > newer.buffer.length) {
        const next = newer.firstSeq + newer.count;
        [older, newer] = [newer, { buffer: older.buffer, used: 0, firstSeq: next, count: 0 }];
      }
      if (size > newer.buffer.length) return;
      newer.buffer.write(kept, newer.used);
      newer.used += size;
      newer.count += 1;
    },
    lines({ level = 'debug', sinceMs = 0, afterSeq = 0, linesMax }) {
      const found: KeptLogLine[] = [];
      // The newest first, so that no more lines are read than are asked for.
      for (const part of [newer, older]) {
        const texts = part.count === 0 ? [] : part.buffer.toString('utf8', 0, part.used).split('\n');
        for (let at = part.count - 1; at >= 0; at--) {
          const seq = part.firstSeq + at;
          if (seq <= afterSeq || found.length >= linesMax) return found.reverse();
          const line = keptLine(seq, texts[at] ?? '');
          const isImportant = LOG_LEVELS.indexOf(line.level) >= LOG_LEVELS.indexOf(level);
          if (isImportant && Date.parse(line.time) >= sinceMs) found.push(line);
        }
      }
      return found.reverse();
    },
  };
}

function keptLine(seq: number, text: string): KeptLogLine {
  const { level, time, msg, ...fields } = lineSchema.parse(JSON.parse(text));
  return { seq, time: new Date(time).toISOString(), level: levelOf(level), message: msg, fields };
}

const levelOf = (number: number): LogLevel => NUMBERS.findLast(([, from]) => number >= from)?.[0] ?? 'debug';

/** A line whose fields are too long: they are left out, and that is said. */
function shortened(line: string): string {
  const { level, time, msg } = lineSchema.parse(JSON.parse(line));
  const left_out = `fields of ${Buffer.byteLength(line)} bytes`;
  return `${JSON.stringify({ level, time, msg: msg.slice(0, MESSAGE_LENGTH_MAX), left_out })}\n`;
}
