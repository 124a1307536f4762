import { afterEach, describe, expect, it } from 'vitest';
import type { Occupancy, SensorReading, SensorSource } from '../../../agent/sensor/sensor-source.js';
import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import type { ModbusFaults } from '../../../scripts/sim/sensors/modbus-server.js';
import { createModbusBench, type ModbusBench } from '../../devices/modbus-bench.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

let bench: ModbusBench;
let source: SensorSource;
let rounds: SensorReading[][];
let faults: (string | null)[];
/** What is known of places before anything is read. */
let known: Map<number, Occupancy>;

afterEach(async () => {
  await source.close();
  await bench.remove();
});

async function start(
  options: Parameters<typeof createModbusBench>[0] & { item?: object; known?: [number, Occupancy][] } = {},
): Promise<void> {
  const { item, known: _known, ...ofBench } = options;
  bench = await createModbusBench(ofBench);
  for (const { id } of bench.item.places) bench.set(id, 0);
  rounds = [];
  faults = [];
  known = new Map(options.known);
  source = bench.driver.open(
    { ...bench.item, ...item },
    {
      onReadings: (readings) => rounds.push(readings),
      onFault: (reason) => faults.push(reason),
      occupancyOf: (id) => known.get(id) ?? null,
    },
  );
}

/** Waits for a round of readings that begins after this. */
async function nextReadings(count: number): Promise<SensorReading[]> {
  const seen = rounds.length;
  return waitUntil(`a round with ${count} readings`, () =>
    rounds.slice(seen + 1).find((readings) => readings.length === count),
  );
}
const untilFault = (reason: RegExp) => waitUntil(`the fault ${reason}`, () => reason.test(faults.at(-1) ?? ''));
const untilSound = () => waitUntil('the end of the fault', () => faults.at(-1) === null);

describe('the Modbus driver asks', () => {
  it.each([1, 2, 3, 4] satisfies ModbusRegister['function'][])('with function %i', async (code) => {
    await start({ code, places: 11 });
    bench.set(11, 1);
    const readings = await nextReadings(11);
    expect(readings.at(-1)).toEqual({
      parking_place_id: 11,
      occupancy: 'occupied',
      measured_ms: null,
      raw: 'register 111: 1',
    });
    expect(readings.filter(({ occupancy }) => occupancy === 'free')).toHaveLength(10);
    expect(bench.server().requests[0]).toEqual({ code, start: 101, count: 11 });
  });

  it('for neighbours at once, one request a round', async () => {
    await start({ places: 130 });
    await nextReadings(130);
    const { requests } = bench.server();
    expect(requests.slice(0, 2)).toEqual([
      { code: 3, start: 101, count: 125 },
      { code: 3, start: 226, count: 5 },
    ]);
    expect(rounds.length * 2).toBeGreaterThanOrEqual(requests.length - 2);
  });

  it('around registers that are refused, so that they cost no more than one request each', async () => {
    await start({ places: 8 });
    bench.set(3, null);
    await untilFault(/^register 103: Modbus exception 4 \(server device failure\)$/);
    expect((await nextReadings(7)).map(({ parking_place_id }) => parking_place_id)).toEqual([1, 2, 4, 5, 6, 7, 8]);
    const { requests } = bench.server();
    const before = requests.length;
    await waitUntil('another round', () => requests.length >= before + 4);
    const round = requests.slice(before + 1, before + 4).toSorted((a, b) => a.start - b.start);
    expect(round.map((range) => [range.start, range.count])).toEqual([
      [101, 2],
      [103, 1],
      [104, 5],
    ]);
    bench.set(3, 1);
    await untilSound();
    await nextReadings(8);
  });
});

