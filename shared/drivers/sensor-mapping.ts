/**
 * `mapping` of a parking gateway: what its sensors say, described as data. Each driver that uses one has its own form: a table for
 * payloads (LoRa), paths into JSON (`http`), the layout of an advertisement (`ble-beacon`).
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

/** Where in a pushed JSON body each thing stands. The defaults are the words of Nwave. */
export const pushMappingSchema = strictObject({
  /** The list of messages; null: the body is one message, or a list. */
  list: path.nullable().default(null),
  /** The name of the sensor. */
  sensor: path.default('device_id'),
  /** What it says of its place. */
  state: path.default('occupied'),
  /** The values that mean occupied or free; any other one is a sign of life. */
  occupied: words.default(['occupied', 'true', '1']),
  free: words.default(['free', 'false', '0']),
  /** When it measured: ISO 8601, in UTC where it names no zone, or seconds or milliseconds since 1970. */
  time: path.nullable().default('timestamp'),
  ...settlingShape,
});
export type PushMapping = z.output<typeof pushMappingSchema>;

/** By the driver that uses it. */
export const MAPPINGS = {
  chirpstack: payloadTableSchema,
  ttn: payloadTableSchema,
  http: pushMappingSchema,
  'ble-beacon': beaconLayoutSchema,
} as const;

/** A mapping of any form, as it is stored and sent; its driver reads it. */
export const anyMappingSchema = z.record(z.string(), z.unknown());
