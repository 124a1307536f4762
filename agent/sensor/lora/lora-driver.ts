/** Drivers of sensors behind a LoRa network server, whose events a broker passes on: ChirpStack and The Things Stack. */
import { devEuiOf } from '../../../shared/drivers/hex-names.js';
import type { PayloadTable } from '../../../shared/drivers/payload-table.js';
import { payloadTableSchema } from '../../../shared/drivers/payload-table.js';
import { sensorCodecSchema } from '../../../shared/drivers/sensor-codecs.js';
import type { SensorItem } from '../../../shared/gateway-config.js';
import { percentDecoded } from '../../../shared/percent-decoded.js';
import { parseBounded } from '../bounded-json-parser.js';
import { CODECS } from '../codecs/all-codecs.js';
import type { Decoded, SensorCodec, Uplink } from '../codecs/sensor-codec.js';
import { tableCodec } from '../codecs/table-codec.js';
import { hearTopics } from '../../mqtt/hear-topics.js';
import { createFaults, type Faults } from '../faults.js';
import type { SensorDriver, SensorDriverDeps, SensorListener, SensorSource } from '../sensor-source.js';
import { CHIRPSTACK } from './chirpstack-uplink-parser.js';
import type { LoraNetwork, NetworkUplink } from './lora-network.js';
import { TTN } from './ttn-uplink-parser.js';
import { errorText } from '../../../shared/error-text.js';

const LINK = 'link';
const PLACE = 'place';
const PAYLOAD = 'payload';

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
  return { name, open: (item, listener) => openSource(network, options, { item, listener }) };
}

/** The parking gateway of one network server. */
interface Hearing {
  item: SensorItem;
  listener: SensorListener;
  faults: Faults;
}

function openSource(
  network: LoraNetwork,
  options: LoraOptions,
  { item, listener }: Pick<Hearing, 'item' | 'listener'>,
): SensorSource {
  const closing = new AbortController();
  const faults = createFaults(listener, [LINK, PLACE, PAYLOAD]);
  const url = URL.canParse(item.address) ? new URL(item.address) : null;
  const places = placesOf(item);
  const ended = Promise.resolve()
    .then(begin)
    .catch((error: unknown) => faults.set(LINK, errorText(error)));

  function begin(): Promise<void> | undefined {
    notePlaceFaults({ item, faults }, places);
    if (url === null) {
      faults.set(LINK, 'address must be the broker of the network server, such as mqtt://192.168.1.40:1883');
      return undefined;
    }
    const topics = network.topicsOf(item.application, percentDecoded(url.username));
    return hearTopics({
      url,
      ca: options.ca,
      clientId: `parking-${options.gatewayUuid}-${item.id}`,
      topics: [topics.uplinks],
      optionalTopics: topics.signs,
      keepsSession: true,
      clock: options.clock,
      random: options.random,
      signal: closing.signal,
      onUp: () => faults.clear(LINK),
      onDown: (reason) => faults.set(LINK, reason),
      onMessage: (payload, { topic, isRetained }) => {
        // A retained message is older than this connection and shows nothing of today.
        if (isRetained) return;
        const event = topic.slice(topic.lastIndexOf('/') + 1);
        const uplink = network.parse(parseBounded(payload), event);
        if (uplink === null || !isOf(item.application, uplink)) return;
        // The network server also has devices of others, which have no place here.
        const heard = places.get(uplink.devEui);
        if (heard !== undefined) applyUplink({ listener, faults }, heard, { uplink, event });
      },
    });
  }

  return {
    close() {
      closing.abort(new Error('the sensors are not heard any more'));
      faults.close();
      return ended;
    },
  };
}

function applyUplink(
  { listener, faults }: Pick<Hearing, 'listener' | 'faults'>,
  { place, codec }: HeardPlace,
  { uplink: { payload, measured_ms, frame }, event }: { uplink: NetworkUplink; event: string },
): void {
  const parking_place_id = place.id;
  if (payload === null) {
    const raw = event === 'up' ? 'an uplink without a payload' : event;
    // Its time is not that of a measurement: a measurement that comes later may be older.
    listener.onReadings([{ parking_place_id, occupancy: null, measured_ms: null, frame, raw }]);
    return;
  }
  try {
    const { occupancy, values } = codec(payload, place, listener.occupancyOf(parking_place_id));
    faults.clear(PAYLOAD, place.sensor);
    listener.onReadings([{ parking_place_id, occupancy, measured_ms, frame, raw: rawOf(payload, values) }]);
  } catch (error) {
    // An uplink that cannot be read must not keep the others of this broker from being heard.
    const reason = errorText(error);
    faults.set(PAYLOAD, `the payload of ${place.name}'s sensor ${place.sensor}: ${reason}`, place.sensor);
  }
}

/** Notes as faults which places cannot be judged. */
function notePlaceFaults(
  { item, faults }: Pick<Hearing, 'item' | 'faults'>,
  heardPlaces: ReadonlyMap<string, HeardPlace>,
): void {
  const judged = new Set([...heardPlaces.values()].map(({ place }) => place.id));
  for (const { id, name: place, sensor, codec, occupied_below_mm } of item.places) {
    const problem = judged.has(id) ? thresholdProblem(codec, occupied_below_mm) : NO_CODEC;
    if (problem !== null) faults.set(PLACE, `place ${place} ${problem}`, sensor);
  }
}

const NO_CODEC = 'has no codec, and its parking gateway no mapping: what its sensor says is not understood';

const thresholdProblem = (codec: string | null, occupied_below_mm: number | null): string | null =>
  codec === 'milesight-udl' && occupied_below_mm === null
    ? 'has no occupied_below_mm: its distances cannot be judged'
    : null;

/** By devEUI. */
function placesOf({ places, mapping }: SensorItem): Map<string, HeardPlace> {
  const table = payloadTableSchema.safeParse(mapping);
  const own: PayloadTable | undefined = table.data;
  const byDevEui = new Map<string, HeardPlace>();
  for (const place of places) {
    const name = sensorCodecSchema.safeParse(place.codec);
    const codec = name.success ? CODECS[name.data] : own === undefined ? undefined : tableCodec(own);
    const devEui = devEuiOf(place.sensor);
    if (codec !== undefined && devEui !== null) byDevEui.set(devEui, { place, codec });
  }
  return byDevEui;
}

const isOf = (application: string | null, { applications }: NetworkUplink): boolean =>
  application === null || application === '' || applications.includes(application.replace(/@.*$/, ''));

function rawOf({ port, bytes }: Uplink, values: Decoded['values']): string {
  const said = Object.entries(values).map(([name, value]) => `, ${name} ${value}`);
  return `port ${port}: ${Buffer.from(bytes).toString('hex')}${said.join('')}`;
}
