import { join } from 'node:path';
import type { SensorDriver, SensorReading } from '../../agent/sensor/sensor-source.js';
import { createSensors } from '../../agent/sensor/sensors.js';
import { openSqliteAgentStore } from '../../agent/store/sqlite-agent-store.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import { systemClock } from '../../shared/system-clock.js';
import { newUid } from '../world/agent-records.js';
import { failingLogger } from './harness.js';

/** The gateway's own service of sensors with its store, which says what its driver hands over and what is in its queue. */
export async function runSensorService(options: {
  directory: string;
  driver: SensorDriver;
  items: readonly SensorItem[];
  onReadings(readings: readonly SensorReading[]): void;
  /** Called when the change of a place is committed. */
  onQueued?(): void;
}): Promise<void> {
  const { directory, driver, items, onReadings, onQueued = () => {} } = options;
  const store = await openSqliteAgentStore({ path: join(directory, 'agent.db'), logger: failingLogger });
  const heard: SensorDriver = {
    name: driver.name,
    open: (item, listener) =>
      driver.open(item, {
        ...listener,
        onReadings(readings) {
          onReadings(readings);
          listener.onReadings(readings);
        },
      }),
  };
  const sensors = createSensors({
    store: {
      boot: store.boot,
      async recordSensor(change) {
        const sequence = await store.recordSensor(change);
        if (change.record.kind === 'place_change') onQueued();
        return sequence;
      },
    },
    drivers: new Map([[heard.name, heard]]),
    clock: systemClock,
    logger: failingLogger,
    stamp: (uid) => ({ uid, mono_ms: systemClock.monotonic(), wall_ms: systemClock.now(), clock_ok: true }),
    newUid,
    onCommitted: () => {},
    publish: () => {},
  });
  sensors.setSensors(items);
}
