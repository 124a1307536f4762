/**
 * Decides on a plate read by the first of the rules 1 to 5 that applies (REST contract, "Access decisions").
 * The function is pure and total. Callers pass only reads with a usable plate.
 */
import type { ACCESS_DECISION_REASONS } from '../events/event-schemas.js';
import type { Uid } from '../ids.js';
import type { AccessRule } from './access-rules.js';
import type { CameraDirection, ReadDirection } from './resolve-direction.js';
import type { SessionEffect } from './session-effect.js';

/** A retransmission older than this opens nothing. */
export const RETRANSMISSION_MAX_AGE_MS = 30_000;
/** A plate that is read at an entry again this soon after its session began keeps that session. */
export const SESSION_KEEP_MS = 5 * 60_000;

/** An open session of the lot that the plate may belong to. */
export interface SessionFact {
  uid: Uid;
  began_ms: number;
}

/** Everything that the decision depends on. */
export interface AccessFacts {
  read: {
    direction: ReadDirection;
    /** Time of the event, wall milliseconds. */
    event_ms: number;
    retransmission: boolean;
    /** How long ago the event was when the read arrived; Infinity when nobody can know. */
    age_ms: number;
  };
  camera: { lpr_position: CameraDirection; debounce_ms: number };
  /** The last read of this plate and direction, not itself debounced, at a camera of the same product; of a standalone camera, at this one. */
  previous_read: { elapsed_ms: number; opening_failed: boolean } | null;
  /** Member of a group of the zone, bound license of the camera's product, or active key log of that product. */
  whitelisted: boolean;
  /** `spot_count` 0: unlimited. */
  zone: { has_tariff: boolean; spot_count: number; occupied_count: number };
  /** The plate's own open session in the lot. */
  own_session: SessionFact | null;
  /** The only open session of the lot whose plate looks like this one. */
  look_alike_session: SessionFact | null;
  /** The plate's own session was ended by a look-alike within the last 24 h. */
  ended_by_look_alike: boolean;
  /** The gateway cannot hear from the lot's other claimed gateways. */
  cut_off: boolean;
  offline_exit: 'open' | 'deny';
  /** uid of the session that an admission begins. */
  new_session_uid: Uid;
}

export type AccessReason = (typeof ACCESS_DECISION_REASONS)[number];

export interface AccessDecision {
  access_decision: 'denied' | 'triggered' | null;
  access_decision_reason: AccessReason | null;
  session: SessionEffect | null;
  /** null: the read is no lot entry. */
  lot_entry: { is_allowed: boolean } | null;
  /** Whether the camera's product is opened. */
  opens: boolean;
  /** A debounced read is no lot entry, and no later read is debounced against it. */
  debounced: boolean;
  /** The rule that decided, or that kept the read from a decision. */
  rule: AccessRule;
}

interface Verdict {
  access_decision: 'denied' | 'triggered';
  access_decision_reason: AccessReason;
  session: SessionEffect | null;
}

/** Decides one read. */
export function decideAccess(facts: AccessFacts): AccessDecision {
  if (facts.read.direction === 'undefined') {
    return {
      access_decision: null,
      access_decision_reason: null,
      session: null,
      lot_entry: null,
      opens: false,
      debounced: false,
      rule: 'direction',
    };
  }
  const late = facts.read.retransmission && !(facts.read.age_ms <= RETRANSMISSION_MAX_AGE_MS);
  const { rule, verdict } = judge(late ? asOfThen(facts) : facts, facts.read.direction);
  const debounced = verdict.access_decision_reason === 'debounce';
  const triggered = verdict.access_decision === 'triggered';
  return {
    access_decision: late ? null : verdict.access_decision,
    access_decision_reason: late ? null : verdict.access_decision_reason,
    session: verdict.session,
    lot_entry: debounced ? null : { is_allowed: triggered },
    opens: triggered && !late,
    debounced,
    rule: late ? 'retransmission' : rule,
  };
}

/** A read that arrives late cannot end a session that began after it. */
function asOfThen(facts: AccessFacts): AccessFacts {
  if (facts.read.direction !== 'out') return facts;
  const begunBefore = (session: SessionFact | null) =>
    session !== null && session.began_ms <= facts.read.event_ms ? session : null;
  return {
    ...facts,
    own_session: begunBefore(facts.own_session),
    look_alike_session: begunBefore(facts.look_alike_session),
  };
}

