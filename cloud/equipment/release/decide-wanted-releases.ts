/** Which releases a gateway shall have. */
import { compareVersions } from '../../../shared/version-order.js';
import type { Row } from '../../kernel/store/entry.js';

/** FNV-1a, and a last mix: uuids that people chose differ in few characters. */
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const MIX = 0x2c1b3c6d;
const ALL = 2 ** 32;

export interface Ring {
  /** null: all accounts. */
  account_id: number | null;
  percent: number;
}

export type RingedRelease = Row<'releases'> & { rings: readonly Ring[] };

/**
 * Finds the newest release for each kind of device whose rings the gateway is in. Which gateways are in a ring depends on their uuid alone: the
 * same are always the first, and a larger percentage has all of a smaller one.
 */
export function decideWantedReleases<Release extends RingedRelease>(
  releases: readonly Release[],
  gateway: { uuid: string; account_id: number },
): Release[] {
  const wanted = new Map<string, Release>();
  for (const release of releases) {
    if (release.is_paused === 1 || !release.rings.some((ring) => isInRing(ring, gateway))) continue;
    const other = wanted.get(release.machine);
    if (other === undefined || compareVersions(other.version, release.version) < 0)
      wanted.set(release.machine, release);
  }
  return [...wanted.values()];
}

export function isInRing(ring: Ring, { uuid, account_id }: { uuid: string; account_id: number }): boolean {
  if (ring.account_id !== null && ring.account_id !== account_id) return false;
  return percentileOf(uuid) < ring.percent;
}

/** Where a gateway stands among all of them. @returns from 0 to below 100 */
export function percentileOf(uuid: string): number {
  let hash = FNV_BASIS;
  for (const character of uuid) hash = Math.imul(hash ^ character.charCodeAt(0), FNV_PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), MIX);
  return (((hash ^ (hash >>> 15)) >>> 0) / ALL) * 100;
}
