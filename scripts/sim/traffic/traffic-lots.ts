/** The lots of a site file that traffic can pass through: those with a camera at an entry and one at an exit. */
import type { Site } from '../../../cloud/all-resources.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { ScheduledLot } from './traffic-schedule.js';

export interface TrafficCamera {
  device_id: string;
  /** device_id of the product that it opens; null: none. */
  product: string | null;
}

export interface TrafficLot extends ScheduledLot {
  name: string;
  /** How many vehicles it holds; null: there is no limit. */
  spots: number | null;
  entry: TrafficCamera;
  exit: TrafficCamera;
}

/** Strangers in the busiest hour, for each place of the lot. */
const BUSIEST_SHARE = 0.2;
const BUSIEST_WITHOUT_LIMIT = 10;

/** @throws Error when there is no such lot */
export function trafficLotsOf(site: Site): TrafficLot[] {
  const found = site.accounts.flatMap(({ lots, members }) => {
    const plates = members.flatMap((member) => member.plates.map(normalisePlate));
    return lots.flatMap(({ name, timezone, zones }): TrafficLot[] => {
      const cameras = zones.flatMap(({ lpr_cameras }) => lpr_cameras);
      const entry = cameras.find(({ lpr_position }) => lpr_position !== 'out');
      const exit = cameras.find(
        ({ lpr_position, device_id }) => lpr_position !== 'in' && device_id !== entry?.device_id,
      );
      if (entry === undefined || exit === undefined) return [];
      const spots = zones.some(({ spot_count }) => spot_count === 0)
        ? null
        : zones.reduce((sum, { spot_count }) => sum + spot_count, 0);
      return [
        {
          name,
          timezone,
          spots,
          members: plates,
          busiest: spots === null ? BUSIEST_WITHOUT_LIMIT : spots * BUSIEST_SHARE,
          entry: { device_id: entry.device_id, product: entry.product ?? null },
          exit: { device_id: exit.device_id, product: exit.product ?? null },
        },
      ];
    });
  });
  if (found.length === 0)
    throw new Error(
      'traffic needs a lot with two cameras, one at its entry and one at its exit; the site file has none',
    );
  return found;
}
