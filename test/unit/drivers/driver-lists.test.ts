import { describe, expect, it } from 'vitest';
import { CAMERA_DRIVER_NAMES, CAMERA_DRIVERS } from '../../../shared/drivers/camera-driver-list.js';
import { cameraDriverSchema, cameraSettingProblems } from '../../../shared/drivers/camera-drivers.js';
import { devEuiOf, deviceNameKey, sensorNameKey } from '../../../shared/drivers/hex-names.js';
import { modbusRegisterSchema, modbusRegisterWireSchema } from '../../../shared/drivers/modbus-register.js';
import { codecSettingsShape, SENSOR_CODECS, sensorCodecSchema } from '../../../shared/drivers/sensor-codecs.js';
import { SENSOR_DRIVER_NAMES } from '../../../shared/drivers/sensor-driver-list.js';
import {
  SENSOR_DRIVERS,
  sensorDriverDefaults,
  sensorDriverSchema,
  sensorNameProblem,
  sensorNameSchema,
  sensorSettingProblems,
} from '../../../shared/drivers/sensor-drivers.js';

const REGISTER = { function: 3, base: 65_500, occupied: { mask: 1 } };
const MODBUS = { address: '192.168.1.30:502', register: REGISTER };

describe('the lists of drivers', () => {
  it('hold the names that configuration may use, each with a label for people', () => {
    expect(CAMERA_DRIVER_NAMES).toEqual([
      'hikvision',
      'dahua',
      'axis',
      'onvif',
      'milesight',
      'openalpr',
      'platerecognizer',
      'verkada',
      'lilin',
      'zhenshi',
      'genetec',
      'unifi',
      'uniview',
      'survision',
      'frigate',
      'mapping',
    ]);
    expect(SENSOR_DRIVER_NAMES).toEqual([
      'modbus-tcp',
      'modbus-rtu',
      'modbus-rtu-tcp',
      'chirpstack',
      'ttn',
      'http',
      'ble-beacon',
    ]);
    expect(Object.keys(SENSOR_CODECS)).toEqual(['bosch-tps110', 'nwave-g4', 'milesight-udl']);
    const infos = [...Object.values(CAMERA_DRIVERS), ...Object.values(SENSOR_DRIVERS), ...Object.values(SENSOR_CODECS)];
    for (const { label } of infos) expect(label).toMatch(/^\S.*\S$/);
  });

  it('say of each sensor driver which settings its schema has', () => {
    for (const { settings, uses } of Object.values(SENSOR_DRIVERS)) {
      const keys = Object.keys(settings.shape).filter((key) => key !== 'heartbeat_s');
      expect([...uses].toSorted()).toEqual(keys.toSorted());
    }
  });

  it('refuse other names', () => {
    expect(cameraDriverSchema.safeParse('hikvison').success).toBe(false);
    expect(sensorDriverSchema.safeParse('toString').success).toBe(false);
    expect(sensorCodecSchema.safeParse('udl').success).toBe(false);
  });

  it('give a codec no setting that a place does not have', () => {
    const settings = Object.keys(codecSettingsShape);
    for (const { uses } of Object.values(SENSOR_CODECS)) expect(settings).toEqual(expect.arrayContaining([...uses]));
  });
});

describe('the defaults of sensor drivers', () => {
  it.each(SENSOR_DRIVER_NAMES)('%s: polled registers are heard every 30 s, battery sensors every 3 h', (name) => {
    const isModbus = name.startsWith('modbus-');
    expect(sensorDriverDefaults(name)).toEqual({
      unit: isModbus ? 1 : null,
      poll_ms: 1_000,
      heartbeat_s: isModbus ? 30 : 10_800,
    });
  });
});

const SERIAL = 'address must be a serial port such as /dev/ttyUSB0, or /dev/ttyUSB0?baud=19200&parity=even';
const BROKER = 'address must be the broker of the network server, such as mqtt://192.168.1.40:1883';

