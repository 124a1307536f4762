/** Driver of sensors whose states are pushed as JSON: by themselves, or by the service that collects them. */
import { deviceNameKey } from '../../../shared/drivers/hex-names.js';
import { pushMappingSchema } from '../../../shared/drivers/sensor-mapping.js';
import { groupBy } from '../../../shared/grouping.js';
import { createFaults } from '../faults.js';
import type { SensorDriver, SensorDriverDeps } from '../sensor-source.js';
import { isOfDevice } from './network-post-parser.js';
import { parsePush } from './push-parser.js';

const KEY = 'key';

export function createHttpDriver({ pushes }: Pick<SensorDriverDeps, 'pushes'>): SensorDriver {
  return {
    name: 'http',
    open(item, listener) {
      const mapping = pushMappingSchema.parse(item.mapping ?? {});
      const places = groupBy(item.places, ({ sensor }) => deviceNameKey(sensor));
      const faults = createFaults(listener, [KEY]);
      const key = item.application ?? '';
      const stop = pushes.add({ name: item.name, key }, (body, event) => {
        if (event !== undefined && !isOfDevice(event)) return true;
        const states = parsePush(body, { mapping, event });
        const readings = states.flatMap(({ sensor, isHeard, ...said }) => {
          if (!isHeard) return [];
          return (places.get(deviceNameKey(sensor)) ?? []).map(({ id }) => ({ parking_place_id: id, ...said }));
        });
        if (readings.length > 0) listener.onReadings(readings);
        return states.length > 0;
      });
      queueMicrotask(() => {
        if (key === '') faults.set(KEY, `application must be the key of its pushes, POST /sensors/${item.name}/KEY`);
        else faults.clear(KEY);
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
