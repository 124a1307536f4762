/**
 * Which stay of its plate a camera's read belongs to, begins or ends, by what the cloud knows and the gateway could not: a
 * lot's gateways may be cut off from each other for days, and their records come in any order.
 */
import { SESSION_KEEP_MS } from '../../shared/access/decide-access.js';
import type { PlateReadRecord } from '../../shared/uplink.js';

/** A session as far as it is decided by. Times are wall milliseconds. */
export interface Stay {
  row: { uid: string; created_at: number; ended_at: number | null };
}

/** When the read was; an estimated time is in no order with others. */
export interface StayRead {
  at: number;
  isEstimated: boolean;
}

/** Let out, with a session or without: the gateway may have been cut off from the one that let the vehicle in. */
export const isAdmittedExit = ({ reading, lot_entry }: PlateReadRecord): boolean =>
  reading.direction === 'out' && lot_entry?.is_allowed === true;

/** The newest open one of the plate's stays that had begun by then. @param stays in the order they began */
export function ownOpenStay<S extends Stay>(stays: readonly S[], read: StayRead): S | undefined {
  return stays.findLast(({ row }) => row.ended_at === null && hadBegun(row, read));
}

/** `ends`: the open stay that ends now; `belongsTo`: one that had ended, or none. */
export type ExitDecision<S> = { ends: S; byLookAlike: boolean } | { belongsTo: S | null };

/**
 * What an exit ends. An exact match goes before any look-alike, and before one that has ended.
 * @param known.stays of the plate in the lot, in the order they began
 * @param known.named the one that the gateway says it ends; `isLookAlike`: as one whose plate looks like it
 */
export function decideExit<S extends Stay>(
  read: StayRead,
  known: { stays: readonly S[]; named: S | undefined; isLookAlike: boolean },
): ExitDecision<S> {
  const { named } = known;
  const isNamedOpen = named?.row.ended_at === null;
  const own = isNamedOpen && !known.isLookAlike ? named : ownOpenStay(known.stays, read);
  if (own !== undefined) return { ends: own, byLookAlike: false };
  return isNamedOpen ? { ends: named, byLookAlike: true } : { belongsTo: named ?? null };
}

/** `keeps`: the stay that the entry is part of. `begins`: a new one; those it ends were open, and their exits missed. */
export type EntryDecision<S> = { keeps: S } | { begins: { ended: S[] } };

/**
 * What an entry does whose gateway said that it begins a stay.
 * @param known.stays of the plate in the lot, in the order they began
 * @param known.named the one that the gateway says it ends
 */
export function decideEntry<S extends Stay>(
  read: StayRead,
  { stays, named }: { stays: readonly S[]; named: S | undefined },
): EntryDecision<S> {
  const around = read.isEstimated ? undefined : stays.findLast(({ row }) => isAround(row, read.at));
  if (around !== undefined) return { keeps: around };
  const missed = stays.filter((stay) => stay !== named && stay.row.ended_at === null && hadBegun(stay.row, read));
  // The gateway did not know that another had let the vehicle in a moment before.
  const kept = missed.find(({ row }) => !read.isEstimated && read.at - row.created_at <= SESSION_KEEP_MS);
  if (kept !== undefined) return { keeps: kept };
  return { begins: { ended: named?.row.ended_at === null ? [...missed, named] : missed } };
}

/** What the cloud had heard before of a plate after its entry. */
export interface Heard<S, E> {
  /** Its stays, in the order they began. */
  stays: readonly S[];
  /** Its exits, let out without a session, in their order. */
  exits: readonly E[];
}

/**
 * What ended a stay that is heard of late: the vehicle left by a gateway that knew of no session, or came again (its exit was
 * missed), whichever was first.
 */
export function decideEnd<S extends Stay, E extends { at: number }>(
  read: StayRead,
  { stays, exits }: Heard<S, E>,
): { left: E } | { again: S } | null {
  if (read.isEstimated) return null;
  const left = exits.find(({ at }) => at >= read.at);
  const again = stays.find(({ row }) => row.created_at > read.at);
  if (again !== undefined && (left === undefined || again.row.created_at < left.at)) return { again };
  return left === undefined ? null : { left };
}

const hadBegun = ({ created_at }: Stay['row'], { at, isEstimated }: StayRead): boolean =>
  isEstimated || created_at <= at;

/** A stay that has ended since, in which the time lies: it stays the one stay that it was. */
const isAround = ({ created_at, ended_at }: Stay['row'], at: number): boolean =>
  ended_at !== null && created_at <= at && ended_at > at;