describe('the settings of a parking gateway', () => {
  it.each<[driver: string, settings: Record<string, unknown>, problems: string[]]>([
    ['modbus-tcp', MODBUS, []],
    ['modbus-tcp', { ...MODBUS, address: '[fd00::7]:1502', unit: null, poll_ms: 500, name: 'Guidance' }, []],
    ['modbus-tcp', {}, ['address is required for Modbus', 'register is required for Modbus']],
    [
      'modbus-tcp',
      { address: '', register: null },
      ['address is required for Modbus', 'register is required for Modbus'],
    ],
    [
      'modbus-tcp',
      { ...MODBUS, address: 'tcp://guidance:502' },
      ['address must be host:port, such as 192.168.1.30:502'],
    ],
    ['modbus-rtu', { ...MODBUS, address: '/dev/ttyUSB0' }, []],
    ['modbus-tcp', { ...MODBUS, address: 'guidance:70000' }, ['address must be host:port, such as 192.168.1.30:502']],
    ['modbus-rtu', { ...MODBUS, address: 'COM3' }, [SERIAL]],
    ['modbus-rtu', { ...MODBUS, address: '/dev/ttyUSB0?baud=fast' }, [SERIAL]],
    ['modbus-rtu', { ...MODBUS, address: '/dev/ttyUSB0?baud=19200&parity=mark' }, [SERIAL]],
    [
      'modbus-rtu',
      { ...MODBUS, address: '/dev/ttyUSB0', unit: 0 },
      ['unit must be from 1: none of the units on a serial line answers to 0'],
    ],
    ['modbus-rtu-tcp', { ...MODBUS, address: '192.168.1.30:4001', unit: 7 }, []],
    [
      'modbus-rtu-tcp',
      { ...MODBUS, address: '192.168.1.30', unit: 0 },
      [
        'address must be host:port of the serial device server, such as 192.168.1.30:4001',
        'unit must be from 1: none of the units on a serial line answers to 0',
      ],
    ],
    ['modbus-rtu', {}, ['address is required for Modbus', 'register is required for Modbus']],
    ['chirpstack', {}, [BROKER]],
    ['ttn', { address: '' }, [BROKER]],
    ['chirpstack', { address: 'mqtt://127.0.0.1:1884', application: 'parking', register: null, unit: null }, []],
    ['ttn', { application: null, address: 'mqtts://eu1.cloud.thethings.network' }, []],
    ['chirpstack', { address: 'mqtts://gw:50%off@broker?ca=/etc/parking/broker.pem' }, []],
    ['chirpstack', { address: 'broker:1883' }, [BROKER]],
    ['ttn', { address: 'https://eu1.cloud.thethings.network' }, [BROKER]],
    ['http', {}, []],
    ['ble-beacon', {}, []],
  ])('%s with %j', (driver, settings, problems) => {
    expect(sensorSettingProblems(driver, settings).map(({ field, reason }) => `${field} ${reason}`)).toEqual(problems);
  });

  it('leaves a value that breaks its own limits to whoever checks those', () => {
    expect(sensorSettingProblems('modbus-tcp', { address: 5, register: { ...REGISTER, function: 9 } })).toEqual([]);
    expect(sensorSettingProblems('modbus-tcp', { ...MODBUS, unit: 'one', poll_ms: 1 })).toEqual([]);
  });

  it('has no opinion on a driver it does not know', () => {
    for (const driver of ['modbus', 7, undefined, 'constructor']) expect(sensorSettingProblems(driver, {})).toEqual([]);
  });
});

const DEV_EUIS = [
  '64-7F-DA-00-00-00-A0-01',
  '64:7f:da:00:00:00:a0:01',
  '64 7F DA 00 00 00 A0 01',
  '647F.DA00.0000.A001',
  '64\u20117F\u2011DA\u201100\u201100\u201100\u2011A0\u201101',
];

