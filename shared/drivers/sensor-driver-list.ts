/**
 * The drivers of parking gateways by their names in configuration, REST, site file and console. This is the only list of them: the cloud
 * validates with it, and a gateway registers each of its drivers under one of these names. It is apart from the schemas
 * (`sensor-drivers.ts`), so that web pages need not load those.
 */
export interface SensorDriverFacts {
  /** The name of the protocol or network for people. */
  label: string;
  /** The settings that are used when none is given. `unit` null: the driver has no unit, and ignores a given one. */
  defaults: { unit: number | null; poll_ms: number; heartbeat_s: number };
  /** The settings that the driver has beside `heartbeat_s`. */
  uses: readonly ('address' | 'unit' | 'poll_ms' | 'register' | 'application' | 'mapping')[];
  /** How its sensors are called: by a register, by the EUI on the label, or as they call themselves. */
  sensorsBy: 'register' | 'eui' | 'name';
}

const POLL_MS_DEFAULT = 1_000;

/** Registers are polled. */
const MODBUS = {
  defaults: { unit: 1, poll_ms: POLL_MS_DEFAULT, heartbeat_s: 30 },
  uses: ['address', 'unit', 'poll_ms', 'register'],
  sensorsBy: 'register',
} as const;
/** Battery sensors report changes, and otherwise send only an occasional heartbeat. */
const RADIO_DEFAULTS = { unit: null, poll_ms: POLL_MS_DEFAULT, heartbeat_s: 10_800 };
const LORA = { defaults: RADIO_DEFAULTS, uses: ['address', 'application', 'mapping'], sensorsBy: 'eui' } as const;

export const SENSOR_DRIVER_LIST = {
  'modbus-tcp': { label: 'Modbus TCP', ...MODBUS },
  'modbus-rtu': { label: 'Modbus RTU', ...MODBUS },
  'modbus-rtu-tcp': { label: 'Modbus RTU over TCP', ...MODBUS },
  chirpstack: { label: 'ChirpStack (LoRaWAN)', ...LORA },
  ttn: { label: 'The Things Stack (LoRaWAN)', ...LORA },
  http: { label: 'HTTP push', defaults: RADIO_DEFAULTS, uses: ['application', 'mapping'], sensorsBy: 'name' },
  'ble-beacon': { label: 'Bluetooth beacon', defaults: RADIO_DEFAULTS, uses: ['mapping'], sensorsBy: 'name' },
} as const satisfies Record<string, SensorDriverFacts>;

export type SensorDriverName = keyof typeof SENSOR_DRIVER_LIST;
export const SENSOR_DRIVER_NAMES = Object.keys(SENSOR_DRIVER_LIST) as [SensorDriverName, ...SensorDriverName[]];
