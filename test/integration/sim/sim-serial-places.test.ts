import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createModbusRtuDriver, createModbusRtuTcpDriver } from '../../../agent/sensor/modbus/modbus-driver.js';
import type { Occupancy, SensorSource } from '../../../agent/sensor/sensor-source.js';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { modbusRegisterSchema } from '../../../shared/drivers/modbus-register.js';
import type { SensorItem } from '../../../shared/gateway-config.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { carParkOf } from '../../../scripts/sim/car-park.js';
import { createEmulatedSim, type EmulatedSim } from '../../../scripts/sim/create-emulated-sim.js';
import { sensorItem, sensorPlace } from '../../devices/sensor-item.js';
import { openSerialDevice } from '../../../scripts/sim/sensors/serial-device.js';
import { hasSerialLine } from '../../../scripts/sim/sensors/serial-pair.js';
import { freePorts } from '../../world/free-ports.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const PROGRAM = fileURLToPath(new URL('../../../scripts/sim/main.js', import.meta.url));
const MASK = '{function: 2, base: 0, occupied: {mask: 1}}';
const DISTANCE = '{function: 4, base: 50, occupied: {below: 1500, hysteresis: 100}}';

describe.runIf(hasSerialLine())('the simulated places on a serial line', () => {
  let folder: string;
  let device: string;
  let sim: EmulatedSim | null;
  let sources: SensorSource[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sim-line-'));
    device = join(folder, 'ttyS0');
    sim = null;
    sources = [];
  });
  afterEach(async () => {
    await Promise.all(sources.map((source) => source.close()));
    await sim?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Two parking gateways on one line, each a unit of its own. */
  const siteOf = ({
    address = device,
    units = [3, 4],
    driver = 'modbus-rtu',
    query = '?baud=19200&parity=even',
  } = {}) => `version: 1
accounts:
  - name: A
    lots:
      - name: North
        zones:
          - name: Level 0
            places:
              - {name: M1, parking_gateway: Mask, sensor: "1"}
              - {name: M2, parking_gateway: Mask, sensor: "2"}
              - {name: D1, parking_gateway: Distance, sensor: "1"}
        parking_gateways:
          - {name: Mask, driver: ${driver}, address: "${address}${query}", unit: ${units[0]}, register: ${MASK}}
          - {name: Distance, driver: ${driver}, address: "${address}", unit: ${units[1]}, register: ${DISTANCE}}
`;
  async function start(site = siteOf()): Promise<EmulatedSim> {
    const carPark = carParkOf(readSiteFile('site.yaml', site).site, silentLogger);
    sim = await createEmulatedSim({ carPark, agents: { byGateway: new Map() } });
    return sim;
  }
  async function change(name: string, body: { occupied?: boolean; silent?: boolean }): Promise<void> {
    const answer = await sim?.controlApp.request(`/places/${name}`, { method: 'PATCH', body: JSON.stringify(body) });
    expect(answer?.status).toBe(200);
  }

  const serial = () => ({ driver: 'modbus-rtu' as const, address: `${device}?baud=19200&parity=even` });

  /** What the agent's driver says of sensors "1" and "2" of a unit now, and what is wrong. */
  function listen(unit: number, register: object, over: Pick<SensorItem, 'driver' | 'address'> = serial()) {
    const heard = new Map<number, Occupancy | null>();
    const faults: (string | null)[] = [];
    const create = over.driver === 'modbus-rtu' ? createModbusRtuDriver : createModbusRtuTcpDriver;
    const driver = create({ clock: systemClock, random: () => 0 });
    const item = sensorItem({
      ...over,
      unit,
      poll_ms: 20,
      register: modbusRegisterSchema.parse(register),
      places: [1, 2].map((id) => sensorPlace(id, { sensor: String(id) })),
    });
    const source = driver.open(item, {
      onReadings: (readings) => {
        for (const { parking_place_id, occupancy } of readings) heard.set(parking_place_id, occupancy);
      },
      onFault: (reason) => faults.push(reason),
      occupancyOf: (id) => heard.get(id) ?? null,
    });
    sources.push(source);
    return {
      until: (states: Record<number, Occupancy>) =>
        waitUntil(
          `unit ${unit} to say ${JSON.stringify(states)}`,
          () => JSON.stringify(Object.fromEntries(heard)) === JSON.stringify(states),
        ),
      untilFault: (fault: RegExp | null) =>
        waitUntil(`the fault ${fault}`, () => {
          const last = faults.at(-1);
          return fault === null ? last === null : typeof last === 'string' && fault.test(last);
        }),
      close: () => source.close(),
    };
  }

  it('are what the driver reads, by the rule of their parking gateway', async () => {
    await start();
    const mask = listen(3, { function: 2, base: 0, occupied: { mask: 1 } });
    await mask.until({ 1: 'free', 2: 'free' });
    await change('M2', { occupied: true });
    await mask.until({ 1: 'free', 2: 'occupied' });
    await change('M1', { silent: true });
    await mask.untilFault(/server device failure/);
    await change('M2', { occupied: false });
    await mask.until({ 1: 'free', 2: 'free' });
    await change('M1', { silent: false });
    await mask.untilFault(null);

    // The device is opened and closed as often as programs like.
    await mask.close();
    const distance = listen(4, { function: 4, base: 50, occupied: { below: 1_500, hysteresis: 100 } });
    await change('D1', { occupied: true });
    await distance.until({ 1: 'occupied' });
    await distance.untilFault(/illegal data address/);
    await distance.close();
    await listen(5, { function: 2, base: 0, occupied: { mask: 1 } }).untilFault(/unit 5: no answer within/);
  });

  it('are read behind a serial device server too, in the byte order of their parking gateway', async () => {
    const address = `127.0.0.1:${(await freePorts(1))[0]}`;
    const over = { driver: 'modbus-rtu-tcp', address } as const;
    const swapped = '{function: 4, base: 50, byte_order: CDAB, occupied: {below: 1500, hysteresis: 100}}';
    await start(siteOf({ ...over, query: '' }).replace(DISTANCE, swapped));
    const mask = listen(3, { function: 2, base: 0, occupied: { mask: 1 } }, over);
    await mask.until({ 1: 'free', 2: 'free' });
    const rule = { function: 4, base: 50, occupied: { below: 1_500, hysteresis: 100 } };
    const distance = listen(4, { ...rule, byte_order: 'CDAB' }, over);
    await distance.until({ 1: 'free' });
    await change('M2', { occupied: true });
    await change('D1', { occupied: true });
    await mask.until({ 1: 'free', 2: 'occupied' });
    await distance.until({ 1: 'occupied' });
  });

  it('go with the simulator and come back with it, and the driver goes on', async () => {
    await start();
    const mask = listen(3, { function: 2, base: 0, occupied: { mask: 1 } });
    await mask.until({ 1: 'free', 2: 'free' });
    await sim?.close();
    expect(existsSync(device)).toBe(false);
    await mask.untilFault(/./);
    await start();
    await change('M1', { occupied: true });
    await mask.until({ 1: 'occupied', 2: 'free' });
  });

  it('leave no device behind when the simulator is killed', async () => {
    const [port = 0] = await freePorts(1);
    const site = join(folder, 'site.yaml');
    writeFileSync(site, siteOf());
    const options = ['--site', site, '--radio', join(folder, 'radio'), '--control', `127.0.0.1:${port}`];
    const program = spawn(process.execPath, [PROGRAM, ...options], { stdio: 'ignore' });
    try {
      await waitUntil('the device', () => existsSync(device));
    } finally {
      program.kill('SIGKILL');
    }
    await waitUntil('the device to go', () => !existsSync(device));
  });

  it('are refused where their device cannot be made: bad input', async () => {
    const refused = 'parking gateway Mask: cannot be a serial line at';
    const missing = join(folder, 'none', 'ttyS0');
    await expect(start(siteOf({ address: missing }))).rejects.toThrow(`${refused} "${missing}": symlink(`);
    await expect(start(siteOf({ address: 'ttyS0' }))).rejects.toThrow(
      'address: must be a serial port such as /dev/ttyUSB0',
    );
    await expect(start(siteOf({ address: '/tmp/a,exec' }))).rejects.toThrow('a path is letters, digits and /._+- here');

    const file = join(folder, 'file');
    writeFileSync(file, 'mine');
    await expect(start(siteOf({ address: file }))).rejects.toThrow(`${refused} "${file}": something is there already`);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await expect(start(siteOf({ units: [3, 3] }))).rejects.toThrow('Distance: cannot be a serial line');
    expect(existsSync(device)).toBe(false);
  });

  it('say what to install when socat is missing', async () => {
    const program = join(folder, 'socat');
    await expect(openSerialDevice({ path: device, program }, () => {})).rejects.toThrow(
      `${program} is not installed: install Debian's package socat (scripts/setup --test does)`,
    );
  });

  it('take the place of a link that leads nowhere', async () => {
    symlinkSync(join(folder, 'gone'), device);
    await start();
    await listen(3, { function: 2, base: 0, occupied: { mask: 1 } }).until({ 1: 'free', 2: 'free' });
  });
});
