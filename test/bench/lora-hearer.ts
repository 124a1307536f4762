/**
 * Who hears the uplinks of the LoRa benchmark, in a process of its own: `hub PORT` is the gateway's service with its driver and its store, `bare`
 * an mqtt.js client that only counts. It answers each message with its processor time and what it has heard since the one before.
 */
import mqtt from 'mqtt';
import { createOffRadio } from '../../agent/product/off-radio.js';
import { createChirpstackDriver } from '../../agent/sensor/lora/lora-driver.js';
import { createSensorPushes } from '../../agent/sensor/sensor-pushes.js';
import { systemClock } from '../../shared/system-clock.js';
import { sensorItem, sensorPlace } from '../devices/sensor-item.js';
import { newFolder, processorMeter, serveParent } from './harness.js';
import { LORA_PLACES, loraSensor } from './lora-places.js';
import { runSensorService } from './sensor-service.js';

export interface HearingCost {
  cpuUs: number;
  /** Uplinks that came out of the driver, or of the client. */
  heard: number;
  /** Changes of places that are in the gateway's queue. */
  queued: number;
}

const [kind = 'hub', port = ''] = process.argv.slice(2);
let heard = 0;
let queued = 0;

const runHub = (): Promise<void> =>
  runSensorService({
    directory: newFolder(),
    driver: createChirpstackDriver({
      clock: systemClock,
      random: Math.random,
      gatewayUuid: 'bench',
      pushes: createSensorPushes(),
      radio: createOffRadio(),
    }),
    items: [
      sensorItem({
        driver: 'chirpstack',
        address: `mqtt://127.0.0.1:${port}`,
        application: 'parking',
        places: Array.from({ length: LORA_PLACES }, (_, index) =>
          sensorPlace(index + 1, { sensor: loraSensor(index), codec: 'bosch-tps110' }),
        ),
      }),
    ],
    onReadings: (readings) => (heard += readings.length),
    onQueued: () => (queued += 1),
  });

function runBare(): void {
  const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, { clientId: 'bare', clean: false, reconnectPeriod: 200 });
  client.on('error', () => {});
  client.on('connect', () => client.subscribe('application/+/device/+/event/up', { qos: 1 }));
  client.on('message', () => (heard += 1));
}

if (kind === 'bare') runBare();
else await runHub();
const cpuUs = processorMeter();
serveParent('ready', {
  answer() {
    const cost: HearingCost = { cpuUs: cpuUs(), heard, queued };
    [heard, queued] = [0, 0];
    return cost;
  },
});
