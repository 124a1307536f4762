/**
 * Decides on a plate read by the first of the rules 1 to 5 that applies (REST contract, "Access decisions"). The function is pure and total.
 * Callers pass only reads with a usable plate.
 */
import type { ACCESS_DECISION_REASONS } from '../events/event-schemas.js';
import type { Uid } from '../ids.js';
import type { AccessRule } from './access-rules.js';
import type { CameraDirection, ReadDirection } from './resolve-direction.js';
import type { SessionEffect } from './session-effect.js';

/** A retransmission older than this never opens anything. */
export const RETRANSMISSION_MAX_AGE_MS = 30_000;
/** When a plate is read again at an entry within this time after its session began, the session is kept. */
export const SESSION_KEEP_MS = 5 * 60_000;

/** For so long two cameras of one product see one passage of a vehicle, when neither of them knows directions. */
export const PASSAGE_MS = 30_000;
/** For so long a vehicle that a person let out may try again: as long as the person can open for its read. */
export const TRIES_AGAIN_MS = 10 * 60_000;
/** When two cameras of one product see plates within this time that one misread letter tells apart, they see one vehicle. */
export const SAME_VEHICLE_MS = 5_000;

/** An earlier read, not itself debounced, that this one may repeat. */
export interface PreviousRead {
  elapsed_ms: number;
  opening_failed: boolean;
  /** Whether it let its vehicle in or out. Left out: no. */
  admitted?: boolean | undefined;
  /** It was of the other direction, at another camera, and neither camera knows directions. Left out: of the same direction. */
  other_direction?: boolean | undefined;
  /** It was of a plate that looks like this one, at another camera. Left out: of the same plate. */
  other_plate?: boolean | undefined;
}

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
    /** The age of the event when the read arrived; Infinity when it cannot be known. */
    age_ms: number;
  };
  camera: { lpr_position: CameraDirection; debounce_ms: number };
  /** The last read that was not itself debounced: at any camera of the same product, or at this camera if it is standalone. */
  previous_read: PreviousRead | null;
  /** Whether the plate is a member of a group of the zone, is bound to the camera's product, or has an active key log of that product. */
  whitelisted: boolean;
  /** `spot_count` 0: unlimited. */
  zone: { has_tariff: boolean; spot_count: number; occupied_count: number };
  /** The plate's own open session in the lot. */
  own_session: SessionFact | null;
  /** The open session of the lot whose plate looks like this one, if there is exactly one. */
  look_alike_session: SessionFact | null;
  /** Whether a look-alike plate ended this plate's own session within the last 24 h. */
  ended_by_look_alike: boolean;
  /** Whether a person let the plate out minutes ago: its vehicle tries again. Left out: no. */
  let_out?: boolean | undefined;
  /** Whether the gateway cannot hear from the other claimed gateways of the lot. */
  cut_off: boolean;
  offline_exit: 'open' | 'deny';
  /** The uid for the session that an admission begins. */
  new_session_uid: Uid;
}

export type AccessReason = (typeof ACCESS_DECISION_REASONS)[number];

export interface AccessDecision {
  access_decision: 'denied' | 'triggered' | null;
  access_decision_reason: AccessReason | null;
  session: SessionEffect | null;
  /** null: the read does not count as a lot entry. */
  lot_entry: { is_allowed: boolean } | null;
  /** Whether the camera's product is opened. */
  opens: boolean;
  /** Whether the read was debounced. Such a read is no lot entry, and later reads are not debounced against it. */
  debounced: boolean;
  /** The rule that decided, or that excluded the read from a decision. */
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
  const late = isLate(facts);
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

const isLate = ({ read }: AccessFacts): boolean => read.retransmission && !(read.age_ms <= RETRANSMISSION_MAX_AGE_MS);

/** Removes sessions that began after the event: a read that arrives late cannot end them. */
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

/** A rule. It returns a verdict, or null to pass the read on to the next rule. */
type Judge = (facts: AccessFacts) => Verdict | null;

const OF_ALL: readonly (readonly [AccessRule, Judge])[] = [
  ['debounce', judgeRepeat],
  ['direction_mismatch', judgePlacement],
];

/** The rules of each direction, in order. The last one always decides. */
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

/** Lists the rules of a direction in the order in which they are applied. */
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

function judgeRepeat(facts: AccessFacts): Verdict | null {
  const { previous_read: previous, camera } = facts;
  if (previous === null || previous.opening_failed) return null;
  if (!(previous.elapsed_ms < repeatWithinMs(previous, camera))) return null;
  const isOther = previous.other_plate === true ? isKnownItself(facts) : hasLeftSince(facts, previous);
  return isOther ? null : denied('debounce');
}

/** Returns for how long after an earlier read this one may be its repeat. */
export function repeatWithinMs(previous: PreviousRead, { debounce_ms }: { debounce_ms: number }): number {
  if (previous.other_direction === true) return PASSAGE_MS;
  return previous.other_plate === true ? SAME_VEHICLE_MS : debounce_ms;
}

/** A plate that is known is taken for no other one: two vehicles may have plates that look alike. */
const isKnownItself = ({ whitelisted, own_session, ended_by_look_alike }: AccessFacts): boolean =>
  whitelisted || own_session !== null || ended_by_look_alike;

/**
 * Says whether the stay that the earlier entry began or kept has ended. A read that comes late says nothing of a later
 * end.
 */
const hasLeftSince = (facts: AccessFacts, previous: PreviousRead): boolean =>
  facts.read.direction === 'in' &&
  previous.admitted === true &&
  previous.other_direction !== true &&
  facts.own_session === null &&
  !isLate(facts);

function judgePlacement({ camera: { lpr_position }, read }: AccessFacts): Verdict | null {
  return lpr_position === 'in/out' || lpr_position === read.direction ? null : denied('direction_mismatch');
}

/** A full zone is left to the next rule. */
function judgeTariff(facts: AccessFacts): Verdict | null {
  const { has_tariff, spot_count, occupied_count } = facts.zone;
  if (!has_tariff) return denied('no_tariff');
  return spot_count !== 0 && occupied_count >= spot_count ? null : admitted('tariff', entrySession(facts));
}

/**
 * An admission begins a session. If the plate has a recent session, that one is kept instead. An older one is ended, because its exit was
 * missed.
 */
function entrySession(facts: AccessFacts): SessionEffect {
  const { own_session } = facts;
  if (own_session !== null && facts.read.event_ms - own_session.began_ms <= SESSION_KEEP_MS) {
    return { effect: 'keep', session_uid: own_session.uid };
  }
  return { effect: 'begin', session_uid: facts.new_session_uid, ended_session_uid: own_session?.uid ?? null };
}

function judgeSession({ own_session, look_alike_session, ended_by_look_alike, let_out }: AccessFacts): Verdict | null {
  if (own_session !== null) return admitted('session_exit', endOf(own_session, false));
  if (ended_by_look_alike || let_out === true) return admitted('session_exit', null);
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
