/** The driver of beacons with what beacons and people do wrong, and how much of the air it lets through. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBeaconEar } from '../../../agent/product/noble/beacon-ear.js';
import type { NoblePeripheral } from '../../../agent/product/noble/noble-library.js';
import { createOffRadio } from '../../../agent/product/off-radio.js';
import type { Beacon, BeaconRadio } from '../../../agent/sensor/beacons.js';
import { createBleBeaconDriver } from '../../../agent/sensor/ble-beacon/ble-beacon-driver.js';
import type { SensorReading, SensorSource } from '../../../agent/sensor/sensor-source.js';
import { sensorItem, sensorPlace } from '../../devices/sensor-item.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { createFakeRadio, type FakeRadio } from '../../devices/fake-radio.js';

const ADDRESS = 'a4c138000b01';
const BY_ADDRESS = { company: 0x59, byte: 4, occupied: { mask: 1 } };

let clock: FakeClock;
let fake: FakeRadio;
let readings: SensorReading[];
let faults: (string | null)[];
let sources: SensorSource[];

beforeEach(() => {
  clock = new FakeClock();
  fake = createFakeRadio({ clock });
  readings = [];
  faults = [];
  sources = [];
});
afterEach(() => Promise.all(sources.map((source) => source.close())));

async function open(mapping: Record<string, unknown> | null, sensor = ADDRESS, radio: BeaconRadio = fake.radio) {
  const item = sensorItem({ name: 'Beacons', driver: 'ble-beacon', mapping, places: [sensorPlace(1, { sensor })] });
  const source = createBleBeaconDriver({ radio }).open(item, {
    onReadings: (heard) => readings.push(...heard),
    onFault: (reason) => faults.push(reason),
    occupancyOf: () => null,
  });
  sources.push(source);
  await settle();
  return source;
}
const beacon = (bytes: number[], address = ADDRESS) =>
  fake.addBeacon(address, { kind: 'manufacturer', bytes: Uint8Array.from(bytes) });
const air = (ms = 200) => clock.advance(ms);

describe('a beacon', () => {
  it('is heard as its layout says, with what it advertised', async () => {
    await open(BY_ADDRESS);
    await beacon([0x59, 0, 0xff, 0xff, 0x03]);
    await air();
    expect(readings[0]).toEqual({
      parking_place_id: 1,
      occupancy: 'occupied',
      measured_ms: null,
      raw: 'a4c138000b01: 5900ffff03, value 3',
    });
    expect(faults.filter((reason) => reason !== null)).toEqual([]);
  });

  it('is left alone when it is of another company, of another address or with a serial that no place has', async () => {
    await open(BY_ADDRESS);
    await open({ ...BY_ADDRESS, serial: { byte: 2, length: 2 } }, '0102');
    await beacon([0x4c, 0, 1, 2, 1]);
    await beacon([0x59, 0, 9, 9, 1], 'a4c138000b02');
    await air();
    expect(readings).toEqual([]);
    await beacon([0x59, 0, 1, 2, 1], 'a4c138000b03');
    await air();
    expect(readings.map(({ raw }) => raw)).toContain('a4c138000b03: 5900010201, value 1');
  });

  it('whose data end before the state changes nothing, and is named until a good one comes', async () => {
    await open(BY_ADDRESS);
    const known = await beacon([0x59, 0, 0, 0]);
    await air();
    expect(readings).toEqual([]);
    expect(faults.at(-1)).toBe("the advertisement of A1's sensor a4c138000b01: 4 bytes, without byte 4 of the mapping");
    known.setData(Uint8Array.of(0x59, 0, 0, 0, 0));
    await air();
    expect([readings.at(-1)?.occupancy, faults.at(-1)]).toEqual(['free', null]);
  });

  it('whose data end before its serial is nobody’s', async () => {
    await open({ ...BY_ADDRESS, serial: { byte: 5, length: 4 } }, '01020304');
    await beacon([0x59, 0, 0, 0, 1, 1, 2]);
    await beacon([0x59], 'a4c138000b02');
    await air();
    expect([readings, faults]).toEqual([[], [null]]);
  });

  it('with a sentinel is a sign of life, and says nothing of its place', async () => {
    await open({ company: 0x59, byte: 2, length: 2, occupied: { below: 100 }, sentinels: [0xffff] });
    await beacon([0x59, 0, 0xff, 0xff]);
    await air();
    expect(readings[0]).toMatchObject({ occupancy: null, raw: 'a4c138000b01: 5900ffff, value 65535' });
  });
});

describe('the driver of beacons', () => {
  it('says that the radio is off, or unavailable, until it is there', async () => {
    await open(BY_ADDRESS, ADDRESS, createOffRadio());
    expect(faults).toEqual(['Bluetooth is switched off: BLE_HCI is "off"']);
    await open(BY_ADDRESS);
    fake.setPower(false);
    expect(faults.at(-1)).toBe('the Bluetooth radio is unavailable');
    fake.setPower(true);
    expect(faults.at(-1)).toBeNull();
  });

  it('says that its mapping is missing', async () => {
    await open(null);
    expect(faults[0]).toMatch(/^mapping must say where in the advertisement the state stands/);
  });

  it('wants nothing any more when it is closed, also before it began', async () => {
    const source = await open(BY_ADDRESS);
    await source.close();
    await beacon([0x59, 0, 0, 0, 1]);
    await air();
    const unborn = createBleBeaconDriver({ radio: fake.radio }).open(
      sensorItem({ driver: 'ble-beacon', mapping: BY_ADDRESS, places: [] }),
      { onReadings: (heard) => readings.push(...heard), onFault: () => {}, occupancyOf: () => null },
    );
    await unborn.close();
    await air();
    expect(readings).toEqual([]);
  });
});

describe('what is let through of the air', () => {
  const heard: Beacon[] = [];
  const ear = () => createBeaconEar({ clock, repeatMs: 5_000, onBeacon: (one) => heard.push(one) });
  const peripheral = (id: string, manufacturerData: Buffer, serviceData?: { uuid: string; data: Buffer }[]) =>
    ({
      id,
      advertisement: { manufacturerData, ...(serviceData === undefined ? {} : { serviceData }) },
    }) as unknown as NoblePeripheral;
  beforeEach(() => void heard.splice(0));

  it('is nothing until somebody wants it', () => {
    ear().hear(peripheral(ADDRESS, Buffer.from([0x59, 0])));
    expect(heard).toEqual([]);
  });

  it('is a change at once, the same again after five seconds, and never more than five a second', async () => {
    const own = ear();
    own.want([{ kind: 'manufacturer', id: 0x59, addresses: null }]);
    const hear = (value: number) => own.hear(peripheral(ADDRESS, Buffer.from([0x59, 0, value])));
    hear(1);
    hear(1);
    await clock.advance(200);
    hear(2);
    hear(3);
    expect(heard.map(({ bytes }) => bytes[2])).toEqual([1, 2]);
    await clock.advance(200);
    hear(3);
    await clock.advance(4_999);
    hear(3);
    expect(heard).toHaveLength(3);
    await clock.advance(1);
    hear(3);
    expect(heard).toHaveLength(4);
    for (let index = 0; index < 1_000; index++) {
      hear(index % 256);
      await clock.advance(1);
    }
    expect(heard.length).toBeLessThanOrEqual(4 + 6);
    // Somebody new wants to hear it again.
    own.want([{ kind: 'manufacturer', id: null, addresses: [ADDRESS] }]);
    hear(9);
    expect(heard.at(-1)?.bytes[2]).toBe(9);
  });

  it('has the data of 16-bit services as they are sent, and copies what noble may overwrite', () => {
    const own = ear();
    own.want([
      { kind: 'service', id: 0xfcd2, addresses: null },
      { kind: 'manufacturer', id: 0x59, addresses: null },
    ]);
    const data = Buffer.from([0x59, 0, 1]);
    const services = [
      { uuid: 'fcd2', data: Buffer.from([7]) },
      { uuid: 'feaa', data: Buffer.from([8]) },
      { uuid: '0000fcd2', data: Buffer.from([9]) },
    ];
    own.hear(peripheral(ADDRESS, data, services));
    data.fill(0);
    expect(heard).toEqual([
      { address: ADDRESS, kind: 'manufacturer', bytes: Uint8Array.of(0x59, 0, 1) },
      { address: ADDRESS, kind: 'service', bytes: Uint8Array.of(0xd2, 0xfc, 7) },
    ]);
  });

  it('remembers 2,000 beacons: those reported longest ago are told again', () => {
    const own = ear();
    own.want([{ kind: 'manufacturer', id: 0x59, addresses: null }]);
    const hear = (index: number) => own.hear(peripheral(index.toString(16).padStart(12, '0'), Buffer.from([0x59, 0])));
    for (let index = 0; index <= 2_000; index++) hear(index);
    expect(heard).toHaveLength(2_001);
    hear(2_000);
    expect(heard).toHaveLength(2_001);
    hear(0);
    expect(heard).toHaveLength(2_002);
  });
});
