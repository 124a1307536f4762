/** The driver of pushed sensors with a listener that a test posts to. */
import { createHttpDriver } from '../../agent/sensor/http/http-driver.js';
import { createSensorPushes } from '../../agent/sensor/sensor-pushes.js';
import type { Occupancy, SensorDriver } from '../../agent/sensor/sensor-source.js';
import type { SensorItem } from '../../shared/gateway-config.js';

const KEY = 'push-key';
const RESEND_MS = 20;

export interface PushBench {
  driver: SensorDriver;
  /** Places 1 to 4, called dev-1 ... */
  item: SensorItem;
  set(parkingPlaceId: number, occupancy: Occupancy | null): void;
  /** Posts a body as it is. @returns the status of the answer */
  post(body: string, path?: string): Promise<number>;
  remove(): Promise<void>;
}

export function createPushBench(): PushBench {
  const pushes = createSensorPushes();
  const states = new Map<number, Occupancy | null>();
  const post = async (body: string, path = `/sensors/Service/${KEY}`) => {
    const headers = { 'content-type': 'application/json' };
    return (await pushes.app.request(path, { method: 'POST', headers, body })).status;
  };
  // The service repeats what it knows, so that whoever has just begun to listen hears it.
  const repeating = setInterval(() => {
    for (const [id, occupied] of states) {
      if (occupied !== null) void post(JSON.stringify({ message_trace_id: 'x', device_id: `DEV-${id}`, occupied }));
    }
  }, RESEND_MS);
  return {
    driver: createHttpDriver({ pushes }),
    item: {
      id: 1,
      name: 'Service',
      driver: 'http',
      address: '',
      unit: null,
      poll_ms: 1_000,
      heartbeat_s: 10_800,
      register: null,
      application: KEY,
      places: [1, 2, 3, 4].map((id) => ({
        id,
        zone_id: 1,
        name: `A${id}`,
        sensor: `dev-${id}`,
        codec: null,
        occupied_below_mm: null,
        hysteresis_mm: null,
      })),
    },
    set: (id, occupancy) => void states.set(id, occupancy),
    post,
    remove() {
      clearInterval(repeating);
      return Promise.resolve();
    },
  };
}