describe('a server that', () => {
  it('is slow is waited for, and is never asked twice at once', async () => {
    await start();
    bench.server().faults.answerDelayMs = 60;
    await nextReadings(4);
    await nextReadings(4);
    expect(bench.server().underwayMax()).toBe(1);
    expect(faults.filter((reason) => reason !== null)).toEqual([]);
  });

  it('answers byte by byte is understood', async () => {
    await start();
    bench.server().faults.byteGapMs = 2;
    bench.set(2, 1);
    const readings = await nextReadings(4);
    expect(readings.map(({ occupancy }) => occupancy)).toEqual(['free', 'occupied', 'free', 'free']);
  });

  it('is too slow is given up, and asked again over a new connection', async () => {
    await start({ requestTimeoutMs: 80 });
    await nextReadings(4);
    bench.server().faults.answerDelayMs = 400;
    await untilFault(/no answer within 80 ms \(function 3, unit 3, 4 from 101\)/);
    bench.server().faults.answerDelayMs = 0;
    bench.set(1, 1);
    // A late answer to an old question is no answer to the new one.
    expect((await nextReadings(4))[0]).toMatchObject({ parking_place_id: 1, occupancy: 'occupied' });
    await untilSound();
  });

  it('is silent to large requests is asked in the size that it answers', async () => {
    await start({ places: 100, requestTimeoutMs: 80 });
    bench.server().faults.silentAbove = 40;
    await nextReadings(100);
    await untilSound();
    const asked = bench.server().requests.length;
    await waitUntil('more questions', () => bench.server().requests.length > asked + 12);
    expect(
      new Set(
        bench
          .server()
          .requests.slice(asked)
          .map(({ count }) => count),
      ),
    ).toEqual(new Set([25]));
  });

  it('says nothing at all does not keep it from being closed', async () => {
    await start();
    bench.server().faults.isMute = true;
    await waitUntil('a question', () => bench.server().requests.length > 0);
    await source.close();
    await waitUntil('the connection to end', () => bench.server().connections() === 0);
  });

  it('is busy is asked again, over the same connection', async () => {
    await start();
    await nextReadings(4);
    bench.server().faults.isBusy = true;
    await untilFault(/^Modbus exception 6 \(server device busy\)$/);
    const asked = bench.server().requests.length;
    await waitUntil('more questions', () => bench.server().requests.length > asked + 3);
    expect(bench.server().accepted()).toBe(1);
    bench.server().faults.isBusy = false;
    await untilSound();
    await nextReadings(4);
  });

  it('does not know the unit is told as a fault, and nothing is taken for a measurement', async () => {
    await start({ item: { unit: 9 } });
    await untilFault(/^Modbus exception 11 \(gateway target device failed to respond\)$/);
    expect(rounds.flat()).toEqual([]);
  });

  it('answers as another unit is not believed', async () => {
    await start({ requestTimeoutMs: 80 });
    await nextReadings(4);
    bench.server().faults.answersAsUnit = 9;
    await untilFault(/no answer within 80 ms \(function 3, unit 3, \d from 10\d; unit 9 answered with \d+ bytes\)/);
    const believed = rounds.flat().length;
    await waitUntil('another connection', () => bench.server().accepted() > 2);
    expect(rounds.flat()).toHaveLength(believed);
    bench.server().faults.answersAsUnit = null;
    await untilSound();
    await nextReadings(4);
  });

  it('lets another unit answer first is waited for', async () => {
    await start({ requestTimeoutMs: 400 });
    Object.assign(bench.server().faults, { foreignFirst: 9, answerDelayMs: 20 });
    for (const { id } of bench.item.places) bench.set(id, 1);
    for (let round = 0; round < 5; round++) await nextReadings(4);
    expect(rounds.flat().every(({ occupancy }) => occupancy === 'occupied')).toBe(true);
    expect(faults.filter((reason) => reason !== null)).toEqual([]);
  });

  it('says an old answer again is asked for the next one', async () => {
    await start({ requestTimeoutMs: 400 });
    bench.server().faults.saysAgain = true;
    await nextReadings(4);
    // All answers are alike but for their numbers and values.
    for (let round = 0; round < 6; round++) {
      const value = round % 2;
      for (const { id } of bench.item.places) bench.set(id, value);
      const [last] = await nextReadings(4);
      expect(last?.occupancy).toBe(value === 1 ? 'occupied' : 'free');
    }
    expect(faults.filter((reason) => reason !== null)).toEqual([]);
  });

  it('numbers its answers by itself is waited out twice, named, and then understood, though units speak in between', async () => {
    await start({ requestTimeoutMs: 80 });
    Object.assign(bench.server().faults, { ownNumber: 1_000, foreignFirst: 9 });
    for (const { id } of bench.item.places) bench.set(id, 1);
    await untilFault(/an answer came that was numbered 100\d instead of \d+\)/);
    await untilSound();
    const seen = rounds.length;
    for (let round = 0; round < 5; round++) await nextReadings(4);
    expect(
      rounds
        .slice(seen)
        .flat()
        .every(({ occupancy }) => occupancy === 'occupied'),
    ).toBe(true);
    expect(faults.slice(faults.lastIndexOf(null)).length).toBe(1);
    expect(bench.server().accepted()).toBeLessThan(8);
  });

  it.each<[what: string, fault: Partial<ModbusFaults>]>([
    ['that is cut', { cutBytes: 3 }],
    ['with too few registers', { isShort: true }],
  ])('gives an answer %s is not believed, and is asked again', async (_what, fault) => {
    await start({ requestTimeoutMs: 100 });
    await nextReadings(4);
    const { faults: ofServer } = bench.server();
    const sound = { ...ofServer };
    Object.assign(ofServer, fault);
    await waitUntil('the fault', () => typeof faults.at(-1) === 'string');
    const believed = rounds.flat().length;
    for (const { id } of bench.item.places) bench.set(id, 1);
    await waitUntil('another connection', () => bench.server().accepted() > 2);
    expect(rounds.flat()).toHaveLength(believed);
    Object.assign(ofServer, sound);
    await untilSound();
    expect((await nextReadings(4)).map(({ occupancy }) => occupancy)).toEqual(Array(4).fill('occupied'));
  });

  it('is slow, dead or silent never delays another', async () => {
    await start();
    const dead = { ...bench.item, id: 2, address: '127.0.0.1:1' };
    const mute = await createModbusBench();
    mute.server().faults.isMute = true;
    const heard = { onReadings() {}, onFault() {}, occupancyOf: () => null };
    const others = [dead, mute.item, dead, mute.item].map((item) => bench.driver.open(item, heard));
    await waitUntil('questions to the silent one', () => mute.server().requests.length > 0);
    const [before, beganMs] = [rounds.length, performance.now()];
    await waitUntil('ten rounds', () => rounds.length >= before + 10);
    // A question to one of the others is given up after five seconds.
    expect(performance.now() - beganMs).toBeLessThan(4_000);
    for (const other of others) await other.close();
    await mute.remove();
  });

  it('is gone is told before the registers that it refused, each kind of refusal once', async () => {
    await start();
    bench.set(2, null);
    bench.set(4, null);
    const refused = /register \d+, \d+: Modbus exception 4 \(server device failure\)$/;
    await untilFault(new RegExp(`^${refused.source}`));
    await bench.setLink(false);
    await untilFault(new RegExp(`^127\\.0\\.0\\.1:\\d+: .*; ${refused.source}`));
    await bench.setLink(true);
    bench.set(2, 0);
    bench.set(4, 0);
    await untilSound();
  });

  it('hangs up is connected again', async () => {
    await start();
    await nextReadings(4);
    bench.server().hangUp();
    await waitUntil('another connection', () => bench.server().accepted() === 2);
    await untilSound();
    await nextReadings(4);
    expect(faults.filter((reason) => reason !== null)).toEqual([
      expect.stringMatching(/the connection was closed|ECONNRESET/),
    ]);
  });
});

describe('a register', () => {
  const register = { function: 3, base: 100, occupied: { below: 1_500, hysteresis: 100 }, sentinels: [65_534] };

  it('within the hysteresis leaves its place as it is known, also from before the start', async () => {
    await start({ item: { register }, known: [[1, 'occupied']] });
    for (const { id } of bench.item.places) bench.set(id, 1_550);
    const readings = await nextReadings(4);
    expect(readings.map(({ occupancy }) => occupancy)).toEqual(['occupied', 'free', 'free', 'free']);
  });

  it('is no reading, and no fault, when it holds a sentinel', async () => {
    await start({ item: { register } });
    bench.set(2, 65_534);
    const readings = await nextReadings(3);
    expect(readings.map(({ parking_place_id }) => parking_place_id)).toEqual([1, 3, 4]);
    expect(faults.filter((reason) => reason !== null)).toEqual([]);
  });
});
