/** The sentences of a decision's rules and of the facts that each of them used, for both consoles. */
import type { RuleWords } from './rules/en.js';

/** As REST tells them: flags are 0 or 1, times milliseconds. */
type Facts = Readonly<Record<string, string | number | null>>;

const secondsOf = (ms: number): number => Math.round(ms / 1000);
const numberOf = (facts: Facts, name: string): number | null => {
  const value = facts[name];
  return typeof value === 'number' ? value : null;
};
const textOf = (facts: Facts, name: string): string => String(facts[name] ?? '');

/** @param spanOf writes how long something took */
type Say = (facts: Facts, rules: RuleWords, spanOf: (ms: number) => string) => string;

const SAY: Readonly<Record<string, Say>> = {
  plate: (facts, rules) => rules.plate(textOf(facts, 'plate')),
  direction: (facts, rules) => rules.directions[textOf(facts, 'direction')] ?? '',
  retransmission(facts, rules) {
    if (facts.retransmission !== 1) return rules.onTime;
    const age = numberOf(facts, 'age_ms');
    return rules.late(age === null ? null : secondsOf(age));
  },
  debounce(facts, rules) {
    const elapsed = numberOf(facts, 'elapsed_ms');
    if (elapsed === null) return rules.firstRead;
    const within = numberOf(facts, 'debounce_ms') ?? 0;
    const say = elapsed < within ? rules.repeated : rules.longAgo;
    const read = say(secondsOf(elapsed), secondsOf(within));
    if (facts.opening_failed === 1) return `${read} ${rules.openingFailed}`;
    return elapsed < within && facts.admitted === 1 ? `${read} ${rules.wasLetThrough}` : read;
  },
  direction_mismatch: (facts, rules) => rules.cameraFor[textOf(facts, 'lpr_position')] ?? '',
  whitelist: (facts, rules) => (facts.whitelisted === 1 ? rules.isListed : rules.isNotListed),
  tariff: (facts, rules) =>
    facts.has_tariff === 1 ? `${rules.hasTariff} ${occupiedSentence(facts, rules)}` : rules.hasNoTariff,
  max_capacity: occupiedSentence,
  session_exit(facts, rules, spanOf) {
    const own = numberOf(facts, 'own_session_age_ms');
    if (own !== null) return rules.stayBegan(spanOf(own));
    if (facts.ended_by_look_alike === 1) return rules.endedByLookAlike;
    if (facts.let_out === 1) return rules.letOutBefore;
    const alike = numberOf(facts, 'look_alike_session_age_ms');
    return alike === null ? rules.noStay : rules.lookAlikeStay(spanOf(alike));
  },
  offline_exit(facts, rules) {
    if (facts.cut_off !== 1) return rules.notCutOff;
    return facts.offline_exit === 'open' ? rules.cutOffOpen : rules.cutOffDeny;
  },
};

function occupiedSentence(facts: Facts, rules: RuleWords): string {
  const spots = numberOf(facts, 'spot_count') ?? 0;
  return spots === 0 ? rules.noLimit : rules.spotsOccupied(numberOf(facts, 'occupied_count') ?? 0, spots);
}

/**
 * Says the facts that a rule used; nothing for a rule of a later version.
 * @param spanOf writes how long before something was
 */
export const ruleSentence = (
  { rule, facts }: { rule: string; facts: Facts },
  rules: RuleWords,
  spanOf: (ms: number) => string,
): string => SAY[rule]?.(facts, rules, spanOf) ?? '';
