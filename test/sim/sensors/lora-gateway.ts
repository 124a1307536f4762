/** A parking gateway of LoRa sensors: the broker of a network server, on which each change of a place is an uplink. */
import { createServer, type Server } from 'node:net';
import { Aedes } from 'aedes';
import { type Clock, every } from '../../../shared/clock.js';
import { sensorCodecSchema } from '../../../shared/drivers/sensor-codecs.js';
import type { CarParkParkingGateway } from '../car-park.js';
import { NETWORK_MESSAGES, payloadOf } from './lora-payloads.js';
import type { SimPlace } from './sim-place.js';

const PORT_DEFAULT = 1883;
const HEARTBEAT_MS = 60_000;

/** The brokers of network servers by their addresses: several parking gateways may be behind one. */
export interface LoraBrokers {
  /** @throws when the address is in use */
  at(url: URL): Promise<Aedes>;
  close(): Promise<void>;
}

export function createLoraBrokers(): LoraBrokers {
  const running = new Map<string, { broker: Aedes; server: Server }>();
  return {
    async at(url) {
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const port = url.port === '' ? PORT_DEFAULT : Number(url.port);
      const key = `${host} ${port}`;
      const known = running.get(key);
      if (known !== undefined) return known.broker;
      const broker = await Aedes.createBroker();
      const server = createServer(broker.handle);
      await new Promise<void>((resolve, reject) => {
        server.once('error', (cause) => reject(new Error(`cannot listen on ${url.host}: ${cause.message}`, { cause })));
        server.listen(port, host, resolve);
      });
      running.set(key, { broker, server });
      return broker;
    },
    async close() {
      for (const { broker, server } of running.values()) {
        await new Promise<void>((resolve) => broker.close(() => resolve()));
        await new Promise<void>((resolve) => server.close(() => resolve()));
      }
      running.clear();
    },
  };
}

/** @throws when its address is invalid or in use */
export async function startLoraGateway(
  gateway: CarParkParkingGateway,
  { places, brokers, clock }: { places: ReadonlyMap<string, SimPlace>; brokers: LoraBrokers; clock: Clock },
): Promise<{ close(): Promise<void> }> {
  const { name, address, driver } = gateway;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'mqtt:') {
    throw new Error(`parking gateway ${name}: cannot listen on "${address}"; give it as mqtt://host:port`);
  }
  const network = driver === 'ttn' ? NETWORK_MESSAGES.ttn : NETWORK_MESSAGES.chirpstack;
  const broker = await brokers.at(url);
  let count = 0;
  const send = (place: SimPlace) => {
    const { sensor, occupied, silent } = place.view();
    const settings = gateway.places.find((each) => each.sensor === sensor);
    const codec = sensorCodecSchema.safeParse(settings?.codec);
    if (silent || settings === undefined || !codec.success) return;
    count += 1;
    const application = (gateway.application ?? 'parking').replace(/@.*$/, '');
    const payload = payloadOf(codec.data, { ...settings, isOccupied: occupied });
    const { topic, message } = network({ devEui: sensor, application, sent_ms: clock.now(), count, ...payload });
    const packet = {
      cmd: 'publish',
      qos: 1,
      dup: false,
      retain: false,
      topic,
      payload: JSON.stringify(message),
    } as const;
    broker.publish(packet, () => {});
  };
  const sendAll = () => {
    for (const place of places.values()) send(place);
  };
  for (const place of places.values()) place.onChange(() => send(place));
  // Sensors say that they live from time to time; whoever has just subscribed need not wait for it.
  broker.on('subscribe', sendAll);
  const beating = every({ clock, periodMs: HEARTBEAT_MS, work: sendAll, onError: () => {} });
  return {
    close() {
      beating.cancel();
      broker.off('subscribe', sendAll);
      return Promise.resolve();
    },
  };
}
