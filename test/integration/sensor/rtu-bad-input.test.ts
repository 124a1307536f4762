/** A serial line with units that misbehave: what is wrong never becomes a state, and never spoils what is right. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createModbusRtuDriver, createModbusRtuTcpDriver } from '../../../agent/sensor/modbus/modbus-driver.js';
import type { SensorDriver, SensorReading, SensorSource } from '../../../agent/sensor/sensor-source.js';
import { modbusRegisterSchema } from '../../../shared/drivers/modbus-register.js';
import type { SensorItem } from '../../../shared/gateway-config.js';
import { systemClock } from '../../../shared/system-clock.js';
import * as fc from '../../property.js';
import { SEED } from '../../seed.js';
import { answerTo, type ReadRequest, readRequestOf } from '../../../scripts/sim/sensors/modbus-answer.js';
import { sensorPlace } from '../../devices/sensor-item.js';
import { rtuFrame, parseRtuRequests } from '../../../scripts/sim/sensors/rtu-frames.js';
import { openSerialDevice, type SerialDevice } from '../../../scripts/sim/sensors/serial-device.js';
import { hasSerialLine } from '../../../scripts/sim/sensors/serial-pair.js';
import { openSerialServer } from '../../../scripts/sim/sensors/serial-server.js';
import { freePorts } from '../../world/free-ports.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const REGISTER = modbusRegisterSchema.parse({ function: 3, occupied: { mask: 1 } });

/** Where the units of a line are reached. */
const LINES = {
  'a serial line': {
    isHere: hasSerialLine(),
    driver: 'modbus-rtu',
    create: createModbusRtuDriver,
    open: openSerialDevice,
    pathIn: (directory: string) => Promise.resolve(join(directory, 'tty')),
  },
  'a serial line behind a serial device server': {
    isHere: true,
    driver: 'modbus-rtu-tcp',
    create: createModbusRtuTcpDriver,
    open: openSerialServer,
    pathIn: async () => `127.0.0.1:${(await freePorts(1))[0]}`,
  },
} as const;

