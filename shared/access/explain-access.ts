/**
 * Explains decisions: which rules were applied, which facts each of them used, and what would have changed the outcome. Pure: alternative
 * outcomes are found by calling `decideAccess` with changed facts.
 */
import type { Uid } from '../ids.js';
import type { AccessRule } from './access-rules.js';
import type { AccessTrace } from './access-trace.js';
import {
  type AccessDecision,
  type AccessFacts,
  decideAccess,
  repeatWithinMs,
  RETRANSMISSION_MAX_AGE_MS,
  rulesOf,
} from './decide-access.js';

/** A fact in the form that answers show: flags are 0 or 1, times are milliseconds. */
export type ShownFact = string | number | null;
export const RULE_OUTCOMES = ['passed', 'admitted', 'denied', 'undecided'] as const;

/** A rule that was applied, its result, and the facts that it used. */
export interface AskedRule {
  rule: AccessRule;
  outcome: (typeof RULE_OUTCOMES)[number];
  facts: Record<string, ShownFact>;
}

/** A changed fact and the outcome that it would have caused. */
export interface OtherOutcome extends Pick<AccessDecision, 'access_decision' | 'access_decision_reason'> {
  fact: string;
  value: ShownFact;
  instead: ShownFact;
}

/** The uid of sessions in reconstructed facts. Such sessions are never stored. */
const NO_UID = '00000000-0000-7000-8000-000000000000' as Uid;

/** Selects what is stored of a decision. `plate` is normalised. */
export function traceOf(facts: AccessFacts, decided: { rule: AccessRule; plate: string }): AccessTrace {
  const { read, camera, previous_read, zone } = facts;
  const ageOf = (session: AccessFacts['own_session']) =>
    session === null ? null : Math.round(read.event_ms - session.began_ms);
  return {
    rule: decided.rule,
    plate: decided.plate,
    direction: read.direction,
    retransmission: read.retransmission,
    age_ms: Number.isFinite(read.age_ms) ? Math.round(read.age_ms) : null,
    lpr_position: camera.lpr_position,
    debounce_ms: camera.debounce_ms,
    previous_read:
      previous_read === null ? null : { ...previous_read, elapsed_ms: Math.round(previous_read.elapsed_ms) },
    whitelisted: facts.whitelisted,
    has_tariff: zone.has_tariff,
    spot_count: zone.spot_count,
    occupied_count: zone.occupied_count,
    own_session_age_ms: ageOf(facts.own_session),
    look_alike_session_age_ms: ageOf(facts.look_alike_session),
    ended_by_look_alike: facts.ended_by_look_alike,
    ...(facts.let_out === true ? { let_out: true } : {}),
    cut_off: facts.cut_off,
    offline_exit: facts.offline_exit,
  };
}

/** Reconstructs facts from a trace. They lead to the same decision. The time of the read is 0. */
export function factsOf(trace: AccessTrace): AccessFacts {
  const sessionOf = (age_ms: number | null) => (age_ms === null ? null : { uid: NO_UID, began_ms: -age_ms });
  const { direction, retransmission, age_ms, lpr_position, debounce_ms } = trace;
  const { has_tariff, spot_count, occupied_count } = trace;
  return {
    read: { direction, event_ms: 0, retransmission, age_ms: age_ms ?? Infinity },
    camera: { lpr_position, debounce_ms },
    previous_read: trace.previous_read,
    whitelisted: trace.whitelisted,
    zone: { has_tariff, spot_count, occupied_count },
    own_session: sessionOf(trace.own_session_age_ms),
    look_alike_session: sessionOf(trace.look_alike_session_age_ms),
    ended_by_look_alike: trace.ended_by_look_alike,
    let_out: trace.let_out,
    cut_off: trace.cut_off,
    offline_exit: trace.offline_exit,
    new_session_uid: NO_UID,
  };
}

const flag = (is: boolean): 0 | 1 => (is ? 1 : 0);
const countOf = ({ spot_count, occupied_count }: AccessTrace) => (spot_count === 0 ? null : occupied_count);

const SEEN: Readonly<Record<AccessRule, (trace: AccessTrace) => Record<string, ShownFact>>> = {
  plate: ({ plate }) => ({ plate }),
  direction: ({ direction }) => ({ direction }),
  retransmission: ({ retransmission, age_ms }) => ({
    retransmission: flag(retransmission),
    age_ms,
    age_max_ms: RETRANSMISSION_MAX_AGE_MS,
  }),
  debounce: ({ debounce_ms, previous_read }) => ({
    debounce_ms: previous_read === null ? debounce_ms : repeatWithinMs(previous_read, { debounce_ms }),
    elapsed_ms: previous_read?.elapsed_ms ?? null,
    opening_failed: previous_read === null ? null : flag(previous_read.opening_failed),
    ...(previous_read?.admitted === true ? { admitted: 1 } : {}),
    ...(previous_read?.other_direction === true ? { other_direction: 1 } : {}),
    ...(previous_read?.other_plate === true ? { other_plate: 1 } : {}),
  }),
  direction_mismatch: ({ direction, lpr_position }) => ({ direction, lpr_position }),
  whitelist: ({ whitelisted }) => ({ whitelisted: flag(whitelisted) }),
  tariff: (trace) => ({
    has_tariff: flag(trace.has_tariff),
    spot_count: trace.spot_count,
    occupied_count: countOf(trace),
  }),
  max_capacity: (trace) => ({ spot_count: trace.spot_count, occupied_count: countOf(trace) }),
  session_exit: (trace) => ({
    own_session_age_ms: trace.own_session_age_ms,
    ended_by_look_alike: flag(trace.ended_by_look_alike),
    ...(trace.let_out === true ? { let_out: 1 } : {}),
    look_alike_session_age_ms: trace.look_alike_session_age_ms,
  }),
  offline_exit: ({ cut_off, offline_exit }) => ({ cut_off: flag(cut_off), offline_exit }),
};

