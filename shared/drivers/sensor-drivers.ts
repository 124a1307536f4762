/** The settings that each driver of parking gateways requires, and the form of the `sensor` of a place. Their names are in `sensor-driver-list.ts`. */
import { z } from 'zod';
import { beaconNameProblem } from './beacon-layout.js';
import { devEuiOf } from './hex-names.js';
import { HOST_AND_PORT_FORM, HOST_PORT_FORM, hostPortOf } from './host-port.js';
import { modbusRegisterSchema, REGISTER_MAX } from './modbus-register.js';
import { anyMappingSchema, MAPPINGS } from './sensor-mapping.js';
import {
  SENSOR_DRIVER_LIST,
  SENSOR_DRIVER_NAMES,
  type SensorDriverFacts,
  type SensorDriverName,
} from './sensor-driver-list.js';
import { SERIAL_PORT_FORM, serialPortOf } from './serial-port.js';
import { isMissing, type SettingProblem, settingProblems } from './setting-problems.js';

/** The settings of any parking gateway with their limits. Their defaults depend on the driver (`sensorDriverDefaults`). */
export const sensorSettingsShape = {
  /** host:port for Modbus TCP and for RTU over TCP, a URL for a broker, '' when the gateway does not connect to it. */
  address: z.string().max(500),
  /** The Modbus unit. */
  unit: z.number().int().min(0).max(255),
  poll_ms: z.number().int().min(100).max(3_600_000),
  /** The longest time between two messages of a sensor, in seconds. A sensor that is silent for three times as long is offline. */
  heartbeat_s: z.number().int().min(1).max(604_800),
  register: modbusRegisterSchema,
  /** The application of a LoRa network server, or the key in the path of HTTP pushes. */
  application: z.string().max(200),
  /** How to interpret what the sensors send. The form depends on the driver. */
  mapping: anyMappingSchema,
};

/** The `sensor` of a place with any driver. */
export const sensorNameSchema = z.string().trim().min(1).max(100);

export interface SensorDriverInfo extends SensorDriverFacts {
  /** The settings that this driver uses, and which of them it requires. The keys are those of `sensorSettingsShape`. */
  settings: z.ZodType;
  /** Returns what is wrong with a place's `sensor`; undefined: nothing. `base`: of the parking gateway's register, 0 without one. */
  sensorProblem(sensor: string, of: { base: number; mapping: unknown }): string | undefined;
}

const BROKER = /^(mqtts?|tcp):\/\/./;
const BROKER_FORM = 'must be the broker of the network server, such as mqtt://192.168.1.40:1883';
const REQUIRED = 'is required for Modbus';
const requiredIfMissing = ({ input }: { input?: unknown }) => (isMissing(input) ? REQUIRED : undefined);

const { heartbeat_s, poll_ms, unit, application } = sensorSettingsShape;

const requiredAddress = z.string({ error: requiredIfMissing }).min(1, { error: REQUIRED, abort: true });
const lineUnit = unit.min(1, 'must be from 1: none of the units on a serial line answers to 0');

/** @param address the schema of the server's required address */
const modbusSettings = (address: z.ZodString, unitSchema: z.ZodNumber = unit) =>
  z.object({
    address,
    register: z.custom((value) => !isMissing(value), REQUIRED).pipe(modbusRegisterSchema),
    unit: unitSchema.nullish(),
    poll_ms: poll_ms.optional(),
    heartbeat_s: heartbeat_s.optional(),
  });

/** The settings of a LoRa driver: a broker, and the application whose uplinks it carries. */
const loraSettings = z.object({
  mapping: MAPPINGS.chirpstack.nullish(),
  // Without a broker nothing would ever be received. For a network server that posts there is the driver `http`.
  address: z.string({ error: BROKER_FORM }).refine((given) => BROKER.test(given) && URL.canParse(given), BROKER_FORM),
  application: application.nullish(),
  heartbeat_s: heartbeat_s.optional(),
});

/** Settings of sensors that connect or send by themselves and need no address. */
const callingSettings = z.object({ heartbeat_s: heartbeat_s.optional() });
const pushedSettings = callingSettings.extend({ application: application.nullish(), mapping: MAPPINGS.http.nullish() });
const beaconSettings = callingSettings.extend({ mapping: MAPPINGS['ble-beacon'].nullish() });

