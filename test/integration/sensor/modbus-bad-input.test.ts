/** Modbus servers and serial device servers that say what nobody asked for: none of it becomes a state, and all of it is bounded. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tcpLineAt } from '../../../agent/sensor/modbus/line-ports.js';
import { createModbusRtuTcpDriver, createModbusTcpDriver } from '../../../agent/sensor/modbus/modbus-driver.js';
import type { SensorDriver, SensorReading, SensorSource } from '../../../agent/sensor/sensor-source.js';
import { modbusRegisterSchema } from '../../../shared/drivers/modbus-register.js';
import { systemClock } from '../../../shared/system-clock.js';
import * as fc from '../../property.js';
import { SEED } from '../../seed.js';
import { answerTo, type ReadRequest, readRequestOf } from '../../../scripts/sim/sensors/modbus-answer.js';
import { sensorItem, sensorPlace } from '../../devices/sensor-item.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const UNIT = 3;
const FRAME_BYTES = 12;
const REGISTERS = [0, 1, 2, 3, 20, 21];

let server: Server;
let sockets: Socket[];
let sources: SensorSource[];
let onBytes: (socket: Socket, bytes: Buffer) => void;

beforeEach(async () => {
  sockets = [];
  sources = [];
  onBytes = () => {};
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => onBytes(socket, Buffer.from(bytes)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  await Promise.all(sources.map((source) => source.close()));
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

const address = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;

function listen(driver: SensorDriver, unit = UNIT) {
  const readings: SensorReading[] = [];
  const item = sensorItem({
    id: unit,
    driver: driver.name,
    address: address(),
    unit,
    poll_ms: 100,
    register: modbusRegisterSchema.parse({ function: 3, occupied: { mask: 1 } }),
    places: REGISTERS.map((sensor) => sensorPlace(sensor, { sensor: String(sensor) })),
  });
  const faults: (string | null)[] = [];
  sources.push(
    driver.open(item, {
      onReadings: (heard) => readings.push(...heard),
      onFault: (fault) => faults.push(fault),
      occupancyOf: () => null,
    }),
  );
  return { readings, faults };
}

describe('a Modbus TCP server', () => {
  interface Said {
    number: number;
    unit: number;
    pdu: Buffer;
  }
  const frame = ({ number, unit, pdu }: Said) => {
    const header = Buffer.alloc(7);
    header.writeUInt16BE(number & 0xffff, 0);
    header.writeUInt16BE(pdu.length + 1, 4);
    header.writeUInt8(unit, 6);
    return Buffer.concat([header, pdu]);
  };
  /** What is said beside the right answer holds the opposite of it. */
  const LIES: Record<string, (request: ReadRequest, said: Said) => Said> = {
    'of another unit': (_, said) => ({ ...said, unit: 9 }),
    'for another function': (request, said) => ({ ...said, pdu: lie({ ...request, code: 4 }) }),
    'for more registers': (request, said) => ({ ...said, pdu: lie({ ...request, count: request.count + 1 }) }),
    'for fewer registers': (request, said) => ({ ...said, pdu: lie({ ...request, count: request.count - 1 }) }),
    'of no function': (_, said) => ({ ...said, pdu: Buffer.of(0) }),
    'an exception of another unit': (request, said) => ({ ...said, unit: 9, pdu: Buffer.of(request.code | 0x80, 2) }),
  };
  const lie = (request: ReadRequest) => answerTo(request, () => 0);
  const truth = (request: ReadRequest) => answerTo(request, () => 1);

  /** Answers each request with so many lies first. @param numbers of its answers */
  function answerWith(lies: [string, number][], numbers: 'as asked' | 'own'): { asked(): number } {
    const known: Record<string, (request: ReadRequest, said: Said) => Said> =
      numbers === 'own'
        ? LIES
        : { ...LIES, 'to an older question': (_, said) => ({ ...said, number: said.number - 1 }) };
    const names = Object.keys(known);
    let asked = 0;
    let own = 70;
    onBytes = (socket, bytes) => {
      const request = bytes.length === FRAME_BYTES ? readRequestOf(bytes.subarray(7)) : null;
      if (request === null) return;
      const number = numbers === 'own' ? own++ : bytes.readUInt16BE(0);
      const [, count] = lies[asked++ % lies.length] ?? ['', 0];
      for (let index = 0; index < count; index++) {
        const [name] = lies[(asked + index) % lies.length] ?? [''];
        const say = known[name] ?? known[names[(asked + index) % names.length] ?? ''];
        if (say !== undefined) socket.write(frame(say(request, { number, unit: UNIT, pdu: lie(request) })));
      }
      socket.write(frame({ number, unit: UNIT, pdu: truth(request) }));
    };
    return { asked: () => asked };
  }

  it.each(['as asked', 'own'] as const)(
    'is read right when it numbers its answers %s, whatever it says before them',
    async (numbers) => {
      const names = fc.constantFrom(...Object.keys(LIES), 'to an older question');
      const lies = fc.sample(fc.tuple(names, fc.nat(4)), { numRuns: 200, seed: SEED });
      const { asked } = answerWith(lies, numbers);
      const { readings, faults } = listen(
        createModbusTcpDriver({ clock: systemClock, random: () => 0, requestTimeoutMs: 250 }),
      );
      await waitUntil('many questions', () => asked() > 40);
      await waitUntil('many readings', () => readings.length > REGISTERS.length * 10);
      expect(readings.filter(({ occupancy }) => occupancy !== 'occupied')).toEqual([]);
      expect(faults.at(-1)).toBeNull();
    },
  );

  it('is a fault, and no state, when it says noise', async () => {
    const noise = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 900 }), { numRuns: 100, seed: SEED });
    let asked = 0;
    onBytes = (socket) => {
      const bytes = Buffer.from(noise[asked++ % noise.length] ?? []);
      // It must not be a right answer by chance.
      if (bytes.length > 7) bytes[7] = 0x63;
      socket.write(bytes);
    };
    const { readings, faults } = listen(
      createModbusTcpDriver({ clock: systemClock, random: () => 0, requestTimeoutMs: 30 }),
    );
    await waitUntil('many questions', () => asked > 8);
    expect(readings).toEqual([]);
    expect(faults.at(-1)).toMatch(/no answer within 30 ms/);
  });
});

describe('a serial device server', () => {
  it('is connected again when it forgot its connection, though several units wait on it', async () => {
    const driver = createModbusRtuTcpDriver({ clock: systemClock, random: () => 0, requestTimeoutMs: 50 });
    for (const unit of [3, 4, 5]) listen(driver, unit);
    await waitUntil('a third connection', () => sockets.length >= 3);
  });

  it('fills nothing when it floods the line', async () => {
    const client = await tcpLineAt(address()).open();
    await waitUntil('the connection', () => sockets.length === 1);
    const INSIDE = { port: '_port', buffer: '_buffer', socket: '_client' } as const;
    type Inside = { [INSIDE.port]: { [INSIDE.buffer]: Buffer; [INSIDE.socket]: Socket } };
    const port = (client as unknown as Inside)[INSIDE.port];
    const flood = Buffer.alloc(2_000_000, 3);
    sockets[0]?.write(flood);
    await waitUntil('the flood to be read', () => port[INSIDE.socket].bytesRead === flood.length);
    expect(port[INSIDE.buffer].length).toBeLessThanOrEqual(256);
    client.destroy(() => {});
  });
});
