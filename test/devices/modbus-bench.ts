/** The Modbus driver with a server that it polls, for tests. */
import { createModbusTcpDriver, type ModbusOptions } from '../../agent/sensor/modbus/modbus-driver.js';
import type { SensorDriver } from '../../agent/sensor/sensor-source.js';
import type { ModbusRegister } from '../../shared/drivers/modbus-register.js';
import type { SensorItem } from '../../shared/gateway-config.js';
import { systemClock } from '../../shared/system-clock.js';
import { freePorts } from '../world/free-ports.js';
import { type ModbusServer, serveModbus } from '../../scripts/sim/sensors/modbus-server.js';

const BASE = 100;
const UNIT = 3;
const DEVICE_FAILURE = 4;

export interface ModbusBench {
  driver: SensorDriver;
  /** Places 1, 2 ... at the registers above the base, asked for every 20 ms. */
  item: SensorItem;
  /** Sets the register of a place; null: the server refuses to read it. */
  set(parkingPlaceId: number, value: number | null): void;
  /** The server that answers now. */
  server(): ModbusServer;
  setLink(isUp: boolean): Promise<void>;
  remove(): Promise<void>;
}

export async function createModbusBench(
  options: { places?: number; code?: ModbusRegister['function'] } & Partial<ModbusOptions> = {},
): Promise<ModbusBench> {
  const { places: count = 4, code = 3, ...limits } = options;
  const [port = 0] = await freePorts(1);
  const values = new Map<number, number | null>();
  const serve = () =>
    serveModbus({
      host: '127.0.0.1',
      port,
      unit: UNIT,
      clock: systemClock,
      read: (asked, address) => (asked === code ? values.get(address - BASE) : null) ?? { exception: DEVICE_FAILURE },
    });
  let server: ModbusServer | null = await serve();
  const places = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    zone_id: 1,
    name: `A${index + 1}`,
    sensor: String(index + 1),
    codec: null,
    occupied_below_mm: null,
    hysteresis_mm: null,
  }));
  return {
    driver: createModbusTcpDriver({ clock: systemClock, random: () => 0, ...limits }),
    item: {
      id: 1,
      name: 'Guidance',
      driver: 'modbus-tcp',
      address: `127.0.0.1:${port}`,
      unit: UNIT,
      poll_ms: 20,
      heartbeat_s: 30,
      register: { function: code, base: BASE, occupied: { mask: 1 }, sentinels: [] },
      application: null,
      places,
    },
    set: (parkingPlaceId, value) => void values.set(parkingPlaceId, value),
    server() {
      if (server === null) throw new Error('there is no server now');
      return server;
    },
    async setLink(isUp) {
      if (isUp) server ??= await serve();
      else {
        await server?.close();
        server = null;
      }
    },
    async remove() {
      await server?.close();
    },
  };
}