/** A rule decides, or passes the read on to the next one (null). */
type Judge = (facts: AccessFacts) => Verdict | null;

const OF_ALL: readonly (readonly [AccessRule, Judge])[] = [
  ['debounce', judgeRepeat],
  ['direction_mismatch', judgePlacement],
];

/** The rules of each direction, in their order. The last one decides whatever comes to it. */
const RULES: Readonly<Record<'in' | 'out', readonly (readonly [AccessRule, Judge])[]>> = {
  in: [
    ...OF_ALL,
    ['whitelist', (facts) => (facts.whitelisted ? admitted('whitelist', entrySession(facts)) : null)],
    ['tariff', judgeTariff],
    ['max_capacity', () => denied('max_capacity')],
  ],
  out: [
    ...OF_ALL,
    ['session_exit', judgeSession],
    ['whitelist', (facts) => (facts.whitelisted ? admitted('whitelist', null) : null)],
    ['offline_exit', judgeWithoutSession],
  ],
};

const BEFORE_ALL = ['plate', 'direction', 'retransmission'] as const;

/** Lists the rules in the order in which they are asked for a direction. */
export function rulesOf(direction: ReadDirection): AccessRule[] {
  return direction === 'undefined' ? [...BEFORE_ALL] : [...BEFORE_ALL, ...RULES[direction].map(([rule]) => rule)];
}

function judge(facts: AccessFacts, direction: 'in' | 'out'): { rule: AccessRule; verdict: Verdict } {
  for (const [rule, judgeBy] of RULES[direction]) {
    const verdict = judgeBy(facts);
    if (verdict !== null) return { rule, verdict };
  }
  throw new Error('the last rule passed a read on');
}

function judgeRepeat({ camera, previous_read }: AccessFacts): Verdict | null {
  const isRepeat =
    previous_read !== null && !previous_read.opening_failed && previous_read.elapsed_ms < camera.debounce_ms;
  return isRepeat ? denied('debounce') : null;
}

function judgePlacement({ camera: { lpr_position }, read }: AccessFacts): Verdict | null {
  return lpr_position === 'in/out' || lpr_position === read.direction ? null : denied('direction_mismatch');
}

/** A zone that is full is left to the next rule. */
function judgeTariff(facts: AccessFacts): Verdict | null {
  const { has_tariff, spot_count, occupied_count } = facts.zone;
  if (!has_tariff) return denied('no_tariff');
  return spot_count !== 0 && occupied_count >= spot_count ? null : admitted('tariff', entrySession(facts));
}

/** An admission begins a session. A recent session of the plate is kept instead; an older one, whose exit was missed, ends now. */
function entrySession(facts: AccessFacts): SessionEffect {
  const { own_session } = facts;
  if (own_session !== null && facts.read.event_ms - own_session.began_ms <= SESSION_KEEP_MS) {
    return { effect: 'keep', session_uid: own_session.uid };
  }
  return { effect: 'begin', session_uid: facts.new_session_uid, ended_session_uid: own_session?.uid ?? null };
}

function judgeSession({ own_session, look_alike_session, ended_by_look_alike }: AccessFacts): Verdict | null {
  if (own_session !== null) return admitted('session_exit', endOf(own_session, false));
  if (ended_by_look_alike) return admitted('session_exit', null);
  return look_alike_session === null ? null : admitted('session_exit', endOf(look_alike_session, true));
}

function judgeWithoutSession({ cut_off, offline_exit }: AccessFacts): Verdict {
  return cut_off && offline_exit === 'open' ? admitted('session_exit', null) : denied('no_active_session');
}

function endOf(session: SessionFact, lookAlike: boolean): SessionEffect {
  return { effect: 'end', session_uid: session.uid, look_alike: lookAlike };
}

function denied(reason: AccessReason): Verdict {
  return { access_decision: 'denied', access_decision_reason: reason, session: null };
}

function admitted(reason: AccessReason, session: SessionEffect | null): Verdict {
  return { access_decision: 'triggered', access_decision_reason: reason, session };
}
