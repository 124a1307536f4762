/** Drivers of sensors behind a LoRa network server, whose uplinks a broker passes on: ChirpStack and The Things Stack. */
import type { PayloadTable } from '../../../shared/drivers/payload-table.js';
import { payloadTableSchema } from '../../../shared/drivers/payload-table.js';
import { sensorCodecSchema } from '../../../shared/drivers/sensor-codecs.js';
import type { SensorItem } from '../../../shared/gateway-config.js';
import { percentDecoded } from '../../../shared/percent-decoded.js';
import { CODECS } from '../codecs/all-codecs.js';
import type { Decoded, SensorCodec } from '../codecs/sensor-codec.js';
import { tableCodec } from '../codecs/table-codec.js';
import { hearTopics } from '../../mqtt/hear-topics.js';
import { createFaults } from '../faults.js';
import type { SensorDriver, SensorDriverDeps } from '../sensor-source.js';
import { CHIRPSTACK } from './chirpstack-uplink-parser.js';
import type { LoraNetwork, NetworkUplink } from './lora-network.js';
import { TTN } from './ttn-uplink-parser.js';

const LINK = 'link';

export interface LoraOptions extends SensorDriverDeps {
  /** PEM of a private authority that the broker's certificate is of. */
  ca?: string;
}

export const createChirpstackDriver = (options: LoraOptions): SensorDriver =>
  driverOf('chirpstack', CHIRPSTACK, options);
export const createTtnDriver = (options: LoraOptions): SensorDriver => driverOf('ttn', TTN, options);

interface HeardPlace {
  place: SensorItem['places'][number];
  codec: SensorCodec;
}

function driverOf(name: 'chirpstack' | 'ttn', network: LoraNetwork, options: LoraOptions): SensorDriver {
  return {
    name,
    open(item, listener) {
      const closing = new AbortController();
      const faults = createFaults(listener);
      const url = URL.canParse(item.address) ? new URL(item.address) : null;
      const places = placesOf(item);
      const ended = Promise.resolve()
        .then(begin)
        .catch((error: unknown) => faults.set(LINK, error instanceof Error ? error.message : String(error)));

      function begin(): Promise<void> | undefined {
        for (const { name: place, sensor, codec, occupied_below_mm } of item.places) {
          const problem = places.has(sensor.toLowerCase()) ? thresholdProblem(codec, occupied_below_mm) : NO_CODEC;
          if (problem !== null) faults.set(`place ${sensor}`, `place ${place} ${problem}`);
        }
        if (url === null) {
          faults.set(LINK, 'address must be the broker of the network server, such as mqtt://192.168.1.40:1883');
          return undefined;
        }
        return hearTopics({
          url,
          ca: options.ca,
          clientId: `parking-${options.gatewayUuid}-${item.id}`,
          topics: [network.topicOf(item.application, percentDecoded(url.username))],
          keepsSession: true,
          clock: options.clock,
          random: options.random,
          signal: closing.signal,
          onUp: () => faults.clear(LINK),
          onDown: (reason) => faults.set(LINK, reason),
          onMessage: (payload) => {
            const uplink = network.parse(parseJson(payload));
            if (uplink !== null && isOf(item.application, uplink)) hear(uplink);
          },
        });
      }

      function hear(uplink: NetworkUplink): void {
        const heard = places.get(uplink.devEui);
        // Others share the network server.
        if (heard === undefined) return;
        const { place, codec } = heard;
        const fault = `payload ${place.sensor}`;
        try {
          const { occupancy, values } = codec(uplink, place, listener.occupancyOf(place.id));
          faults.clear(fault);
          const raw = rawOf(uplink, values);
          listener.onReadings([{ parking_place_id: place.id, occupancy, measured_ms: uplink.measured_ms, raw }]);
        } catch (error) {
          // Whatever one uplink does, the broker's others are still heard.
          const reason = error instanceof Error ? error.message : String(error);
          faults.set(fault, `the payload of ${place.name}'s sensor ${place.sensor}: ${reason}`);
        }
      }

      return {
        close() {
          closing.abort(new Error('the sensors are not heard any more'));
          faults.close();
          return ended;
        },
      };
    },
  };
}

const NO_CODEC = 'has no codec, and its parking gateway no mapping: what its sensor says is not understood';

const thresholdProblem = (codec: string | null, occupied_below_mm: number | null): string | null =>
  codec === 'milesight-udl' && occupied_below_mm === null
    ? 'has no occupied_below_mm: its distances cannot be judged'
    : null;

function placesOf({ places, mapping }: SensorItem): Map<string, HeardPlace> {
  const table = payloadTableSchema.safeParse(mapping);
  const own: PayloadTable | undefined = table.data;
  return new Map(
    places.flatMap((place) => {
      const name = sensorCodecSchema.safeParse(place.codec);
      const codec = name.success ? CODECS[name.data] : own === undefined ? undefined : tableCodec(own);
      return codec === undefined ? [] : [[place.sensor.toLowerCase(), { place, codec }] as const];
    }),
  );
}

const isOf = (application: string | null, { applications }: NetworkUplink): boolean =>
  application === null || application === '' || applications.includes(application.replace(/@.*$/, ''));

function rawOf({ port, bytes }: NetworkUplink, values: Decoded['values']): string {
  const said = Object.entries(values).map(([name, value]) => `, ${name} ${value}`);
  return `port ${port}: ${Buffer.from(bytes).toString('hex')}${said.join('')}`;
}

function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(payload));
  } catch {
    return undefined;
  }
}
