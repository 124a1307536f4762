/** Decides the text of a display: that of the first matching rule. Gateways and the REST interface both decide by this function. */

import { spanHolds } from '../span.js';
import type { CountedZones } from './count-zones.js';

export const RULE_OPERATORS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'between'] as const;
export type RuleOperator = (typeof RULE_OPERATORS)[number];

export interface DisplayRule {
  id: number;
  operator: RuleOperator;
  occupied_value: number;
  /** The upper bound of `between`, which includes both bounds. Other operators ignore it. */
  occupied_value_to: number | null;
  display_text: string;
  order: number;
  /** The rule applies from its start until just before its end, in wall milliseconds; null: without a start or end. */
  start_ms: number | null;
  end_ms: number | null;
}

export interface DisplayFacts extends CountedZones {
  /** The names of zone and lot that are counted. `zone` is '' when the whole lot is counted. */
  zone: string;
  lot: string;
  /** Wall milliseconds. */
  at_ms: number;
}

export interface DisplayText {
  text: string;
  /** null: no rule matches, and the text is the stale text. */
  rule_id: number | null;
}

/** @param display.rules in any order; of two rules with the same `order` the older one comes first */
export function decideDisplayText(
  display: { rules: readonly DisplayRule[]; stale_text: string },
  facts: DisplayFacts,
): DisplayText {
  const rule = display.rules.toSorted((a, b) => a.order - b.order || a.id - b.id).find((each) => fits(each, facts));
  if (rule === undefined) return { text: display.stale_text, rule_id: null };
  return { text: filled(rule.display_text, facts), rule_id: rule.id };
}

function fits(rule: DisplayRule, { occupied, at_ms }: DisplayFacts): boolean {
  if (!spanHolds(at_ms, rule.start_ms, rule.end_ms)) return false;
  return COMPARISONS[rule.operator](occupied, rule.occupied_value, rule.occupied_value_to ?? rule.occupied_value);
}

const COMPARISONS: Readonly<Record<RuleOperator, (occupied: number, value: number, to: number) => boolean>> = {
  eq: (occupied, value) => occupied === value,
  neq: (occupied, value) => occupied !== value,
  gt: (occupied, value) => occupied > value,
  gte: (occupied, value) => occupied >= value,
  lt: (occupied, value) => occupied < value,
  lte: (occupied, value) => occupied <= value,
  between: (occupied, value, to) => occupied >= value && occupied <= to,
};

/**
 * Replaces the placeholders in a text. An unknown name in braces stays as it is. Where the number of places is not limited, `{free}` and
 * `{total}` are removed with the space after them: "{free} FREE" becomes "FREE", not "0 FREE".
 */
function filled(text: string, { occupied, total, free, zone, lot }: DisplayFacts): string {
  const values = new Map([
    ['free', free === null ? '' : String(free)],
    ['occupied', String(occupied)],
    ['total', total === null ? '' : String(total)],
    ['zone', zone],
    ['lot', lot],
  ]);
  return text.replaceAll(/\{(\w+)\}( ?)/g, (written, name: string, blank: string) => {
    const value = values.get(name);
    if (value === undefined) return written;
    return value === '' && LIMITED.has(name) ? '' : value + blank;
  });
}

/** The placeholders without a value where the number of places is not limited. */
const LIMITED: ReadonlySet<string> = new Set(['free', 'total']);
