/** A parking gateway of LoRa sensors: the broker of a network server, on which each change of a place is an uplink. */
import { type Clock, every } from '../../../shared/clock.js';
import { devEuiOf } from '../../../shared/drivers/hex-names.js';
import { sensorCodecSchema } from '../../../shared/drivers/sensor-codecs.js';
import type { CarParkParkingGateway } from '../car-park.js';
import { NETWORK_MESSAGES, payloadOf } from './lora-payloads.js';
import type { SimBrokers } from './sim-brokers.js';
import type { SimPlace } from './sim-place.js';

const HEARTBEAT_MS = 60_000;

/** @throws when its address is invalid or in use */
export async function startLoraGateway(
  gateway: CarParkParkingGateway,
  { places, brokers, clock }: { places: ReadonlyMap<string, SimPlace>; brokers: SimBrokers; clock: Clock },
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
    const { topic, message } = network({
      devEui: devEuiOf(sensor) ?? sensor,
      application,
      sent_ms: clock.now(),
      count,
      ...payload,
    });
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
  // Repeats the state for a new subscriber, who would otherwise wait for the next sign of life.
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
