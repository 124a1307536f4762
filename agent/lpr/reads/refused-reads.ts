/**
 * Remembers refused vehicles for people: those that may still wait, each with its newest refusal until a later read lets it through, and those
 * that somebody dealt with.
 */
import type { Uid } from '../../../shared/ids.js';
import { keepNewest } from '../../../shared/keep-newest.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { isRefused } from '../../../shared/wording/gate-sentences.js';

/** Enough for half a day at a car park that refuses one vehicle in a minute and a half. */
const REFUSED_MAX = 500;

export interface RefusedReads<Read> {
  /** Notes a read's decision: its first one, or the one that a refinement changed. */
  note(read: Read): void;
  of(uid: string): Read | undefined;
  /** The newest last. */
  all(): Read[];
}

interface Decided {
  uid: Uid;
  direction: string;
  decided: { plate: string; decision: string | null; reason: string | null } | null;
}

/** @param isHandled whether somebody dealt with the vehicle of a read, which is kept then whatever comes after it */
export function createRefusedReads<Read extends Decided>(isHandled: (uid: Uid) => boolean): RefusedReads<Read> {
  const reads = new Map<string, Read>();
  return {
    note(read) {
      const { uid, direction, decided } = read;
      reads.delete(uid);
      if (decided === null) return;
      const { plate, decision: access_decision, reason: access_decision_reason } = decided;
      const refused = isRefused({ direction, access_decision, access_decision_reason });
      if (!refused && access_decision !== 'triggered') return;
      const vehicle = normalisePlate(plate);
      for (const [each, other] of reads) {
        if (normalisePlate(other.decided?.plate ?? '') === vehicle && !isHandled(other.uid)) reads.delete(each);
      }
      if (!refused) return;
      reads.set(uid, read);
      keepNewest(reads, REFUSED_MAX);
    },
    of: (uid) => reads.get(uid),
    all: () => [...reads.values()],
  };
}
