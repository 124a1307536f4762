/** Driver of sensors whose states are pushed as JSON: by themselves, or by the service that collects them. */
import { pushMappingSchema } from '../../../shared/drivers/sensor-mapping.js';
import { createFaults } from '../faults.js';
import type { SensorDriver, SensorDriverDeps } from '../sensor-source.js';
import { parsePush } from './push-parser.js';

export function createHttpDriver({ pushes }: Pick<SensorDriverDeps, 'pushes'>): SensorDriver {
  return {
    name: 'http',
    open(item, listener) {
      const mapping = pushMappingSchema.parse(item.mapping ?? {});
      const places = new Map(item.places.map(({ id, sensor }) => [sensor.toLowerCase(), id]));
      const faults = createFaults(listener);
      const key = item.application ?? '';
      const stop = pushes.take({ name: item.name, key }, (body) => {
        const states = parsePush(body, mapping);
        const readings = states.flatMap(({ sensor, ...said }) => {
          const parking_place_id = places.get(sensor.toLowerCase());
          return parking_place_id === undefined ? [] : { parking_place_id, ...said };
        });
        if (readings.length > 0) listener.onReadings(readings);
        return states.length > 0;
      });
      queueMicrotask(() => {
        if (key === '') faults.set('key', `application must be the key of its pushes, POST /sensors/${item.name}/KEY`);
        else faults.clear('key');
      });
      return {
        close() {
          stop();
          faults.close();
          return Promise.resolve();
        },
      };
    },
  };
}
