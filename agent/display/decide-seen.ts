/** Decides how full a zone is for those who look for a free place, from what its sensors say. */

/** How large a share of a zone's places may be silent: more, and nobody knows how full it is. */
const SILENT_SHARE_MAX = 0.1;

/** What the sensors of one parking gateway say of the zone: heard by this gateway, or by another one and told by the cloud. */
export type SeenCount =
  | { places: number; taken: number; silent: number }
  | {
      occupied_count: number;
      /** Whether the cloud can tell its changes. */
      is_heard: boolean;
    };

/**
 * A place whose sensor is silent counts as occupied, never as free: one dead sensor of a hundred costs the sign one place, not its text.
 * @returns is_known false: too many are silent, or another gateway's sensors are not heard of
 */
export function decideSeen(counts: readonly SeenCount[]): { occupied: number; is_known: boolean } {
  let [occupied, places, silent, isToldOfAll] = [0, 0, 0, true];
  for (const count of counts) {
    if ('places' in count) {
      occupied += count.taken;
      places += count.places;
      silent += count.silent;
    } else {
      occupied += count.occupied_count;
      isToldOfAll &&= count.is_heard;
    }
  }
  return { occupied, is_known: isToldOfAll && silent <= places * SILENT_SHARE_MAX };
}
