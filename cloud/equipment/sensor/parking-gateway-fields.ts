/** What is known of a parking gateway. */
import { z } from 'zod';
import {
  type ModbusRegister,
  modbusRegisterSchema,
  modbusRegisterWireSchema,
} from '../../../shared/drivers/modbus-register.js';
import { sensorDriverSchema, sensorSettingsShape } from '../../../shared/drivers/sensor-drivers.js';
import { PRESENCE_STATES } from '../../../shared/events/event-schemas.js';
import {
  accountField,
  computed,
  gatewayOfLot,
  holdsAddressSecret,
  identity,
  inner,
  inRest,
  jsonColumn,
  MASK,
  MASKED_ADDRESS,
  nameValue,
  oneLine,
  OPEN_WORD,
  optional,
  referenceTo,
  required,
  shown,
  shownAs,
  TIME_OR_NULL,
  TIMES,
  withDefault,
} from '../../rest/entry.js';
import { decodeMapping, decodeRegister } from './register-codec.js';

const { address, unit, poll_ms, heartbeat_s, application, mapping } = sensorSettingsShape;

/** Whether `application` is the key in the path of pushes; with other drivers it is the name of an application. */
export const isPushKey = ({ driver }: { driver?: unknown }): boolean => driver === 'http';

const holdsKey = (given: unknown, of: { driver?: unknown }) => isPushKey(of) && given !== null && given !== '';

export const maskedApplication = (given: string | null, of: { driver?: unknown }): string | null =>
  holdsKey(given, of) ? MASK : given;

export const PARKING_GATEWAY_FIELDS = {
  id: identity,
  name: required(nameValue, { filter: true, sort: true }),
  account_id: accountField({ filter: true }),
  lot: inRest(referenceTo('lots', { id: 'lot_id', filter: true })),
  /** The gateway that polls it. */
  gateway: gatewayOfLot({ filter: true }),
  driver: required(sensorDriverSchema, { form: OPEN_WORD }),
  address: withDefault(oneLine(address), '', {
    form: MASKED_ADDRESS,
    holdsSecret: holdsAddressSecret,
    says: 'The address of the parking gateway: host name or IP address, with a port where it is not the usual one.',
  }),
  unit: optional(unit.nullable(), { says: 'The Modbus unit; null where the driver has none.' }),
  poll_ms: withDefault(poll_ms, 1_000, { says: 'The milliseconds between two reads of the registers.' }),
  heartbeat_s: optional(heartbeat_s, {
    says: 'The seconds for which sensors may be silent; after three times as long the parking gateway is offline.',
  }),
  register: withDefault(modbusRegisterSchema.nullable(), null, {
    columns: { register: jsonColumn<ModbusRegister | null>() },
    read: ({ register }) => decodeRegister(register as string | null),
    form: shownAs(modbusRegisterWireSchema.nullable()),
    says: 'Which registers of the parking gateway are read, and how; null where the driver reads none.',
  }),
  application: withDefault(oneLine(application).nullable(), null, {
    form: { schema: z.string().nullable(), of: maskedApplication },
    holdsSecret: holdsKey,
    says: 'The application at the network server whose sensors these are; null where the driver has none.',
  }),
  /** What its sensors say, as data (`shared/drivers/sensor-mapping.ts`); null: none. */
  mapping: withDefault(mapping.nullable(), null, {
    columns: { mapping: jsonColumn<Record<string, unknown> | null>() },
    read: ({ mapping: text }) => decodeMapping(text as string | null),
    form: shownAs(mapping.nullable()),
  }),
  status: shown(z.enum(PRESENCE_STATES)),
  problem: computed(z.string().nullable(), {
    says: 'Why the parking gateway does not work as it should: that its secret is wanted, because another device is its gateway now, or what its gateway last reported of it; null: nothing is known against it.',
  }),
  /** JSON: the holders of its secrets (`rest/resource/secret-holder-codec.ts`); null: an older version wrote the row. */
  secrets_for: inner('text null'),
  last_seen: shown(TIME_OR_NULL),
  ...TIMES,
};
