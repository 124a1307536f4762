/**
 * Decides which session of its plate a camera's read begins, ends or belongs to. The cloud knows what the gateway could not:
 * the gateways of a lot may be cut off from each other for days, and their records come in any order.
 */
import { SESSION_KEEP_MS } from '../../../../shared/access/decide-access.js';

/** The part of a session that the decisions need. Times are wall milliseconds. */
export interface KnownSession {
  row: { uid: string; created_at: number; ended_at: number | null };
}

/** When the read was. A read with an estimated time comes neither before nor after others. */
export interface TimedRead {
  at: number;
  isEstimated: boolean;
}

/** Finds the newest open session of the plate that had begun by the time of the read. @param sessions in the order they began */
export function ownOpenSession<S extends KnownSession>(sessions: readonly S[], read: TimedRead): S | undefined {
  return sessions.findLast(({ row }) => row.ended_at === null && hadBegun(row, read));
}

/** `ends`: the open session that the exit ends. `belongsTo`: a session that had ended before, or none. */
export type ExitDecision<S> = { ends: S; byLookAlike: boolean } | { belongsTo: S | null };

/**
 * Decides what an exit ends. A session of the same plate goes before one of a look-alike, and an open one before one that has ended.
 * @param known.sessions of the plate in the lot, in the order they began
 * @param known.named the session that the gateway says the exit ends; `isLookAlike`: because the plates look alike
 */
export function decideExit<S extends KnownSession>(
  read: TimedRead,
  known: { sessions: readonly S[]; named: S | undefined; isLookAlike: boolean },
): ExitDecision<S> {
  const { named } = known;
  const isNamedOpen = named?.row.ended_at === null;
  const own = isNamedOpen && !known.isLookAlike ? named : ownOpenSession(known.sessions, read);
  if (own !== undefined) return { ends: own, byLookAlike: false };
  return isNamedOpen ? { ends: named, byLookAlike: true } : { belongsTo: named ?? null };
}

/** `keeps`: the session that the entry is part of. `begins`: a new session; it ends the open ones, whose exits were missed. */
export type EntryDecision<S> = { keeps: S } | { begins: { ended: S[] } };

/**
 * Decides what an entry does when its gateway says that it begins a session.
 * @param known.sessions of the plate in the lot, in the order they began
 * @param known.named the session that the gateway says the entry ends
 */
export function decideEntry<S extends KnownSession>(
  read: TimedRead,
  { sessions, named }: { sessions: readonly S[]; named: S | undefined },
): EntryDecision<S> {
  const around = read.isEstimated ? undefined : sessions.findLast(({ row }) => isAround(row, read.at));
  if (around !== undefined) return { keeps: around };
  const missed = sessions.filter(
    (session) => session !== named && session.row.ended_at === null && hadBegun(session.row, read),
  );
  // The gateway did not know that another had let the vehicle in a moment before.
  const kept = missed.find(({ row }) => !read.isEstimated && read.at - row.created_at <= SESSION_KEEP_MS);
  if (kept !== undefined) return { keeps: kept };
  return { begins: { ended: named?.row.ended_at === null ? [...missed, named] : missed } };
}

/** The cloud's knowledge of a plate when an entry arrives late. */
export interface Heard<S, E> {
  /** Its sessions, in the order they began. */
  sessions: readonly S[];
  /** Its exits that were let out without a session, in their order. */
  exits: readonly E[];
}

/**
 * Decides what ended a session of which the cloud hears late. Either the vehicle left at a gateway that knew of no session, or
 * it came again and its exit was missed; the earlier of the two counts.
 */
export function decideEnd<S extends KnownSession, E extends { at: number }>(
  read: TimedRead,
  { sessions, exits }: Heard<S, E>,
): { left: E } | { again: S } | null {
  if (read.isEstimated) return null;
  const left = exits.find(({ at }) => at >= read.at);
  const again = sessions.find(({ row }) => row.created_at > read.at);
  if (again !== undefined && (left === undefined || again.row.created_at < left.at)) return { again };
  return left === undefined ? null : { left };
}

const hadBegun = ({ created_at }: KnownSession['row'], { at, isEstimated }: TimedRead): boolean =>
  isEstimated || created_at <= at;

/** Whether the time lies within a session that has ended since: a read in it belongs to that session and begins none. */
const isAround = ({ created_at, ended_at }: KnownSession['row'], at: number): boolean =>
  ended_at !== null && created_at <= at && ended_at > at;
