/** The Modbus driver on a serial line: a pair of pseudo-terminals, with a server at the other end that nobody here wrote. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import modbus from 'modbus-serial';
import { createModbusRtuDriver } from '../../agent/sensor/modbus/modbus-driver.js';
import type { Occupancy, SensorDriver } from '../../agent/sensor/sensor-source.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import { systemClock } from '../../shared/system-clock.js';
import { createModbusBench } from './modbus-bench.js';
import { openSerialPair } from '../../scripts/sim/sensors/serial-pair.js';

const UNIT = 3;
const DEVICE_FAILURE = 4;

export interface RtuBench {
  driver: SensorDriver;
  item: SensorItem;
  set(parkingPlaceId: number, occupancy: Occupancy | null): void;
  setLink(isUp: boolean): Promise<void>;
  remove(): Promise<void>;
}

export async function createRtuBench(): Promise<RtuBench> {
  const directory = mkdtempSync(join(tmpdir(), 'serial-'));
  const [near, far] = [join(directory, 'near'), join(directory, 'far')];
  const states = new Map<number, Occupancy | null>();
  let line: Awaited<ReturnType<typeof openSerialPair>> | null = null;
  let server: InstanceType<typeof modbus.ServerSerial> | null = null;
  const { item, remove } = await createModbusBench();
  await remove();

  function register(address: number): number {
    const state = states.get(address - (item.register?.base ?? 0)) ?? null;
    if (state === null) throw Object.assign(new Error('no measurement'), { modbusErrorCode: DEVICE_FAILURE });
    return state === 'occupied' ? 1 : 0;
  }
  async function up(): Promise<void> {
    line = await openSerialPair(near, far);
    const serial = new modbus.ServerSerial(
      { getHoldingRegister: register },
      { path: far, baudRate: 9_600, unitID: UNIT },
    );
    serial.on('error', () => {});
    serial.on('socketError', () => {});
    // A line that goes while it is being opened would reject where nobody listens.
    await new Promise<void>((resolve) => serial.on('initialized', () => resolve()));
    server = serial;
  }
  async function down(): Promise<void> {
    const [pair, serial] = [line, server];
    [line, server] = [null, null];
    await new Promise<void>((resolve) => (serial === null ? resolve() : serial.close(() => resolve())));
    await pair?.close();
  }
  await up();
  return {
    driver: createModbusRtuDriver({ clock: systemClock, random: () => 0, requestTimeoutMs: 300 }),
    item: { ...item, driver: 'modbus-rtu', address: `${near}?baud=9600` },
    set: (id, occupancy) => void states.set(id, occupancy),
    setLink: async (isUp) => {
      if (isUp && line === null) await up();
      if (!isUp) await down();
    },
    async remove() {
      await down();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
