/**
 * The `mapping` of a parking gateway: how to interpret what its sensors send, described as data. Each driver that uses a mapping has its own
 * form: a table for payloads (LoRa), paths into JSON (`http`), the layout of an advertisement (`ble-beacon`).
 */
import { z } from 'zod';
import { beaconLayoutSchema } from './beacon-layout.js';
import { payloadTableSchema } from './payload-table.js';
import { settlingShape } from './settling.js';
import { strictObject } from './strict-object.js';

const PATH = /^[^.\s]{1,64}(\.[^.\s]{1,64}){0,7}$/;
const WORDS_MAX = 20;
const path = z.string().regex(PATH, 'must be a path of keys such as device.id');
const words = z.array(z.union([z.string().max(64), z.number(), z.boolean()]).transform(String)).max(WORDS_MAX);

/** The paths into a pushed JSON body. The defaults fit Nwave. */
export const pushMappingSchema = strictObject({
  /** The list of messages; null: the body is one message, or a list of them. */
  list: path.nullable().default(null),
  /** The name of the sensor. */
  sensor: path.default('device_id'),
  /** The state of the sensor's place. */
  state: path.default('occupied'),
  /** The values that mean occupied or free. Any other value only shows that the sensor is alive. */
  occupied: words.default(['occupied', 'true', '1']),
  free: words.default(['free', 'false', '0']),
  /** The time of measurement: ISO 8601 (UTC where it names no zone), or seconds or milliseconds since 1970. */
  time: path.nullable().default('timestamp'),
  ...settlingShape,
});
export type PushMapping = z.output<typeof pushMappingSchema>;

/** The form of a mapping, by driver. */
export const MAPPINGS = {
  chirpstack: payloadTableSchema,
  ttn: payloadTableSchema,
  http: pushMappingSchema,
  'ble-beacon': beaconLayoutSchema,
} as const;

/** A mapping of any form, as it is stored and sent. Its driver parses it. */
export const anyMappingSchema = z.record(z.string(), z.unknown());
