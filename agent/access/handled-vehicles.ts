/**
 * Knows the vehicles that waited and that somebody dealt with: by the word of the cloud, and at this gateway itself, which counts at once and
 * also after a restart without a network.
 */
import type { HandledItem } from '../../shared/gateway-config.js';
import type { Uid } from '../../shared/ids.js';
import { keepNewest } from '../../shared/keep-newest.js';
import type { LatestRecord } from '../store/latest-records.js';
import type { AccessRules } from './access-rules.js';

const OWN_MAX = 500;

export interface HandledVehicles {
  /** null: nobody did, as far as is known. @param uid of a sighting or a reading */
  of(uid: string): HandledItem | null;
  /** Whether something was opened for a vehicle of which nobody saw the end: the program ended first, in an earlier run. */
  isOpeningUnknown(uid: Uid): boolean;
  /** Notes that a vehicle was let in here. @param at_ms wall milliseconds */
  noteLetIn(uid: Uid, at_ms: number): void;
}

/** @param deps.latest what the store kept of before this start. @param deps.openings those that had no end when the program ended */
export function createHandledVehicles(deps: {
  rules: Pick<AccessRules, 'handled' | 'gateway'>;
  latest: readonly LatestRecord[];
  openings: readonly { reading_uid: Uid }[];
}): HandledVehicles {
  const { rules } = deps;
  /** When each was let in here. */
  const own = new Map<string, number>();

  function noteLetIn(uid: Uid, at_ms: number): void {
    // The first one who did stays.
    if (own.has(uid) || rules.handled(uid)?.how === 'let_in') return;
    own.set(uid, at_ms);
    keepNewest(own, OWN_MAX);
  }

  const unknownOpenings = new Set(deps.openings.map(({ reading_uid }) => reading_uid));
  for (const { payload } of deps.latest) {
    if (payload.kind === 'opening_result' && payload.outcome === 'unknown') unknownOpenings.add(payload.reading_uid);
    if (payload.kind !== 'local_action' || payload.action !== 'let_in' || payload.outcome !== 'succeeded') continue;
    const uid = payload.sighting_uid ?? payload.reading_uid;
    if (uid !== null) noteLetIn(uid, payload.at_ms);
  }
  return {
    of(uid) {
      const at_ms = own.get(uid);
      if (at_ms === undefined) return rules.handled(uid) ?? null;
      // As the cloud names it.
      return { how: 'let_in', by: rules.gateway()?.name ?? 'gateway', at_ms };
    },
    isOpeningUnknown: (uid) => unknownOpenings.has(uid),
    noteLetIn,
  };
}
