/**
 * How full lots are while the records of a transaction are applied. A lot is counted once, because that goes through all that stands in it;
 * each change of a place is then added.
 */
import type { Db, Row } from '../../../kernel/store/entry.js';
import { countsOfLot, occupiedCountOf, type ZoneCounts } from '../../../site/entry.js';

type Place = Pick<Row<'parking_places'>, 'lot_id' | 'zone_id' | 'parking_gateway_id' | 'sensor'>;

export interface LotCounts {
  /** Adds a change of a place that is written already. @returns how many are occupied in its zone and in its lot from then on */
  noteChange(place: Place, delta: 1 | -1): Promise<{ ofZone: number; ofLot: number }>;
  /** Notes that the place's sensor reported its state for the first time: its zone is counted by sensors from then on. */
  noteHeard(place: Place): void;
}

/** @param of.now wall milliseconds */
export function createLotCounts({ tx, now }: { tx: Db; now: number }): LotCounts {
  const lots = new Map<number, Map<number, ZoneCounts>>();

  function add({ lot_id, zone_id, parking_gateway_id, sensor }: Place, delta: number): void {
    const zone = lots.get(lot_id)?.get(zone_id);
    // A place without a sensor does not count.
    if (zone === undefined || parking_gateway_id === null || sensor === null) return;
    zone.sensors = (zone.sensors ?? 0) + delta;
  }

  return {
    async noteChange(place, delta) {
      const { lot_id, zone_id } = place;
      if (lots.has(lot_id)) add(place, delta);
      else lots.set(lot_id, await countsOfLot(tx, { lot_id, now }));
      const counted = Array.from(lots.get(lot_id) ?? [], ([id, counts]) => ({ id, occupied: occupiedCountOf(counts) }));
      return {
        ofZone: counted.find(({ id }) => id === zone_id)?.occupied ?? 0,
        ofLot: counted.reduce((sum, { occupied }) => sum + occupied, 0),
      };
    },
    noteHeard: (place) => add(place, 0),
  };
}
