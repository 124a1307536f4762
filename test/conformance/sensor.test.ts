import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from 'vitest';
import { createFakeSensors } from '../sim/sensors/fake-sensors.js';
import { createLoraBench } from '../sim/sensors/lora-bench.js';
import { createModbusBench } from '../sim/sensors/modbus-bench.js';
import { createPushBench } from '../sim/sensors/push-bench.js';
import { createRtuBench, hasSerialLine } from '../sim/sensors/rtu-bench.js';
import { hasMosquitto, type MosquittoServer, startMosquitto } from '../sim/world/mosquitto-server.js';
import { sensorConformance } from './sensor-conformance.js';

const TLS = fileURLToPath(new URL('../../../test/fixtures/tls/', import.meta.url));

sensorConformance('Modbus TCP', async () => {
  const bench = await createModbusBench();
  const VALUES = { free: 0, occupied: 1 };
  return { ...bench, set: (id, occupancy) => bench.set(id, occupancy === null ? null : VALUES[occupancy]) };
});

describe.runIf(hasSerialLine())('over a serial line', () => {
  sensorConformance('Modbus RTU', createRtuBench);
});

sensorConformance('HTTP push', async () => createPushBench());

describe.runIf(hasMosquitto())('through a Mosquitto', () => {
  let plain: MosquittoServer;
  let secured: MosquittoServer;

  beforeAll(async () => {
    plain = await startMosquitto({ hasPlugin: false });
    secured = await startMosquitto({
      hasPlugin: false,
      tls: { cert: `${TLS}server.pem`, key: `${TLS}server.key` },
    });
  });
  afterAll(async () => {
    await plain?.remove();
    await secured?.remove();
  });

  sensorConformance('ChirpStack', () => createLoraBench('chirpstack', { broker: plain }));
  sensorConformance('The Things Stack, over TLS', () =>
    createLoraBench('ttn', { broker: secured, ca: readFileSync(`${TLS}authority.pem`, 'utf8') }),
  );
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
