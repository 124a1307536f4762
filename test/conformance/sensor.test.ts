import { createFakeSensors } from '../sim/sensors/fake-sensors.js';
import { createModbusBench } from '../sim/sensors/modbus-bench.js';
import { sensorConformance } from './sensor-conformance.js';

sensorConformance('Modbus TCP', async () => {
  const bench = await createModbusBench();
  const VALUES = { free: 0, occupied: 1 };
  return { ...bench, set: (id, occupancy) => bench.set(id, occupancy === null ? null : VALUES[occupancy]) };
});

sensorConformance('fake', async () => {
  const sensors = createFakeSensors();
  const { item, remove } = await createModbusBench();
  await remove();
  return {
    driver: sensors.driver,
    item,
    set: sensors.set,
    setLink: async (isUp) => sensors.setLink(isUp),
    remove: async () => {},
  };
});
