/** What the configuration of a gateway says about its software. */
import type { WantedUpdates } from '../../../shared/releases.js';
import { parseUpdateHours } from '../../../shared/update-hours.js';
import type { Db } from '../../kernel/store/entry.js';
import { decideWantedReleases } from './decide-wanted-releases.js';
import type { ReleaseLinks } from './release-links.js';
import { findReleases, findUpdateWishes } from './release-queries.js';

/** @returns undefined: there is nothing to say */
export async function wantedUpdatesOf(
  db: Db,
  { links }: { links: Pick<ReleaseLinks, 'linkOf'> },
  gateway: {
    id: number;
    uuid: string | null;
    public_key: string | null;
    account_id: number;
    update_hours: string | null;
  },
): Promise<WantedUpdates | undefined> {
  const { uuid, public_key, account_id, update_hours } = gateway;
  if (uuid === null || public_key === null) return undefined;
  const wishes = await findUpdateWishes(db, gateway.id);
  const wanted = decideWantedReleases(await findReleases(db), { uuid, account_id });
  const hours = update_hours === null ? null : parseUpdateHours(update_hours);
  if (wanted.length === 0 && hours === null && wishes.is_paused === 0 && wishes.asked_at === null) return undefined;
  return {
    is_paused: wishes.is_paused === 1,
    hours,
    asked_ms: wishes.asked_at ?? 0,
    releases: wanted.map((release) => {
      const { machine, version, sha256, bytes, security_floor } = release;
      return { machine, version, sha256, bytes, url: links.linkOf(release, { uuid, public_key }), security_floor };
    }),
  };
}
