/** A parking gateway whose sensors are registers: Modbus clients read whether its places are occupied. */
import type { Clock } from '../../../shared/clock.js';
import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import type { CarParkParkingGateway } from '../car-park.js';
import { type ModbusServer, serveModbus } from './modbus-server.js';
import type { SimPlace } from './sim-place.js';

const ILLEGAL_ADDRESS = 2;
const DEVICE_FAILURE = 4;
const REGISTER_MAX = 65_535;
/** A free place measures this much more than its threshold. */
const FREE_MARGIN = 500;

/** @throws when its address is invalid or in use */
export function startModbusGateway(
  gateway: CarParkParkingGateway,
  { places, clock }: { places: ReadonlyMap<string, SimPlace>; clock: Clock },
): Promise<ModbusServer> {
  const { name, address, unit, register } = gateway;
  const [, host, port] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(address) ?? [];
  if (host === undefined || register === null) {
    throw new Error(`parking gateway ${name}: cannot listen on "${address}"; give it as host:port, with a register`);
  }
  return serveModbus({
    host,
    port: Number(port),
    unit,
    clock,
    read(code, at) {
      const place = places.get(String(at - register.base));
      if (code !== register.function || place === undefined) return { exception: ILLEGAL_ADDRESS };
      const { occupied, silent } = place.view();
      return silent ? { exception: DEVICE_FAILURE } : measured(register, occupied);
    },
  });
}

/** What a sensor of this kind shows. */
function measured({ occupied: rule, sentinels }: ModbusRegister, occupied: boolean): number {
  if ('mask' in rule) return occupied ? rule.mask : 0;
  let value = occupied
    ? Math.floor(rule.below / 2)
    : Math.min(REGISTER_MAX, rule.below + rule.hysteresis + FREE_MARGIN);
  while (sentinels.includes(value)) value -= 1;
  return value;
}
