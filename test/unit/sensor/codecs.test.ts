/** Codecs beside pairs of a payload and what its sensor meant by it. */
import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { CODECS } from '../../../agent/sensor/codecs/all-codecs.js';
import { type CodecPlace, PayloadError } from '../../../agent/sensor/codecs/sensor-codec.js';
import { tableCodec } from '../../../agent/sensor/codecs/table-codec.js';
import type { Occupancy } from '../../../agent/sensor/sensor-source.js';
import { payloadTableSchema } from '../../../shared/drivers/payload-table.js';
import type { SensorCodecName } from '../../../shared/drivers/sensor-codecs.js';
import { payloadOf } from '../../../scripts/sim/sensors/lora-payloads.js';
import { BOSCH_TPS110 } from './recorded/bosch-tps110.js';
import { MILESIGHT_UDL } from './recorded/milesight-udl.js';
import { NWAVE_G4 } from './recorded/nwave-g4.js';
import type { RecordedUplink } from './recorded/recorded-uplink.js';

const ANY: CodecPlace = { occupied_below_mm: null, hysteresis_mm: null };
const UDL: CodecPlace = { occupied_below_mm: 1_500, hysteresis_mm: 100 };
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

function decode(codec: SensorCodecName, port: number, hex: string, before: Occupancy | null = null) {
  return CODECS[codec]({ port, bytes: bytesOf(hex) }, codec === 'milesight-udl' ? UDL : ANY, before);
}

/** The codecs' names of values, and those of makers. */
const SAME_VALUES = [
  ['temperature', 'temperature'],
  ['battery', 'battery'],
  ['distance_mm', 'distance'],
  ['previous_state_minutes', 'previous_state_duration'],
  ['firmware', 'firmware_version'],
  ['firmware', 'firmwareVersion'],
] as const;

/** Every codec has its file. */
const RECORDED: Record<SensorCodecName, readonly RecordedUplink[]> = {
  'bosch-tps110': BOSCH_TPS110,
  'nwave-g4': NWAVE_G4,
  'milesight-udl': MILESIGHT_UDL,
};

describe.each(Object.entries(RECORDED))('what the maker published of %s', (codec, recorded) => {
  it.each(recorded)('$source', ({ port, hex, published, occupancy, values, place }) => {
    const decoded = CODECS[codec as SensorCodecName]({ port, bytes: bytesOf(hex) }, place ?? ANY, null);
    expect(decoded).toEqual({ occupancy, values });
    // Both sides of the file say the same.
    if (typeof published['occupied'] === 'boolean')
      expect(decoded.occupancy).toBe(published['occupied'] ? 'occupied' : 'free');
    for (const [ours, theirs] of SAME_VALUES)
      if (decoded.values[ours] !== undefined && published[theirs] !== undefined)
        expect(decoded.values[ours]).toBe(published[theirs]);
  });
});

describe('bosch-tps110', () => {
  it.each<[port: number, hex: string, occupancy: Occupancy | null, values: object]>([
    [1, '01', 'occupied', {}],
    [1, '00', 'free', {}],
    [2, '01 15', 'occupied', { temperature: 21 }],
    [2, '00 f6', 'free', { temperature: -10 }],
    [2, '01', 'occupied', {}],
    [3, '00000000a10200d200060000 011e03 01 01', 'occupied', { firmware: '3.30.1' }],
    [3, '00000000a10200d200060000 011e03 02 00', 'free', { firmware: '3.30.1' }],
    [4, 'ffff', null, {}],
  ])('port %i: %s', (port, hex, occupancy, values) => {
    expect(decode('bosch-tps110', port, hex)).toEqual({ occupancy, values });
  });

  it.each([
    [1, ''],
    [1, '0101'],
    [2, '011500'],
    [3, '00000000a10200d200060000 011e03 01'],
  ])('refuses what is cut or too long: port %i, "%s"', (port, hex) => {
    expect(() => decode('bosch-tps110', port, hex)).toThrow(PayloadError);
  });
});

describe('nwave-g4', () => {
  it.each<[port: number, hex: string, occupancy: Occupancy | null, values: object]>([
    [1, '97', 'occupied', { previous_state_minutes: 75 }],
    [1, '96', 'free', { previous_state_minutes: 75 }],
    [1, 'b4', 'free', { previous_state_minutes: 90 }],
    [1, 'b7', 'occupied', { previous_state_minutes: 95 }],
    [1, 'f0', 'free', { previous_state_minutes: 240 }],
    [1, 'ff', 'occupied', { previous_state_minutes: 660 }],
    [2, '01 d2 d8 00 59 0b', 'occupied', { battery_mv: 3_340, temperature: -10 }],
    [3, '02 04 0a 02 01', 'occupied', { firmware: '2.4.10' }],
    [10, 'd1 20 1f 34 56 78', 'occupied', {}],
    [10, 'd0 20 1f 34 56 78', null, {}],
    [6, '00', null, {}],
  ])('port %i: %s', (port, hex, occupancy, values) => {
    expect(decode('nwave-g4', port, hex)).toEqual({ occupancy, values });
  });

  it.each([
    [1, ''],
    [1, '9700'],
    [2, '01d2'],
    [3, '02040a02'],
  ])('refuses what is cut or too long: port %i, "%s"', (port, hex) => {
    expect(() => decode('nwave-g4', port, hex)).toThrow(PayloadError);
  });
});

