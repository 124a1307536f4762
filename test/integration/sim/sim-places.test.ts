import { afterEach, describe, expect, it } from 'vitest';
import type { ModbusConnection } from '../../../agent/sensor/modbus/modbus-connection.js';
import { connectModbusTcp } from '../../../agent/sensor/modbus/modbus-tcp-connection.js';
import { createRegisterRounds } from '../../../agent/sensor/modbus/register-rounds.js';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import type { ModbusRegister } from '../../../shared/drivers/modbus-register.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { carParkOf } from '../../../scripts/sim/car-park.js';
import { createEmulatedSim, type EmulatedSim } from '../../../scripts/sim/create-emulated-sim.js';
import { freePorts } from '../../world/free-ports.js';

const MASK = { function: 2, base: 0, occupied: { mask: 1 }, sentinels: [] } satisfies ModbusRegister;
const DISTANCE = {
  function: 4,
  base: 50,
  occupied: { below: 1_500, hysteresis: 100 },
  sentinels: [750, 2_100],
} satisfies ModbusRegister;

let sim: EmulatedSim;
let ports: number[];
let connections: ModbusConnection[];

afterEach(async () => {
  for (const connection of connections) connection.close();
  await sim.close();
});

/** Two lots with a place A1 each, behind a mask and a threshold. */
async function start(): Promise<void> {
  ports = await freePorts(2);
  connections = [];
  const lot = (name: string, port: number | undefined, register: ModbusRegister) => `
      - name: ${name}
        zones:
          - name: Level 0
            places:
              - {name: A1, parking_gateway: G, sensor: "1"}
              - {name: ${name}-2, parking_gateway: G, sensor: "2"}
              - {name: None}
        parking_gateways:
          - {name: G, driver: modbus-tcp, address: "127.0.0.1:${port}", register: ${JSON.stringify(register)}}`;
  const text = `version: 1\naccounts:\n  - name: A\n    lots:${lot('North', ports[0], MASK)}${lot('South', ports[1], DISTANCE)}\n`;
  const carPark = carParkOf(readSiteFile('site.yaml', text).site, silentLogger);
  sim = await createEmulatedSim({ carPark, agents: { byGateway: new Map() }, control: { host: '127.0.0.1', port: 0 } });
}

async function control(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://127.0.0.1:${sim.controlPort}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** What an agent reads now of the two places of a lot; a silent one is not there. */
function listen(port: number | undefined, register: ModbusRegister) {
  const rounds = createRegisterRounds(register, {
    poll_ms: 1_000,
    addresses: [register.base + 1, register.base + 2],
  });
  return async () => {
    const limits = { connectTimeoutMs: 5_000, requestTimeoutMs: 5_000, signal: new AbortController().signal };
    const server = { host: '127.0.0.1', port: port ?? 0, unit: 1 };
    const connection = await connectModbusTcp({ ...server, ...limits, clock: systemClock });
    connections.push(connection);
    const { values } = await rounds.read({ read: connection.read, renew: (fault) => Promise.reject(fault) });
    return Object.fromEntries([...values].map(([address, value]) => [address - register.base, value]));
  };
}

describe('the places of the simulated car park', () => {
  it('are what a Modbus client reads, by the rule of their parking gateway', async () => {
    await start();
    const north = listen(ports[0], MASK);
    const south = listen(ports[1], DISTANCE);
    expect([await north(), await south()]).toEqual([
      { 1: 0, 2: 0 },
      { 1: 2_099, 2: 2_099 },
    ]);
    await control('PATCH', '/places/North-2', { occupied: true });
    await control('PATCH', '/places/South-2', { occupied: true });
    expect([await north(), await south()]).toEqual([
      { 1: 0, 2: 1 },
      { 1: 2_099, 2: 749 },
    ]);
    await control('PATCH', '/places/North-2', { silent: true });
    expect(await north()).toEqual({ 1: 0 });
    await control('PATCH', '/places/North-2', { silent: false });
    expect(await north()).toEqual({ 1: 0, 2: 1 });
  });

  it('are listed, and changed one by one', async () => {
    await start();
    const view = { parking_gateway: 'G', sensor: '1', occupied: false, silent: false };
    const { body } = await control('GET', '/');
    expect(body).toMatchObject({
      places: [
        { name: 'A1', lot: 'North', ...view },
        { name: 'North-2', lot: 'North', ...view, sensor: '2' },
        { name: 'A1', lot: 'South', ...view },
        { name: 'South-2', lot: 'South', ...view, sensor: '2' },
      ],
    });
    expect(await control('PATCH', '/places/A1?lot=South', { occupied: true, silent: true })).toEqual({
      status: 200,
      body: { name: 'A1', lot: 'South', ...view, occupied: true, silent: true },
    });
    expect(sim.places.map((place) => place.view().occupied)).toEqual([false, false, true, false]);
  });

  it('refuse unknown names, names of several lots, and bad values', async () => {
    await start();
    const refused = async (path: string, body: object) => {
      const answer = await control('PATCH', path, body);
      const { errors } = answer.body as { errors: { code: number; field?: string; message: string }[] };
      return [answer.status, errors[0]?.code, errors[0]?.field];
    };
    expect(await refused('/places/A9', { occupied: true })).toEqual([404, 6, undefined]);
    expect(await refused('/places/North-2?lot=South', { occupied: true })).toEqual([404, 6, undefined]);
    expect(await refused('/places/A1', { occupied: true })).toEqual([422, 23, 'lot']);
    expect(await refused('/places/North-2', { occupied: 'yes' })).toEqual([422, 23, 'occupied']);
    expect(await refused('/places/North-2', { free: true })).toEqual([422, 23, 'free']);
  });

  it('are not there when their address is taken', async () => {
    await start();
    const occupied = {
      lot: 'X',
      name: 'G',
      driver: 'modbus-tcp' as const,
      address: `127.0.0.1:${ports[0]}`,
      unit: 1,
      register: MASK,
      application: null,
      mapping: null,
      gateway_uuid: null,
    };
    const site = { gateways: [], products: [], cameras: [], displays: [] };
    const carPark = { ...site, parkingGateways: [{ ...occupied, places: [] }] };
    await expect(createEmulatedSim({ carPark, agents: { byGateway: new Map() } })).rejects.toThrow(
      /cannot listen on .*EADDRINUSE/,
    );
    const nowhere = { ...occupied, address: 'guidance', places: [] };
    await expect(
      createEmulatedSim({ carPark: { ...carPark, parkingGateways: [nowhere] }, agents: { byGateway: new Map() } }),
    ).rejects.toThrow('parking gateway G: cannot listen on "guidance"');
  });
});
