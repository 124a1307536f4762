/** What each rule of a decision saw, in a sentence, and what would have changed its outcome. */
import type { ConsoleWords } from './en.js';
import { decisionSentence, spanOf } from './sentences.js';

/** As REST tells them: flags are 0 or 1, times milliseconds. */
type Facts = Readonly<Record<string, string | number | null>>;

const secondsOf = (ms: number): number => Math.round(ms / 1000);
const numberOf = (facts: Facts, name: string): number | null => {
  const value = facts[name];
  return typeof value === 'number' ? value : null;
};
const textOf = (facts: Facts, name: string): string => String(facts[name] ?? '');

type Say = (facts: Facts, words: ConsoleWords) => string;

const SAY: Readonly<Record<string, Say>> = {
  plate: (facts, { rules }) => rules.plate(textOf(facts, 'plate')),
  direction: (facts, { rules }) => rules.directions[textOf(facts, 'direction')] ?? '',
  retransmission(facts, { rules }) {
    if (facts.retransmission !== 1) return rules.onTime;
    const age = numberOf(facts, 'age_ms');
    return rules.late(age === null ? null : secondsOf(age));
  },
  debounce(facts, { rules }) {
    const elapsed = numberOf(facts, 'elapsed_ms');
    if (elapsed === null) return rules.firstRead;
    const within = numberOf(facts, 'debounce_ms') ?? 0;
    const say = elapsed < within ? rules.repeated : rules.longAgo;
    const read = say(secondsOf(elapsed), secondsOf(within));
    if (facts.opening_failed === 1) return `${read} ${rules.openingFailed}`;
    return elapsed < within && facts.admitted === 1 ? `${read} ${rules.wasLetThrough}` : read;
  },
  direction_mismatch: (facts, { rules }) => rules.cameraFor[textOf(facts, 'lpr_position')] ?? '',
  whitelist: (facts, { rules }) => (facts.whitelisted === 1 ? rules.isListed : rules.isNotListed),
  tariff: (facts, words) =>
    facts.has_tariff === 1 ? `${words.rules.hasTariff} ${occupiedSentence(facts, words)}` : words.rules.hasNoTariff,
  max_capacity: occupiedSentence,
  session_exit(facts, words) {
    const own = numberOf(facts, 'own_session_age_ms');
    if (own !== null) return words.rules.stayBegan(spanOf(own / 1000, words));
    if (facts.ended_by_look_alike === 1) return words.rules.endedByLookAlike;
    const alike = numberOf(facts, 'look_alike_session_age_ms');
    return alike === null ? words.rules.noStay : words.rules.lookAlikeStay(spanOf(alike / 1000, words));
  },
  offline_exit(facts, { rules }) {
    if (facts.cut_off !== 1) return rules.notCutOff;
    return facts.offline_exit === 'open' ? rules.cutOffOpen : rules.cutOffDeny;
  },
};

function occupiedSentence(facts: Facts, { rules }: ConsoleWords): string {
  const spots = numberOf(facts, 'spot_count') ?? 0;
  return spots === 0 ? rules.noLimit : rules.spotsOccupied(numberOf(facts, 'occupied_count') ?? 0, spots);
}

/** Of a rule that a later version knows: its own name, and nothing that it saw. */
export const ruleSentence = ({ rule, facts }: { rule: string; facts: Facts }, words: ConsoleWords): string =>
  SAY[rule]?.(facts, words) ?? '';

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