describe('milesight-udl', () => {
  it.each<[name: string, hex: string, before: Occupancy | null, occupancy: Occupancy | null]>([
    ['an EM310 far from anything', '01755b 038246 08 040000', null, 'free'],
    ['an EM310 under a vehicle', '01755b 0382 2003 040000', null, 'occupied'],
    ['an EM400, with its temperature', '017564 03671a01 0482 2003 050000', null, 'occupied'],
    ['an EM400 with an alarm', '8482 2003 01', null, 'occupied'],
    ['within the hysteresis, occupied before', '0382 0e06', 'occupied', 'occupied'],
    ['within the hysteresis, free before', '0382 0e06', 'free', 'free'],
    ['just above the hysteresis', '0382 4106', 'occupied', 'free'],
    ['a sensor that was knocked over', '01755b 0382 2003 040001', 'free', null],
    ['one that measured nothing', '0382 fdff', 'occupied', null],
    ['a battery alone', '01755b', 'occupied', null],
    ['with something new behind it', '0382 2003 ff0b ff', null, 'occupied'],
  ])('%s', (_, hex, before, occupancy) => {
    expect(decode('milesight-udl', 85, hex, before).occupancy).toBe(occupancy);
  });

  it('shows what it measured', () => {
    expect(decode('milesight-udl', 85, '01755b 0382 4608 040001').values).toEqual({
      battery: 91,
      distance_mm: 2_118,
      is_tilted: true,
    });
  });

  it('says nothing of a place without a threshold', () => {
    const uplink = { port: 85, bytes: bytesOf('0382 2003') };
    expect(CODECS['milesight-udl'](uplink, ANY, 'free').occupancy).toBeNull();
  });

  it.each(['', '0382 20', '0175', '03', 'aabbcc'])('refuses what is cut, empty or of another sensor: "%s"', (hex) => {
    expect(() => decode('milesight-udl', 85, hex)).toThrow(PayloadError);
  });
});

describe('a table of the user’s own', () => {
  const table = (given: object) => tableCodec(payloadTableSchema.parse(given));
  const of = (given: object, port: number, hex: string, before: Occupancy | null = null) =>
    table(given)({ port, bytes: bytesOf(hex) }, ANY, before);

  it('reads a bit of a byte on its port', () => {
    const bit = { port: 2, byte: 1, occupied: { mask: 4 } };
    expect([of(bit, 2, '0004'), of(bit, 2, 'ff03'), of(bit, 3, '0004')].map(({ occupancy }) => occupancy)).toEqual([
      'occupied',
      'free',
      null,
    ]);
  });

  it('scales a number of two bytes before it compares it', () => {
    const distance = { byte: 0, length: 2, order: 'little', scale: 10, occupied: { below: 1_500, hysteresis: 100 } };
    expect([of(distance, 1, '9500'), of(distance, 1, 'a100'), of(distance, 1, '9800', 'occupied')]).toEqual([
      { occupancy: 'occupied', values: { value: 1_490 } },
      { occupancy: 'free', values: { value: 1_610 } },
      { occupancy: 'occupied', values: { value: 1_520 } },
    ]);
  });

  it('knows sentinels by the number as it was sent', () => {
    expect(of({ byte: 0, length: 2, scale: 2, occupied: { below: 9 }, sentinels: [65_535] }, 1, 'ffff')).toEqual({
      occupancy: null,
      values: { value: 65_535 },
    });
  });

  it('refuses a payload that ends before its byte', () => {
    expect(() => of({ byte: 3, occupied: { mask: 1 } }, 1, '000000')).toThrow(PayloadError);
  });
});

describe('any payload', () => {
  const names = Object.keys(CODECS) as SensorCodecName[];

  it('is decoded or refused, and nothing else is thrown', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.nat(255),
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom('free', 'occupied', null),
        (codec, port, bytes, before) => {
          try {
            const { occupancy } = CODECS[codec]({ port, bytes }, UDL, before);
            expect([null, 'free', 'occupied']).toContain(occupancy);
          } catch (error) {
            expect(error).toBeInstanceOf(PayloadError);
          }
        },
      ),
    );
  });

  it.each(names)('%s understands what the simulated sensor sends', (codec) => {
    for (const isOccupied of [true, false]) {
      const { port, bytes } = payloadOf(codec, { ...UDL, isOccupied });
      expect(CODECS[codec]({ port, bytes }, UDL, null).occupancy).toBe(isOccupied ? 'occupied' : 'free');
    }
  });
});