/** Lists the rules that were applied, up to the one that decided. */
export function askedRules(trace: AccessTrace, decided: Pick<AccessDecision, 'access_decision'>): AskedRule[] {
  const rules = rulesOf(trace.direction);
  // If this version does not know the deciding rule for this direction, it is listed last.
  const last = rules.indexOf(trace.rule);
  const asked = last === -1 ? [trace.rule] : rules.slice(0, last + 1);
  return asked.map((rule) => ({
    rule,
    outcome: rule === trace.rule ? outcomeOf(decided) : 'passed',
    facts: SEEN[rule](trace),
  }));
}

function outcomeOf({ access_decision }: Pick<AccessDecision, 'access_decision'>): AskedRule['outcome'] {
  if (access_decision === null) return 'undecided';
  return access_decision === 'triggered' ? 'admitted' : 'denied';
}

interface OtherFact {
  fact: string;
  value: ShownFact;
  instead: ShownFact;
  trace: AccessTrace;
}

/** Lists the changes of a single fact that would have changed the outcome. Each one is found by deciding again. */
export function whatWouldChange(trace: AccessTrace, decided: Pick<AccessDecision, 'access_decision'>): OtherOutcome[] {
  return otherFacts(trace).flatMap(({ fact, value, instead, trace: other }) => {
    const { access_decision, access_decision_reason } = decideAccess(factsOf(other));
    if (access_decision === decided.access_decision) return [];
    return { fact, value, instead, access_decision, access_decision_reason };
  });
}

/** The age of the session that is assumed in a changed fact. */
const SESSION_AGE_MS = 3_600_000;

function otherFacts(trace: AccessTrace): OtherFact[] {
  const others: OtherFact[] = [];
  const add = (fact: string, change: { value: ShownFact; instead: ShownFact }, changed: Partial<AccessTrace>) =>
    others.push({ fact, ...change, trace: { ...trace, ...changed } });
  const toggle = (fact: 'whitelisted' | 'has_tariff' | 'ended_by_look_alike' | 'cut_off') =>
    add(fact, { value: flag(trace[fact]), instead: flag(!trace[fact]) }, { [fact]: !trace[fact] });
  for (const direction of ['in', 'out'] as const) {
    if (direction !== trace.direction) add('direction', { value: trace.direction, instead: direction }, { direction });
  }
  if (trace.retransmission) add('retransmission', { value: 1, instead: 0 }, { retransmission: false });
  addPreviousRead(trace, add);
  if (trace.lpr_position !== 'in/out') {
    add('lpr_position', { value: trace.lpr_position, instead: 'in/out' }, { lpr_position: 'in/out' });
  }
  toggle('whitelisted');
  if (trace.direction === 'in') {
    toggle('has_tariff');
    addCounts(trace, add);
    return others;
  }
  for (const fact of ['own_session_age_ms', 'look_alike_session_age_ms'] as const) {
    const instead = trace[fact] === null ? SESSION_AGE_MS : null;
    add(fact, { value: trace[fact], instead }, { [fact]: instead });
  }
  toggle('ended_by_look_alike');
  toggle('cut_off');
  const offline_exit = trace.offline_exit === 'open' ? 'deny' : 'open';
  add('offline_exit', { value: trace.offline_exit, instead: offline_exit }, { offline_exit });
  return others;
}

type AddFact = (
  fact: string,
  change: { value: ShownFact; instead: ShownFact },
  changed: Partial<AccessTrace>,
) => unknown;

function addPreviousRead({ previous_read, debounce_ms }: AccessTrace, add: AddFact): void {
  if (previous_read === null) return;
  const { elapsed_ms, opening_failed } = previous_read;
  const within_ms = repeatWithinMs(previous_read, { debounce_ms });
  if (elapsed_ms < within_ms) {
    const later = { ...previous_read, elapsed_ms: within_ms };
    add('elapsed_ms', { value: elapsed_ms, instead: within_ms }, { previous_read: later });
  }
  const other = { ...previous_read, opening_failed: !opening_failed };
  add('opening_failed', { value: flag(opening_failed), instead: flag(!opening_failed) }, { previous_read: other });
}

function addCounts({ spot_count, occupied_count }: AccessTrace, add: AddFact): void {
  if (spot_count === 0) return;
  const instead = occupied_count >= spot_count ? spot_count - 1 : spot_count;
  add('occupied_count', { value: occupied_count, instead }, { occupied_count: instead });
  add('spot_count', { value: spot_count, instead: 0 }, { spot_count: 0 });
}
