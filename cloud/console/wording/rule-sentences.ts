/** What each rule of a decision saw, in a sentence, and what would have changed its outcome. */
import { ruleSentence as sharedSentence } from '../../../shared/wording/rule-sentences.js';
import type { ConsoleWords } from './en.js';
import { decisionSentence, spanOf } from './sentences.js';

/** Of a rule that a later version knows: its own name, and nothing that it saw. */
export const ruleSentence = (asked: Parameters<typeof sharedSentence>[0], words: ConsoleWords): string =>
  sharedSentence(asked, words.rules, (ms) => spanOf(ms / 1000, words));

interface OtherOutcome {
  fact: string;
  instead: string | number | null;
  access_decision: string | null;
  access_decision_reason: string | null;
}

/** `with a tariff in the zone – Let in: parks for a fee.` null: a fact that only a later version knows */
export function otherSentence(other: OtherOutcome, direction: string, words: ConsoleWords): string | null {
  const { fact, instead } = other;
  const { rules } = words;
  const what =
    fact === 'occupied_count' && typeof instead === 'number'
      ? rules.insteadOccupied(instead)
      : (rules.instead[`${fact} ${instead}`] ?? rules.instead[fact]);
  if (what === undefined) return null;
  const way = fact === 'direction' ? String(instead) : direction;
  return rules.other(what, decisionSentence({ ...other, direction: way }, words));
}