describe('the sensor of a place', () => {
  it('for Modbus is a number that stays within the registers', () => {
    const of = { driver: 'modbus-tcp', register: REGISTER, mapping: null };
    expect(sensorNameProblem('35', of)).toBeUndefined();
    expect(sensorNameProblem('36', of)).toBe('must be a register from 0 to 35, in quotes');
    expect(sensorNameProblem('01', of)).toBe('must be written 1, without zeros before it');
    for (const other of ['one', '+1', '1.0'])
      expect(sensorNameProblem(other, of)).toBe('must be a register from 0 to 35, in quotes');
    expect(sensorNameProblem('65535', { driver: 'modbus-rtu', register: null, mapping: null })).toBeUndefined();
    expect(sensorNameProblem('65536', { driver: 'modbus-rtu', register: { base: 'x' }, mapping: null })).toBe(
      'must be a register from 0 to 65535, in quotes',
    );
  });

  it('for a beacon is its address, or the bytes of its serial number', () => {
    const problem = (sensor: string, mapping: unknown) =>
      sensorNameProblem(sensor, { driver: 'ble-beacon', register: null, mapping });
    const byAddress = { company: 89, byte: 4, occupied: { mask: 1 } };
    const bySerial = { ...byAddress, serial: { byte: 5, length: 4 } };
    for (const sensor of ['a4c138000001', 'A4:C1:38:00:00:01', 'a4-c1-38-00-00-01']) {
      expect(problem(sensor, byAddress)).toBeUndefined();
      expect(problem(sensor, bySerial)).toBe('must be the 4 bytes of its serial number in hexadecimal');
    }
    expect(problem('0007d2e1', bySerial)).toBeUndefined();
    expect(problem('0007d2e1', byAddress)).toBe('must be a Bluetooth address, such as a4:c1:38:00:00:01');
    // Without a mapping nobody knows yet.
    for (const mapping of [null, undefined, { byte: 'x' }]) expect(problem('Row 1', mapping)).toBeUndefined();
  });

  it.each(['chirpstack', 'ttn'])('for %s is a devEUI, written as on its label', (driver) => {
    const of = { driver, register: null, mapping: null };
    for (const sensor of [...DEV_EUIS, '647fda000000a001']) expect(sensorNameProblem(sensor, of)).toBeUndefined();
    for (const sensor of ['647fda000000a00', '647fda000000a0011', 'eui-647fda000000a001', 'Row 1', '647fda00_0000a001'])
      expect(sensorNameProblem(sensor, of)).toBe(
        'must be the devEUI of the sensor: 16 hexadecimal digits, such as 647fda000000a001, in quotes',
      );
  });

  it('is compared without what makes it readable, where it is an EUI-64 or a radio address', () => {
    for (const written of DEV_EUIS) {
      expect(devEuiOf(written)).toBe('647fda000000a001');
      expect(deviceNameKey(written)).toBe('647fda000000a001');
    }
    expect(deviceNameKey('A4-C1-38-00-00-01')).toBe('a4c138000001');
    expect(deviceNameKey(' Dev-1 ')).toBe('dev-1');
    expect(sensorNameKey('00:07-D2 E1')).toBe('0007d2e1');
    expect([sensorNameKey('1-123'), sensorNameKey('11-23')]).toEqual(['1-123', '11-23']);
    expect(sensorNameKey('ROW 1')).toBe('row 1');
    expect(devEuiOf('dev-1')).toBeNull();
  });

  it('for others is any name', () => {
    const others = { register: null, mapping: null };
    expect(sensorNameProblem('Row 1', { driver: 'http', ...others })).toBeUndefined();
    expect(sensorNameProblem('one', { driver: 'modbus', register: REGISTER, mapping: null })).toBeUndefined();
    expect(sensorNameSchema.safeParse(' ').success).toBe(false);
  });
});

describe('a register', () => {
  it('has its defaults filled in, and no unknown key as people write it', () => {
    expect(modbusRegisterSchema.parse({ function: 3, occupied: { below: 1_500 } })).toEqual({
      function: 3,
      base: 0,
      occupied: { below: 1_500, hysteresis: 0 },
      sentinels: [],
    });
    expect(modbusRegisterSchema.safeParse({ ...REGISTER, bass: 1 }).error?.issues).toEqual([
      expect.objectContaining({
        message:
          'unknown key; allowed: function, base, scale, byte_order, timeout_ms, max_registers, occupied, sentinels, debounce_ms, dwell_ms',
      }),
    ]);
  });

  it('may carry keys of a newer program on the wire', () => {
    expect(modbusRegisterWireSchema.parse({ ...REGISTER, invert: true })).toEqual({ ...REGISTER, sentinels: [] });
  });
});

describe('the settings of a camera', () => {
  it('are optional: a camera that pushes by itself needs no address', () => {
    const needing = new Set<string>(['onvif', 'uniview', 'frigate']);
    for (const name of CAMERA_DRIVER_NAMES.filter((each) => !needing.has(each)))
      expect(cameraSettingProblems(name, {})).toEqual([]);
    expect(cameraSettingProblems('none', {})).toEqual([]);
  });

  it.each<[driver: string, settings: Record<string, unknown>, problems: string[]]>([
    ['onvif', {}, ['address is required for this driver']],
    ['onvif', { address: 'http://192.168.1.21' }, []],
    ['uniview', { address: '192.168.1.21' }, ['address must be http://host or https://host']],
    ['frigate', { address: 'http://192.168.1.21' }, ['address must be the broker, such as mqtt://192.168.1.40:1883']],
    ['frigate', { address: 'mqtt://192.168.1.40:1883/frigate?camera=lane1' }, []],
    ['mapping', {}, []],
    ['mapping', { mapping: { plate: 'data.plate', time: { at: 'when', format: 'DD.MM.YYYY HH:mm:ss' } } }, []],
    [
      'mapping',
      { mapping: { plate: 'a', tim: 'x' } },
      [
        'mapping unknown key; allowed: format, document, list, only, plate, no_plate, event_id, confidence, candidates, direction, time, country, type, make, color, model, retransmission, history, full, plate_picture, plate_box',
      ],
    ],
  ])('%s with %j', (driver, settings, problems) => {
    expect(cameraSettingProblems(driver, settings).map(({ field, reason }) => `${field} ${reason}`)).toEqual(problems);
  });
});