/** Checks the name of a Modbus sensor: a number that counts from the register's base. It has one spelling: 1, not 01. */
function registerProblem(sensor: string, { base }: { base: number }): string | undefined {
  const last = REGISTER_MAX - base;
  if (!/^\d+$/.test(sensor) || Number(sensor) > last) return `must be a register from 0 to ${last}, in quotes`;
  return String(Number(sensor)) === sensor ? undefined : `must be written ${Number(sensor)}, without zeros before it`;
}

/** Checks the name of a LoRa sensor: the devEUI on its label, which its uplinks contain. */
const devEuiProblem = (sensor: string): string | undefined =>
  devEuiOf(sensor) === null
    ? 'must be the devEUI of the sensor: 16 hexadecimal digits, such as 647fda000000a001, in quotes'
    : undefined;

const noProblem = (): undefined => undefined;

export const SENSOR_DRIVERS = {
  'modbus-tcp': {
    ...SENSOR_DRIVER_LIST['modbus-tcp'],
    settings: modbusSettings(requiredAddress.refine((given) => hostPortOf(given) !== null, HOST_PORT_FORM)),
    sensorProblem: registerProblem,
  },
  'modbus-rtu': {
    ...SENSOR_DRIVER_LIST['modbus-rtu'],
    settings: modbusSettings(
      requiredAddress.refine((given) => serialPortOf(given) !== null, SERIAL_PORT_FORM),
      lineUnit,
    ),
    sensorProblem: registerProblem,
  },
  'modbus-rtu-tcp': {
    ...SENSOR_DRIVER_LIST['modbus-rtu-tcp'],
    settings: modbusSettings(
      // These servers have no default port.
      requiredAddress.refine((given) => typeof hostPortOf(given)?.port === 'number', HOST_AND_PORT_FORM),
      lineUnit,
    ),
    sensorProblem: registerProblem,
  },
  chirpstack: {
    ...SENSOR_DRIVER_LIST.chirpstack,
    settings: loraSettings,
    sensorProblem: devEuiProblem,
  },
  ttn: {
    ...SENSOR_DRIVER_LIST.ttn,
    settings: loraSettings,
    sensorProblem: devEuiProblem,
  },
  http: { ...SENSOR_DRIVER_LIST.http, settings: pushedSettings, sensorProblem: noProblem },
  'ble-beacon': {
    ...SENSOR_DRIVER_LIST['ble-beacon'],
    settings: beaconSettings,
    sensorProblem: (sensor, { mapping }) => beaconNameProblem(sensor, mapping),
  },
} as const satisfies Record<SensorDriverName, SensorDriverInfo>;

/** The allowed values of a parking gateway's `driver`. */
export const sensorDriverSchema = z.enum(SENSOR_DRIVER_NAMES);

function infoOf(driver: unknown): SensorDriverInfo | undefined {
  const { success, data: name } = sensorDriverSchema.safeParse(driver);
  return success ? SENSOR_DRIVERS[name] : undefined;
}

/** Returns the settings that are used where none is given. */
export const sensorDriverDefaults = (driver: SensorDriverName): SensorDriverInfo['defaults'] =>
  SENSOR_DRIVERS[driver].defaults;

/**
 * Finds the problems that a driver has with the settings of a parking gateway, at most one per setting. For an unknown driver there are none,
 * because then `driver` itself is the problem.
 * @param driver of any type, as it stands in the input
 * @param settings the parking gateway's keys, before or after their own limits were checked; others are ignored
 */
export function sensorSettingProblems(driver: unknown, settings: Readonly<Record<string, unknown>>): SettingProblem[] {
  const info = infoOf(driver);
  return info === undefined ? [] : settingProblems(info.settings, { settings, limits: sensorSettingsShape });
}

/**
 * Returns what is wrong with the `sensor` of a place that this parking gateway watches; undefined: nothing.
 * @param sensor trimmed
 * @param parkingGateway its settings, of any shape; null or undefined: none
 */
export function sensorNameProblem(
  sensor: string,
  parkingGateway: { driver: unknown; register: unknown; mapping: unknown },
): string | undefined {
  const base = z.object({ base: sensorSettingsShape.register.shape.base }).safeParse(parkingGateway.register);
  const { driver, mapping } = parkingGateway;
  return infoOf(driver)?.sensorProblem(sensor, { base: base.data?.base ?? 0, mapping });
}
