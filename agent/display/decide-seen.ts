/** Decides from the sensors how full a zone is, for signs that show free places. */

/** The largest share of a zone's places whose sensors may be silent. With more silent sensors the count is not known. */
const SILENT_SHARE_MAX = 0.1;

/** The count of one parking gateway in the zone: heard by this gateway, or heard by another gateway and sent by the cloud. */
export type SeenCount =
  | { places: number; occupiedPlaces: number; silent: number }
  | {
      occupied_count: number;
      /** Whether the cloud can send its changes. */
      is_heard: boolean;
    };

/**
 * A place whose sensor is silent counts as occupied, so that one dead sensor of a hundred costs the sign one place and not its text.
 * @returns is_known false: too many sensors are silent, or the cloud cannot send the count of another gateway
 */
export function decideSeen(counts: readonly SeenCount[]): { occupied: number; is_known: boolean } {
  let [occupied, places, silent, isComplete] = [0, 0, 0, true];
  for (const count of counts) {
    if ('places' in count) {
      occupied += count.occupiedPlaces;
      places += count.places;
      silent += count.silent;
    } else {
      occupied += count.occupied_count;
      isComplete &&= count.is_heard;
    }
  }
  return { occupied, is_known: isComplete && silent <= places * SILENT_SHARE_MAX };
}
