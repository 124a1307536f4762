/** Sensors without a wire, controlled by a test: they report changes, and repeat their state to each new listener. */
import type { Occupancy, SensorDriver, SensorListener } from '../../agent/sensor/sensor-source.js';
import type { SensorItem } from '../../shared/gateway-config.js';

export interface FakeSensors {
  driver: SensorDriver;
  /** Sets what a place's sensor says from now on; null: nothing. */
  set(parkingPlaceId: number, occupancy: Occupancy | null): void;
  /** Makes the link to all of them fail, or work again. */
  setLink(isUp: boolean): void;
  /** The parking gateways that were opened, and whether they are closed. */
  readonly sources: { item: SensorItem; listener: SensorListener; isClosed: boolean }[];
}

export function createFakeSensors(): FakeSensors {
  const states = new Map<number, Occupancy | null>();
  const sources: FakeSensors['sources'] = [];
  let isUp = true;

  function speak({ item, listener, isClosed }: FakeSensors['sources'][number]): void {
    if (isClosed) return;
    listener.onFault(isUp ? null : 'the link is down');
    if (!isUp) return;
    const readings = item.places.flatMap(({ id }) => {
      const occupancy = states.get(id) ?? null;
      return occupancy === null ? [] : [{ parking_place_id: id, occupancy, measured_ms: null }];
    });
    if (readings.length > 0) listener.onReadings(readings);
  }
  const speakAll = () => {
    for (const source of sources) speak(source);
  };

  return {
    sources,
    driver: {
      name: 'http',
      open(item, listener) {
        const source = { item, listener, isClosed: false };
        sources.push(source);
        queueMicrotask(() => speak(source));
        return {
          close() {
            source.isClosed = true;
            return Promise.resolve();
          },
        };
      },
    },
    set(parkingPlaceId, occupancy) {
      states.set(parkingPlaceId, occupancy);
      speakAll();
    },
    setLink(up) {
      isUp = up;
      speakAll();
    },
  };
}
