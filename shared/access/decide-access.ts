/**
 * Decides on a plate read by the first of the rules 1 to 5 that applies (REST contract, "Access decisions").
 * The function is pure and total. Callers pass only reads with a usable plate.
 */
import type { ACCESS_DECISION_REASONS } from '../events/event-schemas.js';
import type { Uid } from '../ids.js';
import type { SessionEffect } from '../uplink.js';
import type { CameraDirection, ReadDirection } from './resolve-direction.js';

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
    };
  }
  const late = facts.read.retransmission && !(facts.read.age_ms <= RETRANSMISSION_MAX_AGE_MS);
  const verdict = judge(late ? asOfThen(facts) : facts, facts.read.direction);
  const debounced = verdict.access_decision_reason === 'debounce';
  const triggered = verdict.access_decision === 'triggered';
  return {
    access_decision: late ? null : verdict.access_decision,
    access_decision_reason: late ? null : verdict.access_decision_reason,
    session: verdict.session,
    lot_entry: debounced ? null : { is_allowed: triggered },
    opens: triggered && !late,
    debounced,
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

function judge(facts: AccessFacts, direction: 'in' | 'out'): Verdict {
  const { camera, previous_read } = facts;
  if (previous_read !== null && !previous_read.opening_failed && previous_read.elapsed_ms < camera.debounce_ms) {
    return denied('debounce');
  }
  if (camera.lpr_position !== 'in/out' && camera.lpr_position !== direction) return denied('direction_mismatch');
  return direction === 'in' ? judgeEntry(facts) : judgeExit(facts);
}

function judgeEntry(facts: AccessFacts): Verdict {
  if (facts.whitelisted) return admitted('whitelist', entrySession(facts));
  if (!facts.zone.has_tariff) return denied('no_tariff');
  const { spot_count, occupied_count } = facts.zone;
  if (spot_count !== 0 && occupied_count >= spot_count) return denied('max_capacity');
  return admitted('tariff', entrySession(facts));
}

/** An admission begins a session. A recent session of the plate is kept instead; an older one, whose exit was missed, ends now. */
function entrySession(facts: AccessFacts): SessionEffect {
  const { own_session } = facts;
  if (own_session !== null && facts.read.event_ms - own_session.began_ms <= SESSION_KEEP_MS) {
    return { effect: 'keep', session_uid: own_session.uid };
  }
  return { effect: 'begin', session_uid: facts.new_session_uid, ended_session_uid: own_session?.uid ?? null };
}

function judgeExit(facts: AccessFacts): Verdict {
  const { own_session, look_alike_session } = facts;
  if (own_session !== null) return admitted('session_exit', endOf(own_session, false));
  if (facts.ended_by_look_alike) return admitted('session_exit', null);
  if (look_alike_session !== null) return admitted('session_exit', endOf(look_alike_session, true));
  if (facts.whitelisted) return admitted('whitelist', null);
  if (facts.cut_off && facts.offline_exit === 'open') return admitted('session_exit', null);
  return denied('no_active_session');
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
