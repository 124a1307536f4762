/** The settings of sensors as a person types them, and as the service has them. Pure. */
import {
  SENSOR_DRIVER_LIST,
  SENSOR_DRIVER_NAMES,
  type SensorDriverFacts,
  type SensorDriverName,
} from '../../../shared/drivers/sensor-driver-list.js';
import type { ByteOrder } from '../../../shared/drivers/byte-order.js';

export const REGISTER_FUNCTIONS = [1, 2, 3, 4] as const;

/** A parking gateway as the service shows it. */
export interface SensorSettings {
  name: string;
  gateway_id: number | null;
  driver: string;
  address: string;
  unit: number | null;
  poll_ms: number;
  heartbeat_s: number;
  register: RegisterSettings | null;
  application: string | null;
  mapping: Record<string, unknown> | null;
}

/** The service leaves out what is as usual. */
interface RegisterSettings {
  function: (typeof REGISTER_FUNCTIONS)[number];
  base: number;
  occupied: { mask: number } | { below: number; hysteresis?: number };
  byte_order?: ByteOrder;
  scale?: number;
  timeout_ms?: number;
  max_registers?: number;
  sentinels?: number[];
  debounce_ms?: number;
  dwell_ms?: number;
}

export interface SensorForm {
  name: string;
  gateway: string;
  driver: string;
  address: string;
  unit: string;
  poll: string;
  heartbeat: string;
  function: string;
  base: string;
  /** How a value becomes occupied: `mask` or `below`. */
  rule: string;
  mask: string;
  below: string;
  hysteresis: string;
  byte_order: string;
  application: string;
  /** JSON. */
  mapping: string;
}

const driverOf = (name: string): SensorDriverName | undefined => SENSOR_DRIVER_NAMES.find((each) => each === name);

/** null: one that this page does not know. */
export const sensorDriverFacts = (name: string): SensorDriverFacts | null => {
  const driver = driverOf(name);
  return driver === undefined ? null : SENSOR_DRIVER_LIST[driver];
};

/** What changes in the form with its driver: the numbers that are usual there. */
export function usualFields(driver: string): Pick<SensorForm, 'unit' | 'poll' | 'heartbeat'> {
  const { unit, poll_ms, heartbeat_s } = (sensorDriverFacts(driver) ?? SENSOR_DRIVER_LIST['modbus-tcp']).defaults;
  return { unit: String(unit ?? ''), poll: String(poll_ms), heartbeat: String(heartbeat_s) };
}

const ruleFields = (
  occupied: RegisterSettings['occupied'],
): Pick<SensorForm, 'rule' | 'mask' | 'below' | 'hysteresis'> =>
  'mask' in occupied
    ? { rule: 'mask', mask: String(occupied.mask), below: '', hysteresis: '0' }
    : { rule: 'below', mask: '1', below: String(occupied.below), hysteresis: String(occupied.hysteresis ?? 0) };

/** @param sensors null: new ones. @param gateway which one reads new ones; empty: none */
export function sensorFormOf(sensors: SensorSettings | null, gateway: string): SensorForm {
  const driver = sensors?.driver ?? SENSOR_DRIVER_NAMES[0];
  const usual = usualFields(driver);
  const register = sensors?.register ?? null;
  const mapping = sensors?.mapping ?? null;
  return {
    name: sensors?.name ?? '',
    gateway: sensors === null ? gateway : String(sensors.gateway_id ?? ''),
    driver,
    address: sensors?.address ?? '',
    ...(sensors === null
      ? usual
      : {
          unit: String(sensors.unit ?? usual.unit),
          poll: String(sensors.poll_ms),
          heartbeat: String(sensors.heartbeat_s),
        }),
    function: String(register?.function ?? 3),
    base: String(register?.base ?? 0),
    ...ruleFields(register?.occupied ?? { mask: 1 }),
    byte_order: register?.byte_order ?? '',
    application: sensors?.application ?? '',
    mapping: mapping === null ? '' : JSON.stringify(mapping, null, 2),
  };
}

/** The fields of a form that the page can judge by itself: whole numbers, and JSON. */
export const wholeFields = ({ driver, rule }: SensorForm): (keyof SensorForm)[] => {
  const uses = sensorDriverFacts(driver)?.uses ?? [];
  return [
    'heartbeat',
    ...(uses.includes('unit') ? (['unit'] as const) : []),
    ...(uses.includes('poll_ms') ? (['poll'] as const) : []),
    ...(uses.includes('register')
      ? (['base', ...(rule === 'mask' ? ['mask'] : ['below', 'hysteresis'])] as const)
      : []),
  ] as (keyof SensorForm)[];
};

/** @returns undefined: it is none */
export function jsonObjectIn(text: string): Record<string, unknown> | null | undefined {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** @param before the register whose further keys stay */
function registerOf(form: SensorForm, before: RegisterSettings | null) {
  const { byte_order: _, ...kept }: Partial<RegisterSettings> = before ?? {};
  const code = REGISTER_FUNCTIONS.find((each) => String(each) === form.function) ?? 3;
  return {
    ...kept,
    function: code,
    base: Number(form.base),
    occupied:
      form.rule === 'mask'
        ? { mask: Number(form.mask) }
        : { below: Number(form.below), hysteresis: Number(form.hysteresis) },
    // A bit has no bytes.
    ...(form.byte_order === '' || code < 3 ? {} : { byte_order: form.byte_order as ByteOrder }),
  };
}

/** The body that makes these sensors, or to which they are changed. @param sensors as they were; null: they are new */
export function sensorBodyOf(form: SensorForm, sensors: SensorSettings | null) {
  const driver = driverOf(form.driver) ?? SENSOR_DRIVER_NAMES[0];
  const uses: SensorDriverFacts['uses'] = SENSOR_DRIVER_LIST[driver].uses;
  const { name, gateway, address, application } = form;
  return {
    name,
    gateway_id: gateway === '' ? null : Number(gateway),
    driver,
    address: uses.includes('address') ? address.trim() : '',
    ...(uses.includes('unit') ? { unit: Number(form.unit) } : {}),
    ...(uses.includes('poll_ms') ? { poll_ms: Number(form.poll) } : {}),
    heartbeat_s: Number(form.heartbeat),
    register: uses.includes('register') ? registerOf(form, sensors?.register ?? null) : null,
    application: uses.includes('application') && application !== '' ? application : null,
    mapping: uses.includes('mapping') ? (jsonObjectIn(form.mapping) ?? null) : null,
  };
}