describe.for(Object.entries(LINES).filter(([, { isHere }]) => isHere))('%s', ([, line]) => {
  let directory: string;
  let path: string;
  let device: SerialDevice;
  let driver: SensorDriver;
  let sources: SensorSource[];
  /** How a unit answers with the value 1; a unit that is not here is dead. */
  let units: Map<number, (write: (bytes: Buffer) => void, request: ReadRequest) => void>;
  let asked: number[];
  let timers: Set<NodeJS.Timeout>;

  const right = (unit: number) => rtuFrame(unit, Buffer.of(3, 2, 0, 1));

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rtu-'));
    path = await line.pathIn(directory);
    units = new Map();
    sources = [];
    asked = [];
    timers = new Set();
    let waiting: Buffer = Buffer.alloc(0);
    // A unit that answers late does so on its own line, also after its test.
    const opened = await line.open({ path }, (bytes) => {
      const { requests, rest } = parseRtuRequests(Buffer.concat([waiting, bytes]));
      waiting = rest;
      for (const { unit, pdu } of requests) {
        const request = readRequestOf(pdu);
        if (request === null) throw new Error('the driver only reads');
        asked.push(unit);
        units.get(unit)?.((answer) => opened.write(answer), request);
      }
    });
    device = opened;
    driver = line.create({ clock: systemClock, random: () => 0, requestTimeoutMs: 100 });
  });
  afterEach(async () => {
    await Promise.all(sources.map((source) => source.close()));
    for (const timer of timers) clearTimeout(timer);
    await device.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** The registers hold 1 below 20, and 0 from there. */
  const rightAnswer = (unit: number, request: ReadRequest) =>
    rtuFrame(
      unit,
      answerTo(request, (_code, address) => (address < 20 ? 1 : 0)),
    );

  function answerAfter(unit: number, delayMs: () => number): void {
    units.set(unit, (write, request) => {
      const answer = rightAnswer(unit, request);
      const timer = setTimeout(() => {
        timers.delete(timer);
        write(answer);
      }, delayMs());
      timers.add(timer);
    });
  }

  function listen(unit: number, address = path, own: Partial<SensorItem> = {}) {
    const readings: SensorReading[] = [];
    const faults: (string | null)[] = [];
    const item: SensorItem = {
      id: unit,
      name: `Unit ${unit}`,
      driver: line.driver,
      address,
      unit,
      poll_ms: 100,
      heartbeat_s: 30,
      register: REGISTER,
      application: null,
      places: [
        { id: unit, zone_id: 1, name: 'A', sensor: '0', codec: null, occupied_below_mm: null, hysteresis_mm: null },
      ],
      ...own,
    };
    sources.push(
      driver.open(item, {
        onReadings: (heard) => readings.push(...heard),
        onFault: (reason) => faults.push(reason),
        occupancyOf: () => null,
      }),
    );
    const untilRead = (count = 1) => waitUntil(`unit ${unit} to be read`, () => readings.length >= count);
    const untilFault = (fault: RegExp) =>
      waitUntil(`the fault ${fault}`, () => faults.some((each) => fault.test(each ?? '')));
    return { readings, faults, untilRead, untilFault };
  }

  it('whose answers come byte by byte is understood', async () => {
    units.set(3, (write) => {
      for (const [index, byte] of [...right(3)].entries()) setTimeout(() => write(Buffer.of(byte)), index * 5);
    });
    const heard = listen(3);
    await heard.untilRead(2);
    expect(heard.readings[0]).toMatchObject({ parking_place_id: 3, occupancy: 'occupied' });
  });

  it.each<[name: string, bytes: Buffer]>([
    ['is cut', Buffer.of(3, 3, 2, 0)],
    ['has a wrong checksum', Buffer.of(3, 3, 2, 0, 0, 1, 2)],
    ['is of another unit', rtuFrame(4, Buffer.of(3, 2, 0, 0))],
    ['is noise', Buffer.of(0xff, 0x00, 0x55)],
  ])('on which an answer %s says nothing, until a right one comes', async (_, bytes) => {
    units.set(3, (write) => write(bytes));
    const heard = listen(3);
    await heard.untilFault(/unit 3/);
    expect(heard.readings).toEqual([]);
    units.set(3, (write) => write(right(3)));
    await heard.untilRead();
    expect(heard.readings[0]?.occupancy).toBe('occupied');
  });

  it('with a dead unit and one that lives: the one is a fault, the other is read', async () => {
    units.set(3, (write) => write(right(3)));
    const [living, dead] = [listen(3), listen(9)];
    await dead.untilFault(/unit 9: no answer within \d+ ms/);
    await living.untilRead(living.readings.length + 3);
    expect(dead.readings).toEqual([]);
    expect(asked).toContain(9);
  });

  it.runIf(line.driver === 'modbus-rtu')(
    'is opened once when it is named in two ways, and spoken on in one way',
    async () => {
      const other = join(directory, 'by-id');
      symlinkSync(path, other);
      for (const unit of [3, 4]) units.set(unit, (write) => setTimeout(() => write(right(unit)), 20));
      const [first, second] = [listen(3), listen(4, `${other}?baud=9600&parity=none`)];
      await first.untilRead(5);
      await second.untilRead(5);
      const third = listen(5, `${other}?baud=19200`);
      await third.untilFault(/another parking gateway uses this line with baud=9600&parity=none/);
    },
  );

  const RANGES = [0, 1, 2, 3, 20, 21, 22, 23];
  const places = (unit: number) => RANGES.map((sensor) => sensorPlace(unit * 100 + sensor, { sensor: String(sensor) }));
  const wrong = (readings: readonly SensorReading[]) =>
    readings.filter(({ parking_place_id: id, occupancy }) => occupancy !== (id % 100 < 20 ? 'occupied' : 'free'));

  it('on which answers come late never takes one for that to another question', async () => {
    driver = line.create({ clock: systemClock, random: () => 0, requestTimeoutMs: 80 });
    // From at once to seven times what the unit is said to need; after a silence it is asked again only later.
    const delays = fc.sample(fc.constantFrom(1, 1, 1, 1, 40, 250, 400, 550), { numRuns: 200, seed: SEED });
    let count = 0;
    answerAfter(3, () => delays[count++ % delays.length] ?? 1);
    answerAfter(4, () => 1);
    const own = (unit: number) => ({ poll_ms: 100, places: places(unit) });
    const [late, prompt] = [listen(3, path, own(3)), listen(4, path, own(4))];
    await late.untilRead(RANGES.length * 6);
    await prompt.untilRead(RANGES.length * 6);
    expect([...wrong(late.readings), ...wrong(prompt.readings)]).toEqual([]);
  });

  it('gives a slow unit the time that it needs, and says nothing of it', async () => {
    answerAfter(3, () => 150);
    const heard = listen(3, path, { places: places(3) });
    await heard.untilRead(RANGES.length * 2);
    expect(wrong(heard.readings)).toEqual([]);
    expect(heard.faults.filter((fault) => fault !== null)).toEqual([]);
  });

  it('finds out how much time a unit needs that is slower still, or is told', async () => {
    answerAfter(3, () => 350);
    answerAfter(4, () => 350);
    const notified = listen(4, path, { register: { ...REGISTER, timeout_ms: 400 } });
    await notified.untilRead();
    expect(notified.faults).toEqual([null]);
    const heard = listen(3);
    await heard.untilFault(/unit 3: no answer within 200 ms/);
    await heard.untilRead();
    expect(heard.readings[0]?.occupancy).toBe('occupied');
  });

  it('whose units say anything at all never has a value that was not asked for', async () => {
    driver = line.create({ clock: systemClock, random: () => 0, requestTimeoutMs: 50 });
    // Bytes that are near a right answer: of others, cut, doubled, changed, or for another question.
    const kind = fc.constantFrom(
      'right',
      'other unit',
      'other function',
      'cut',
      'changed',
      'longer',
      'shorter',
      'noise',
    );
    const said = fc.sample(fc.tuple(kind, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 600 })), {
      numRuns: 300,
      seed: SEED,
    });
    let count = 0;
    units.set(3, (write, request) => {
      const [what, number, noise] = said[count++ % said.length] ?? ['right', 0, Buffer.alloc(0)];
      const truth = rightAnswer(3, request);
      // What is said of other registers and by others holds the opposite.
      const lie = (of: Partial<ReadRequest>) => answerTo({ ...request, ...of }, (_code, at) => (at < 20 ? 0 : 1));
      const changed = Buffer.from(truth);
      const at = number % changed.length;
      changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
      const answers = {
        right: truth,
        'other unit': Buffer.concat([rtuFrame(9, lie({})), truth]),
        'other function': rtuFrame(3, lie({ code: 4 })),
        cut: truth.subarray(0, number % truth.length),
        changed,
        longer: rtuFrame(3, lie({ count: request.count + 1 })),
        shorter: rtuFrame(3, lie({ count: Math.max(0, request.count - 1) })),
        noise: Buffer.from(noise),
      };
      write(answers[what]);
    });
    answerAfter(4, () => 1);
    const [strange, sound] = [listen(3, path, { places: places(3) }), listen(4, path, { places: places(4) })];
    await waitUntil('many questions', () => count >= 20);
    await sound.untilRead(sound.readings.length + RANGES.length);
    expect([...wrong(strange.readings), ...wrong(sound.readings)]).toEqual([]);
  });

  it('throws away what nobody has asked for', async () => {
    answerAfter(3, () => 1);
    answerAfter(4, () => 1);
    const [one, other] = [listen(3, path, { places: places(3) }), listen(4, path, { places: places(4) })];
    await one.untilRead(RANGES.length);
    await other.untilRead(RANGES.length);
    // What a unit would answer for registers 0 to 3, said again and again without a question.
    const stray = rtuFrame(3, Buffer.of(3, 8, 0, 1, 0, 1, 0, 1, 0, 1));
    const before = asked.length;
    units.set(4, (write, request) => {
      write(Buffer.concat([rightAnswer(4, request), stray]));
    });
    await waitUntil('more questions', () => asked.length > before + 12);
    expect([...wrong(one.readings), ...wrong(other.readings)]).toEqual([]);
  });
});
