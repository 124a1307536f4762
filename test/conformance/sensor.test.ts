import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe } from 'vitest';
import { createBeaconBench } from '../devices/beacon-bench.js';
import { createFakeSensors } from '../devices/fake-sensors.js';
import { createLoraBench } from '../devices/lora-bench.js';
import { createModbusBench } from '../devices/modbus-bench.js';
import { createPushBench } from '../devices/push-bench.js';
import { createRtuBench } from '../devices/rtu-bench.js';
import { createRtuTcpBench } from '../devices/rtu-tcp-bench.js';
import { hasSerialLine } from '../../scripts/sim/sensors/serial-pair.js';
import { hasMosquitto, type MosquittoServer, startMosquitto } from '../world/mosquitto-server.js';
import { printsTable } from './conformance-table.js';
import { sensorConformance, type SensorHarness } from './sensor-conformance.js';

const TLS = fileURLToPath(new URL('../../../test/fixtures/tls/', import.meta.url));

printsTable('sensor driver', (note) => {
  const conform = (name: string, createHarness: () => Promise<SensorHarness>) =>
    sensorConformance(name, createHarness, note);

  conform('Modbus TCP', async () => {
    const bench = await createModbusBench();
    const VALUES = { free: 0, occupied: 1 };
    return { ...bench, set: (id, occupancy) => bench.set(id, occupancy === null ? null : VALUES[occupancy]) };
  });

  describe.runIf(hasSerialLine())('over a serial line', () => {
    conform('Modbus RTU', createRtuBench);
  });

  conform('Modbus RTU over TCP', createRtuTcpBench);

  conform('HTTP push', async () => createPushBench());

  conform('beacon by address', () => createBeaconBench({ company: 0x059, byte: 4, occupied: { mask: 2 } }));
  conform('beacon by serial', () =>
    createBeaconBench({
      service: 'fcd2',
      serial: { byte: 3, length: 4, order: 'little' },
      byte: 7,
      length: 2,
      order: 'little',
      scale: 10,
      occupied: { below: 1_500, hysteresis: 100 },
    }),
  );

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

    conform('ChirpStack', () => createLoraBench('chirpstack', { broker: plain }));
    conform('The Things Stack, over TLS', () =>
      createLoraBench('ttn', { broker: secured, ca: readFileSync(`${TLS}authority.pem`, 'utf8') }),
    );
  });

  conform('fake', async () => {
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
});
