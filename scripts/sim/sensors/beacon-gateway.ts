/** Sensors that advertise whether their place is occupied: a beacon on the emulated radio for each. */
import { createHash } from 'node:crypto';
import { beaconLayoutSchema } from '../../../shared/drivers/beacon-layout.js';
import { hexName } from '../../../shared/drivers/hex-names.js';
import type { CarParkParkingGateway } from '../car-park.js';
import type { AirBeacon, ProductAir } from '../radio/product-air.js';
import { beaconDataOf } from './beacon-payloads.js';
import type { SimPlace } from './sim-place.js';

/** @throws when its mapping does not say what its beacons advertise */
export async function startBeaconGateway(
  gateway: CarParkParkingGateway,
  { places, air }: { places: ReadonlyMap<string, SimPlace>; air: ProductAir },
): Promise<{ close(): Promise<void> }> {
  const layout = beaconLayoutSchema.safeParse(gateway.mapping);
  if (!layout.success) {
    throw new Error(`parking gateway ${gateway.name}: its mapping must say what its beacons advertise`);
  }
  const beacons: AirBeacon[] = [];
  for (const place of places.values()) {
    const { sensor } = place.view();
    const address = layout.data.serial === null ? hexName(sensor) : addressOf(gateway, sensor);
    const data = () => beaconDataOf(layout.data, { sensor, isOccupied: place.view().occupied });
    const beacon = await air.startBeacon(address, data());
    beacons.push(beacon);
    place.onChange(() => {
      // A silent sensor is one that nobody hears any more.
      air.setProduct(address, { inRange: !place.view().silent });
      beacon.setData(data().bytes);
    });
  }
  return {
    close() {
      for (const beacon of beacons) beacon.close();
      return Promise.resolve();
    },
  };
}

/** A beacon that is known by its serial number has some address. */
const addressOf = ({ lot, name }: CarParkParkingGateway, sensor: string): string =>
  createHash('sha256').update(`${lot} ${name} ${sensor}`).digest('hex').slice(0, 12);
