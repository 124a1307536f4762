import { describe, expect, it } from 'vitest';
import {
  jsonObjectIn,
  sensorBodyOf,
  sensorFormOf,
  type SensorSettings,
  usualFields,
  wholeFields,
} from '../../../cloud/console/wording/sensor-settings.js';
import { SENSOR_DRIVER_NAMES } from '../../../shared/drivers/sensor-driver-list.js';
import { sensorSettingProblems } from '../../../shared/drivers/sensor-drivers.js';

const MODBUS: SensorSettings = {
  name: 'Guidance',
  gateway_id: 2,
  driver: 'modbus-tcp',
  address: '192.168.1.70',
  unit: 3,
  poll_ms: 500,
  heartbeat_s: 30,
  register: { function: 4, base: 10, occupied: { below: 1500 }, byte_order: 'BA', scale: 0.1, sentinels: [65_535] },
  application: null,
  mapping: null,
};

describe('the form of sensors', () => {
  it('gives back what it was made of, with what it does not show', () => {
    const body = sensorBodyOf(sensorFormOf(MODBUS, ''), MODBUS);
    expect(body).toEqual({
      ...MODBUS,
      register: { ...MODBUS.register, occupied: { below: 1500, hysteresis: 0 } },
    });
  });

  it.each(SENSOR_DRIVER_NAMES)('is accepted by the driver %s once its address is there', (driver) => {
    const address = driver.startsWith('modbus') ? '192.168.1.70:502' : 'mqtt://192.168.1.40:1883';
    const form = {
      ...sensorFormOf(null, '7'),
      driver,
      ...usualFields(driver),
      address: driver === 'modbus-rtu' ? '/dev/ttyUSB0' : address,
    };
    const body = sensorBodyOf(form, null);
    expect(sensorSettingProblems(driver, body)).toEqual([]);
    expect(body).toMatchObject({ driver, gateway_id: 7 });
    expect(wholeFields(form)).toContain('heartbeat');
  });

  it('leaves out what the driver does not have, and the bytes of a bit', () => {
    const form = { ...sensorFormOf(MODBUS, ''), driver: 'http', application: 'key', mapping: '{"sensor": "id"}' };
    expect(sensorBodyOf(form, MODBUS)).toEqual({
      name: 'Guidance',
      gateway_id: 2,
      driver: 'http',
      address: '',
      heartbeat_s: 30,
      register: null,
      application: 'key',
      mapping: { sensor: 'id' },
    });
    const bits = { ...sensorFormOf(MODBUS, ''), function: '1', rule: 'mask', mask: '4' };
    expect(sensorBodyOf(bits, MODBUS).register).toEqual({
      function: 1,
      base: 10,
      occupied: { mask: 4 },
      scale: 0.1,
      sentinels: [65_535],
    });
  });

  it('reads a mapping only when it is an object', () => {
    expect([jsonObjectIn(' '), jsonObjectIn('{"a":1}'), jsonObjectIn('[1]'), jsonObjectIn('{')]).toEqual([
      null,
      { a: 1 },
      undefined,
      undefined,
    ]);
  });
});
