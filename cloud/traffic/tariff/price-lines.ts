/**
 * The lines that a price is made of (REST contract, "Sessions"): they follow each other from the beginning of a stay to its end, and sum
 * up to its price.
 */
import { majorUnits } from '../../../shared/currencies.js';
import { MINUTE_MS } from '../../../shared/durations.js';
import { type LineText, lineText } from './price-line-text.js';
import { countStepsBy, partsOf, type Stay, type Step, type StepListener, type Tariff } from './price-stay.js';

export interface PriceLine {
  from_ms: number;
  to_ms: number;
  /** Minor units of the currency. */
  amount_minor: number;
  /** For people, in English (`price-line-text.ts`). */
  text: string;
}

/** The last one then sums up what remains: nobody reads more, and lists of sessions hold the lines of each. */
export const PRICE_LINES_MAX = 40;

/** @param tariff.currency in which the lines name prices */
export function priceLinesBy(tariff: Tariff & { currency: string }, timezone: string): (stay: Stay) => PriceLine[] {
  const countSteps = countStepsBy(tariff, timezone);
  return (stay) => {
    const { began_ms, charged_until_ms, free_until_ms, ended_ms } = partsOf(tariff, stay);
    const drafts = createDrafts(tariff.daily_max_minor);
    if (charged_until_ms > began_ms) countSteps(began_ms, charged_until_ms, drafts);
    const lines = drafts.lines.map(({ says, count, ...line }) => ({ ...line, text: textOf(says, count, tariff) }));
    const free = (from_ms: number, to_ms: number, says: LineText): PriceLine[] =>
      to_ms > from_ms ? [{ from_ms, to_ms, amount_minor: 0, text: lineText(says) }] : [];
    const { discount_minutes } = stay;
    return [
      ...lines,
      ...free(charged_until_ms, free_until_ms, { kind: 'free', minutes: tariff.free_minutes }),
      ...free(free_until_ms, ended_ms, {
        kind: 'granted',
        minutes: discount_minutes === -1 ? null : discount_minutes,
      }),
    ];
  };
}

/** The text of a line, apart from how many there are of it. */
type Says =
  | { kind: 'steps'; step: Pick<Step, 'price' | 'step_ms' | 'window'> }
  | { kind: 'daily_max'; price: number }
  | { kind: 'weeks_alike' }
  | { kind: 'rest' };

interface Draft extends Omit<PriceLine, 'text'> {
  says: Says;
  count: number;
}

function textOf(says: Says, count: number, { currency }: { currency: string }): string {
  if (says.kind === 'rest') return lineText({ kind: 'rest' });
  if (says.kind === 'weeks_alike') return lineText({ kind: 'weeks_alike', count });
  if (says.kind === 'daily_max') {
    return lineText({ kind: 'daily_max', count, price: majorUnits(says.price, currency), currency });
  }
  const { price, step_ms, window } = says.step;
  const isWholeDay = window === undefined || (window.start === '00:00' && window.end === window.start);
  return lineText({
    kind: 'steps',
    count,
    step_minutes: step_ms / MINUTE_MS,
    price: majorUnits(price, currency),
    currency,
    days: window === undefined || window.days.length === 7 ? null : window.days,
    hours: isWholeDay ? null : { start: window.start, end: window.end },
  });
}

/** Whether two lines that follow each other are one. */
function isSame(a: Says, b: Says): boolean {
  if (a.kind !== 'steps' || b.kind !== 'steps') return a.kind === b.kind;
  return a.step.price === b.step.price && a.step.step_ms === b.step.step_ms && a.step.window === b.step.window;
}

function createDrafts(daily_max_minor: number | null): StepListener & { lines: readonly Draft[] } {
  const lines: Draft[] = [];
  /** Of the present 24 h: the maximum may replace them. */
  let day: Draft[] = [];
  /** The last line as the present week began, and how often it was counted. */
  let week: { line: Draft | undefined; count: number } = { line: undefined, count: 0 };

  function add(draft: Draft, to: Draft[] = lines): void {
    const last = to.at(-1);
    const isFull = to === lines && to.length >= PRICE_LINES_MAX - 1;
    if (last !== undefined && (isSame(last.says, draft.says) || last.says.kind === 'rest')) {
      last.count += draft.count;
      last.amount_minor += draft.amount_minor;
      last.to_ms = draft.to_ms;
    } else to.push(isFull ? { ...draft, says: { kind: 'rest' } } : { ...draft });
  }

  function endDay(): void {
    for (const draft of day) add(draft);
    day = [];
  }

  return {
    lines,
    onSteps({ step, count, from_ms, to_ms }) {
      add({ says: { kind: 'steps', step }, count, amount_minor: count * step.price, from_ms, to_ms }, day);
    },
    onDayEnd(price) {
      const [first, last] = [day[0], day.at(-1)];
      if (daily_max_minor !== null && price > daily_max_minor && first !== undefined && last !== undefined) {
        const says: Says = { kind: 'daily_max', price: daily_max_minor };
        day = [{ says, count: 1, amount_minor: daily_max_minor, from_ms: first.from_ms, to_ms: last.to_ms }];
      }
      endDay();
    },
    onWeek() {
      endDay();
      const line = lines.at(-1);
      week = { line, count: line?.count ?? 0 };
    },
    onWeeksAlike({ count, price, from_ms, to_ms }) {
      endDay();
      const last = lines.at(-1);
      // A week of one line is more of the same.
      const isOneLine = last === week.line || (week.line === undefined && lines.length === 1);
      if (last === undefined || !isOneLine) {
        add({ says: { kind: 'weeks_alike' }, count, amount_minor: count * price, from_ms, to_ms });
        return;
      }
      last.count += count * (last.count - week.count);
      last.amount_minor += count * price;
      last.to_ms = to_ms;
    },
  };
}
