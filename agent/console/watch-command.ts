/** Shows an answer of the running gateway once, or again whenever it changes. */
import { type Clock, sleep } from '../../shared/clock.js';
import { errorText } from '../../shared/error-text.js';
import { printableJson, printableLines } from '../../shared/node/printable.js';

const WATCH_EVERY_MS = 1_000;
/** To the top of the terminal, to the end of a line empty, and from there on empty: drawn so, nothing flickers. */
const TOP = '\u001b[H';
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';

/** Where a command writes its result. */
export interface ResultOutput {
  readonly isTerminal: boolean;
  /** Cells of a line, and lines; Infinity without a terminal. */
  readonly width: number;
  readonly height: number;
  write(text: string): void;
  /** For what is not the result. */
  note(text: string): void;
  /** Whether somebody still reads it: a pipe that nobody reads fails only when it is written to. */
  isRead(): Promise<boolean>;
}

export interface Shown<Answer> {
  ask(): Promise<Answer>;
  /** The output for programs. */
  json(answer: Answer): unknown;
  /** The output for people. */
  lines(answer: Answer, width: number): string[];
}

export interface ShowOptions {
  json?: boolean;
  watch?: boolean;
}

/**
 * Shows an answer. With `watch` it asks again each second, until the signal or until nobody reads it: a terminal is drawn anew, elsewhere each change is written, with
 * `json` one line each. A gateway that ceases to answer is said once, and waited for.
 * @throws Error when the gateway does not answer the first time
 */
export async function show<Answer>(
  shown: Shown<Answer>,
  options: ShowOptions,
  to: { output: ResultOutput; clock: Clock; signal: AbortSignal },
): Promise<void> {
  const { output } = to;
  const isRedrawn = options.watch === true && output.isTerminal;
  const textOf = (answer: Answer) =>
    options.json !== true
      ? printableLines(shown.lines(answer, output.width).join('\n'))
      : printableJson(shown.json(answer), options.watch === true && !isRedrawn ? 0 : 2);
  let written: string | null = null;
  await asLongAs({ ...to, isWatched: options.watch === true }, async () => {
    const answer = await shown.ask();
    const text = textOf(answer);
    const change = isRedrawn ? text : unchanging(shown.json(answer));
    if (change === written) return;
    const isNext = written !== null;
    written = change;
    if (isRedrawn) output.write(drawn(text, output.height));
    // Tables in a pipe have an empty line between them.
    else output.write(isNext && options.json !== true ? `\n${text}\n` : `${text}\n`);
  });
}

/** Returns the text from the top of the terminal. Lines without room on it are counted rather than scrolled away. */
function drawn(text: string, height: number): string {
  const all = text.split('\n');
  const room = Math.max(height - 1, 2);
  const lines = all.length <= room ? all : [...all.slice(0, room - 1), `(${all.length - room + 1} more lines)`];
  return `${TOP}${lines.map((line) => `${line}${REST_OF_LINE}\n`).join('')}${REST_OF_SCREEN}`;
}

/** Does the work once, or each second until the signal or until nobody reads the output. The first failure is thrown; later ones are noted once, until the work succeeds again. */
export async function asLongAs(
  of: { output: Pick<ResultOutput, 'note' | 'isRead'>; clock: Clock; signal: AbortSignal; isWatched: boolean },
  work: () => Promise<void>,
): Promise<void> {
  const { output, clock, signal, isWatched } = of;
  await work();
  if (!isWatched) return;
  let noted: string | null = null;
  while (!signal.aborted) {
    const isOver = await sleep(clock, WATCH_EVERY_MS, signal).then(
      () => false,
      () => true,
    );
    if (isOver || !(await output.isRead())) return;
    try {
      await work();
      noted = null;
    } catch (error) {
      const text = errorText(error);
      if (text !== noted) output.note(text);
      noted = text;
    }
  }
}

/** The answer without what changes by itself: how long ago something was, and what time it is. */
const unchanging = (json: unknown): string =>
  JSON.stringify(json, (key, value: unknown) => (/(_ago|_age)_s$|^(uptime_s|now)$/.test(key) ? undefined : value));
