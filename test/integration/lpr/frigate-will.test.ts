/** A camera of Frigate at a real broker, which keeps the will of an earlier Frigate. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from 'aedes';
import { connectAsync } from 'mqtt';
import type { CameraSource } from '../../../agent/lpr/camera.js';
import { createFrigateDriver } from '../../../agent/lpr/frigate/frigate-driver.js';
import { createSimBrokers } from '../../../scripts/sim/sensors/sim-brokers.js';
import { systemClock } from '../../../shared/system-clock.js';
import { freePorts } from '../../world/free-ports.js';
import { camera } from '../../unit/lpr/plate-world.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';

describe('the will of Frigate', () => {
  const brokers = createSimBrokers();
  let source: CameraSource | null | undefined;
  afterEach(async () => {
    await source?.close();
    await brokers.close();
  });

  it('is a problem until Frigate sends anything, and not after it', async () => {
    const [port = 0] = await freePorts(1);
    const address = `mqtt://127.0.0.1:${port}`;
    const broker = await brokers.at(new URL(address));
    const frigate = await connectAsync(address);
    try {
      await frigate.publishAsync('frigate/available', 'offline', { retain: true, qos: 1 });
      const faults: (string | null)[] = [];
      const plates: string[] = [];
      let signs = 0;
      source = createFrigateDriver(cameraDriverDeps(systemClock)).source?.(
        camera('lane', { driver: 'frigate', address }),
        {
          onRead: async ({ raw_plate }) => void plates.push(raw_plate),
          onAlive: () => void signs++,
          onMalformed() {},
          onFault: (reason) => faults.push(reason),
        },
      );
      await expect.poll(() => faults.at(-1)).toBe('Frigate is offline');
      expect(signs).toBe(0);
      const after = { id: '1', camera: 'lane', recognized_license_plate: 'RI604WL', frame_time: Date.now() / 1_000 };
      await frigate.publishAsync('frigate/events', JSON.stringify({ type: 'update', after }), { qos: 1 });
      await expect.poll(() => plates).toEqual(['RI604WL']);
      expect([faults.at(-1), signs]).toEqual([null, 1]);
      // What the broker kept is older than what was heard since, even where it is handed out after it.
      const kept = { cmd: 'publish', topic: 'frigate/available', payload: 'offline', qos: 0, retain: true } as const;
      const { clients } = broker as unknown as { clients: Record<string, Client> };
      for (const client of Object.values(clients)) client.publish({ ...kept, dup: false }, () => {});
      await frigate.publishAsync('frigate/stats', '{}', { qos: 1 });
      await expect.poll(() => signs).toBe(2);
      expect(faults.filter((fault) => fault !== null)).toEqual(['Frigate is offline']);
    } finally {
      await frigate.endAsync();
    }
  });
});
