/** The Modbus drivers with a server that others wrote, and with the faults that it has on purpose. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModbusConnection } from '../../../agent/sensor/modbus/modbus-connection.js';
import { createModbusRtuDriver, createModbusTcpDriver } from '../../../agent/sensor/modbus/modbus-driver.js';
import { connectModbusTcp } from '../../../agent/sensor/modbus/modbus-tcp-connection.js';
import type { SensorDriver, SensorReading, SensorSource } from '../../../agent/sensor/sensor-source.js';
import { type ModbusRegister, modbusRegisterSchema } from '../../../shared/drivers/modbus-register.js';
import type { SensorItem } from '../../../shared/gateway-config.js';
import { systemClock } from '../../../shared/system-clock.js';
import { buildLibmodbusServer, LIBMODBUS } from '../../devices/libmodbus-server.js';
import { hasSerialLine, openSerialPair } from '../../../scripts/sim/sensors/serial-pair.js';
import { sensorItem, sensorPlace } from '../../devices/sensor-item.js';
import { freePorts } from '../../world/free-ports.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const [port = 0] = await freePorts(1);
const server = await buildLibmodbusServer(port);
const lines = mkdtempSync(join(tmpdir(), 'libmodbus-line-'));
const [near, far] = [join(lines, 'near'), join(lines, 'far')];
const serialServer = hasSerialLine() ? await buildLibmodbusServer(far) : null;

afterAll(async () => {
  await server?.remove();
  await serialServer?.remove();
  rmSync(lines, { recursive: true, force: true });
});

/** A parking gateway whose places are registers from `base` on. */
const itemOf = (register: object, places: number, address: string): SensorItem =>
  sensorItem({
    driver: 'modbus-tcp',
    address,
    unit: LIBMODBUS.unit,
    poll_ms: 20,
    register: modbusRegisterSchema.parse(register),
    places: Array.from({ length: places }, (_, index) => sensorPlace(index + 1, { sensor: String(index) })),
  });

function open(driver: SensorDriver, item: SensorItem) {
  const rounds: SensorReading[][] = [];
  const faults: (string | null)[] = [];
  const source: SensorSource = driver.open(item, {
    onReadings: (readings) => rounds.push(readings),
    onFault: (reason) => faults.push(reason),
    occupancyOf: () => null,
  });
  return { rounds, faults, source };
}

const INPUT_BITS = [0xac, 0xdb, 0x35].flatMap((byte) => [0, 1, 2, 3, 4, 5, 6, 7].map((bit) => (byte >> bit) & 1));

describe.runIf(server !== null)('the server of libmodbus over TCP', () => {
  let connection: ModbusConnection | null = null;

  beforeEach(() => server?.serve());
  afterEach(async () => {
    connection?.close();
    await server?.stop();
  });

  /** It listens a moment after its start. */
  async function connect(unit: number = LIBMODBUS.unit, requestTimeoutMs = 2_000): Promise<ModbusConnection> {
    connection = await waitUntil('the server to listen', () =>
      connectModbusTcp({
        host: '127.0.0.1',
        port,
        unit,
        clock: systemClock,
        connectTimeoutMs: 1_000,
        requestTimeoutMs,
        signal: new AbortController().signal,
      }).catch(() => null),
    );
    return connection;
  }
  const read = (from: ModbusConnection, code: ModbusRegister['function'], start: number, count = 1) =>
    from.read({ function: code, range: { start, count } });

  it('is read with every function, to the last bit', async () => {
    const from = await connect();
    expect(await read(from, 2, LIBMODBUS.inputBits, 22)).toEqual(INPUT_BITS.slice(0, 22));
    expect(await read(from, 4, LIBMODBUS.inputRegister)).toEqual([10]);
    expect(await read(from, 3, LIBMODBUS.registers, 16)).toEqual(Array.from({ length: 16 }, () => 0));
    expect(await read(from, 1, 0x130, 0x25)).toHaveLength(0x25);
  });

  it('refuses what it does not have, and is busy: both are exceptions of their own', async () => {
    const from = await connect();
    await expect(read(from, 3, 0x1000)).rejects.toMatchObject({ name: 'ModbusException', code: 2 });
    await expect(read(from, 3, LIBMODBUS.busy)).rejects.toMatchObject({ name: 'ModbusException', code: 6 });
    expect(await read(from, 4, LIBMODBUS.inputRegister)).toEqual([10]);
  });

  it('answers with a wrong transaction id, which is not taken for an answer', async () => {
    const from = await connect(LIBMODBUS.unit, 300);
    await expect(read(from, 3, LIBMODBUS.wrongTransaction)).rejects.toThrow();
  });

  it('answers after half a second, and byte by byte as another unit', async () => {
    const from = await connect(255);
    expect(await read(from, 3, LIBMODBUS.halfASecond)).toEqual([0]);
    expect(await read(from, 3, LIBMODBUS.byteByByte)).toEqual([0]);
    connection?.close();
    await server?.serve();
    const other = await connect(LIBMODBUS.unit, 300);
    await expect(read(other, 3, LIBMODBUS.byteByByte)).rejects.toThrow();
  });

  it('answers fewer registers than were asked for, of which none is believed', async () => {
    const from = await connect(LIBMODBUS.unit, 300);
    await expect(read(from, 3, LIBMODBUS.registers, 2)).rejects.toThrow();
  });

  it('ends, and the driver goes on when it is there again', async () => {
    const register = { function: 2, base: LIBMODBUS.inputBits, occupied: { mask: 1 } };
    const driver = createModbusTcpDriver({ clock: systemClock, random: () => 0 });
    const { rounds, faults, source } = open(driver, itemOf(register, 22, `127.0.0.1:${port}`));
    const wholeRound = () => rounds.find((readings) => readings.length === 22);
    const readings = await waitUntil('a round', wholeRound);
    expect(readings.map(({ occupancy }) => (occupancy === 'occupied' ? 1 : 0))).toEqual(INPUT_BITS.slice(0, 22));
    await server?.stop();
    await waitUntil('the fault', () => typeof faults.at(-1) === 'string');
    rounds.length = 0;
    await server?.serve();
    await waitUntil('another round', wholeRound);
    await waitUntil('the end of the fault', () => faults.at(-1) === null);
    await source.close();
  });
});

describe.runIf(serialServer !== null)('the server of libmodbus on a serial line', () => {
  it('is read by the driver', async () => {
    const line = await openSerialPair(near, far);
    await serialServer?.serve();
    const register = { function: 2, base: LIBMODBUS.inputBits, occupied: { mask: 1 } };
    const driver = createModbusRtuDriver({ clock: systemClock, random: () => 0 });
    const { rounds, source } = open(driver, { ...itemOf(register, 22, near), driver: 'modbus-rtu' });
    const readings = await waitUntil('a round', () => rounds.find((each) => each.length === 22));
    expect(readings.map(({ occupancy }) => (occupancy === 'occupied' ? 1 : 0))).toEqual(INPUT_BITS.slice(0, 22));
    await source.close();
    await serialServer?.stop();
    await line.close();
  });
});
