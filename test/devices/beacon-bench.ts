/** The driver of beacons on noble, with beacons of bleno on the emulated radio. */
import { createBleBeaconDriver } from '../../agent/sensor/ble-beacon/ble-beacon-driver.js';
import type { Occupancy, SensorDriver } from '../../agent/sensor/sensor-source.js';
import { type BeaconLayout, beaconLayoutSchema } from '../../shared/drivers/beacon-layout.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import { createBlenoAir } from '../../scripts/sim/radio/bleno-air.js';
import type { AirBeacon } from '../../scripts/sim/radio/product-air.js';
import { createVirtualRadio } from '../../scripts/sim/radio/virtual-radio.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { beaconDataOf } from '../../scripts/sim/sensors/beacon-payloads.js';
import { sensorItem, sensorPlace } from './sensor-item.js';
import { nobleRadio } from '../world/test-radios.js';

const GATEWAY = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01';
const REPEAT_MS = 100;

export interface BeaconBench {
  driver: SensorDriver;
  /** Places 1 to 4, whose beacons are known as the layout says. */
  item: SensorItem;
  /** What a place's beacon advertises from now on; null: it is not heard. */
  set(parkingPlaceId: number, occupancy: Occupancy | null): void;
  /** Advertises anything as a place's beacon. */
  advertise(parkingPlaceId: number, bytes: Uint8Array): void;
  setLink(isUp: boolean): Promise<void>;
  remove(): Promise<void>;
}

/** @param mapping of the parking gateway */
export async function createBeaconBench(mapping: Record<string, unknown>): Promise<BeaconBench> {
  const layout: BeaconLayout = beaconLayoutSchema.parse(mapping);
  const radio = createVirtualRadio({ random: Math.random });
  const air = createBlenoAir(radio);
  const noble = nobleRadio(
    { kind: 'transport', open: () => radio.openTransport({ role: 'central', name: GATEWAY }) },
    {},
    { beaconRepeatMs: REPEAT_MS },
  );
  const ids = [1, 2, 3, 4];
  const addressOf = (id: number) => `a4c13800b0${id.toString(16).padStart(2, '0')}`;
  const sensorOf = (id: number) =>
    layout.serial === null ? addressOf(id) : id.toString(16).padStart(layout.serial.length * 2, '0');
  const dataOf = (id: number, occupancy: Occupancy) =>
    beaconDataOf(layout, { sensor: sensorOf(id), isOccupied: occupancy === 'occupied' });
  const beacons = new Map<number, AirBeacon>();
  for (const id of ids) {
    air.setProduct(addressOf(id), { inRange: false });
    beacons.set(id, await air.startBeacon(addressOf(id), dataOf(id, 'free')));
  }
  const untilState = (isUp: boolean) =>
    waitUntil('the radio to be there, or gone', () => (noble.state === 'on') === isUp);
  await untilState(true);
  return {
    driver: createBleBeaconDriver({ radio: noble }),
    item: sensorItem({
      name: 'Beacons',
      driver: 'ble-beacon',
      mapping,
      // People copy it with colons, and in capitals.
      places: ids.map((id) =>
        sensorPlace(id, {
          sensor: sensorOf(id)
            .toUpperCase()
            .replaceAll(/(..)(?=.)/g, '$1:'),
        }),
      ),
    }),
    set(id, occupancy) {
      if (occupancy !== null) beacons.get(id)?.setData(dataOf(id, occupancy).bytes);
      air.setProduct(addressOf(id), { inRange: occupancy !== null });
    },
    advertise(id, bytes) {
      beacons.get(id)?.setData(bytes);
      air.setProduct(addressOf(id), { inRange: true });
    },
    async setLink(isUp) {
      radio.setPower(GATEWAY, isUp);
      await untilState(isUp);
    },
    async remove() {
      for (const beacon of beacons.values()) beacon.close();
      await noble.close();
      radio.close();
    },
  };
}
