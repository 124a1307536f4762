/** Sensors without a wire, steered by a test: they speak when something changes, and say it again when they are listened to. */
import type { SensorDriver, SensorListener } from '../../../agent/sensor/sensor-source.js';
import type { SensorItem } from '../../../shared/gateway-config.js';

export interface FakeSensors {
  driver: SensorDriver;
  /** What a place's sensor measures from now on; null: nothing. */
  set(parkingPlaceId: number, value: number | null): void;
  /** The link to all of them fails, or works again. */
  setLink(isUp: boolean): void;
  /** What was asked for so far, and whether it still listens. */
  readonly sources: { item: SensorItem; listener: SensorListener; isClosed: boolean }[];
}

export function createFakeSensors(): FakeSensors {
  const values = new Map<number, number | null>();
  const sources: FakeSensors['sources'] = [];
  let isUp = true;

  function speak({ item, listener, isClosed }: FakeSensors['sources'][number]): void {
    if (isClosed) return;
    listener.onFault(isUp ? null : 'the link is down');
    if (!isUp) return;
    const readings = item.places.flatMap(({ id }) => {
      const value = values.get(id) ?? null;
      return value === null ? [] : [{ parking_place_id: id, value }];
    });
    if (readings.length > 0) listener.onReadings(readings);
  }
  const speakAll = () => {
    for (const source of sources) speak(source);
  };

  return {
    sources,
    driver(item, listener) {
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
    set(parkingPlaceId, value) {
      values.set(parkingPlaceId, value);
      speakAll();
    },
    setLink(up) {
      isUp = up;
      speakAll();
    },
  };
}
