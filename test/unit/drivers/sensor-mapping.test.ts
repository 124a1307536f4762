import { describe, expect, it } from 'vitest';
import { sensorSettingProblems } from '../../../shared/drivers/sensor-drivers.js';

describe('the mapping of a parking gateway', () => {
  it.each<[driver: string, mapping: unknown, problems: string[]]>([
    ['chirpstack', { byte: 0, occupied: { mask: 1 } }, []],
    ['ttn', { port: 2, byte: 3, length: 2, order: 'little', scale: 0.1, occupied: { below: 900, hysteresis: 50 } }, []],
    ['chirpstack', null, []],
    ['chirpstack', { occupied: { mask: 1 } }, ['mapping']],
    ['chirpstack', { byte: 0, bit: 1, occupied: { mask: 1 } }, ['mapping']],
    ['http', {}, []],
    ['http', { sensor: 'device.id', state: 'state', occupied: ['busy', 1, true], free: ['idle'], time: null }, []],
    ['http', { sensor: 'device id' }, ['mapping']],
    ['http', { byte: 0 }, ['mapping']],
    ['ble-beacon', { company: 89, byte: 4, occupied: { mask: 1 } }, []],
    ['ble-beacon', { service: 'FCD2', serial: { byte: 3, length: 4 }, byte: 7, occupied: { mask: 1 } }, []],
    ['ble-beacon', { byte: 4, occupied: {} }, ['mapping']],
    ['ble-beacon', { company: 89, service: 'fcd2', byte: 4, occupied: { mask: 1 } }, ['mapping']],
    ['ble-beacon', { serial: { byte: 3, length: 4 }, byte: 7, occupied: { mask: 1 } }, ['mapping']],
    ['ble-beacon', { service: 'fcd', byte: 4, occupied: { mask: 1 } }, ['mapping']],
    ['modbus-tcp', { anything: true }, ['address', 'register']],
  ])('is checked for %s: %j', (driver, mapping, problems) => {
    const settings = { mapping, address: 'mqtt://127.0.0.1' };
    expect(sensorSettingProblems(driver, settings).map(({ field }) => field)).toEqual(problems);
  });
});
