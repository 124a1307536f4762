/** A driver of LoRa network servers with a broker that a test publishes uplinks on. */
import mqtt from 'mqtt';
import { createChirpstackDriver, createTtnDriver } from '../../agent/sensor/lora/lora-driver.js';
import { createOffRadio } from '../../agent/product/off-radio.js';
import { createSensorPushes } from '../../agent/sensor/sensor-pushes.js';
import type { Occupancy, SensorDriver } from '../../agent/sensor/sensor-source.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import { systemClock } from '../../shared/system-clock.js';
import type { MosquittoServer } from '../world/mosquitto-server.js';
import { NETWORK_MESSAGES, payloadOf, type SentPayload } from '../../scripts/sim/sensors/lora-payloads.js';

const APPLICATION = 'parking';
const RESEND_MS = 100;

export interface LoraBench {
  driver: SensorDriver;
  /** Places 1 to 4, whose sensors are a Bosch, an Nwave, a Milesight and one that the mapping describes. */
  item: SensorItem;
  /** What a place's sensor says from now on, again and again; null: nothing. */
  set(parkingPlaceId: number, occupancy: Occupancy | null): void;
  /** Publishes one uplink. */
  send(devEui: string, payload: SentPayload, sent?: { application?: string; sent_ms?: number }): Promise<void>;
  /** Publishes anything, where an uplink of the first sensor, or another event of it, would be. */
  sendRaw(payload: string, as?: { event?: string; retain?: boolean }): Promise<void>;
  setLink(isUp: boolean): Promise<void>;
  remove(): Promise<void>;
}

let benches = 0;
const DEV_EUIS = ['647fda000000a001', '70b3d5000000a002', '24e124000000a003', 'a84041000000a004'];
const MAPPING = { port: 9, byte: 0, occupied: { mask: 1 } };

/** @param broker without accounts */
export async function createLoraBench(
  network: 'chirpstack' | 'ttn',
  { broker, ca }: { broker: MosquittoServer; ca?: string },
): Promise<LoraBench> {
  const create = { chirpstack: createChirpstackDriver, ttn: createTtnDriver }[network];
  const { port } = broker;
  const scheme = ca === undefined ? 'mqtt' : 'mqtts';
  const place = (id: number, codec: string | null) => ({
    id,
    zone_id: 1,
    name: `A${id}`,
    sensor: DEV_EUIS[id - 1] ?? '',
    codec,
    occupied_below_mm: codec === 'milesight-udl' ? 1_500 : null,
    hysteresis_mm: codec === 'milesight-udl' ? 100 : null,
  });
  const item: SensorItem = {
    id: 1,
    name: 'LoRa',
    driver: network,
    address: `${scheme}://127.0.0.1:${port}`,
    unit: null,
    poll_ms: 1_000,
    heartbeat_s: 10_800,
    register: null,
    application: APPLICATION,
    mapping: MAPPING,
    places: [place(1, 'bosch-tps110'), place(2, 'nwave-g4'), place(3, 'milesight-udl'), place(4, null)],
  };
  const states = new Map<number, Occupancy | null>();
  let isUp = true;
  let count = 0;
  const client = mqtt.connect({
    host: '127.0.0.1',
    port,
    protocol: scheme,
    reconnectPeriod: 50,
    ...(ca === undefined ? {} : { ca }),
  });
  client.on('error', () => {});
  await new Promise<void>((resolve) => client.once('connect', () => resolve()));

  const send: LoraBench['send'] = async (devEui, payload, sent = {}) => {
    count += 1;
    const { application = APPLICATION, sent_ms = Date.now() } = sent;
    const { topic, message } = NETWORK_MESSAGES[network]({ devEui, application, sent_ms, count, ...payload });
    await client.publishAsync(topic, JSON.stringify(message), { qos: 1 });
  };
  const sendState = async (id: number): Promise<void> => {
    const occupancy = states.get(id) ?? null;
    const known = item.places.find((each) => each.id === id);
    if (occupancy === null || known === undefined || !isUp) return;
    const isOccupied = occupancy === 'occupied';
    const payload =
      known.codec === null
        ? { port: MAPPING.port, bytes: Uint8Array.of(isOccupied ? 1 : 0) }
        : payloadOf(known.codec as 'bosch-tps110', { ...known, isOccupied });
    await send(known.sensor, payload);
  };
  // Sensors repeat what they say, so that whoever has just connected hears it.
  const repeating = setInterval(() => {
    for (const { id } of item.places) void sendState(id).catch(() => {});
  }, RESEND_MS);

  return {
    driver: create({
      clock: systemClock,
      random: () => 0.2,
      // A session that the broker kept for another test would bring what that one sent.
      gatewayUuid: `bench-${benches++}`,
      pushes: createSensorPushes(),
      radio: createOffRadio(),
      ...(ca === undefined ? {} : { ca }),
    }),
    item,
    set(id, occupancy) {
      states.set(id, occupancy);
      void sendState(id).catch(() => {});
    },
    send,
    async sendRaw(payload, { event = 'up', retain = false } = {}) {
      const { topic } = NETWORK_MESSAGES[network]({
        devEui: DEV_EUIS[0] ?? '',
        application: APPLICATION,
        sent_ms: 0,
        count: 0,
        port: 1,
        bytes: new Uint8Array(),
      });
      await client.publishAsync(topic.replace(/up$/, event), payload, { qos: 1, retain });
    },
    async setLink(up) {
      if (up === isUp) return;
      isUp = up;
      if (up) await broker.start();
      else await broker.stop();
    },
    async remove() {
      clearInterval(repeating);
      if (!isUp) await broker.start();
      client.end(true);
    },
  };
}
