/** The driver of serial lines behind a serial device server, with one unit on the line. */
import { createModbusRtuTcpDriver } from '../../agent/sensor/modbus/modbus-driver.js';
import { systemClock } from '../../shared/system-clock.js';
import type { Occupancy } from '../../agent/sensor/sensor-source.js';
import { EXCEPTION } from '../../scripts/sim/sensors/modbus-answer.js';
import { createModbusBench } from './modbus-bench.js';
import type { RtuBench } from './rtu-bench.js';
import { createRtuLines } from '../../scripts/sim/sensors/rtu-lines.js';

export async function createRtuTcpBench(): Promise<RtuBench> {
  const { item, remove } = await createModbusBench();
  // Its port is free from now on.
  await remove();
  const { address, unit, register } = item;
  const states = new Map<number, Occupancy | null>();
  const lines = createRtuLines();
  let isUp = false;
  async function setLink(toUp: boolean): Promise<void> {
    if (toUp === isUp) return;
    isUp = toUp;
    if (!toUp) return lines.close();
    await lines.addUnit(address, unit ?? 1, (_code, at) => {
      const state = states.get(at - (register?.base ?? 0)) ?? null;
      if (state === null) return { exception: EXCEPTION.deviceFailure };
      return state === 'occupied' ? 1 : 0;
    });
  }
  await setLink(true);
  return {
    driver: createModbusRtuTcpDriver({ clock: systemClock, random: () => 0, requestTimeoutMs: 300 }),
    item: { ...item, driver: 'modbus-rtu-tcp' },
    set: (id, occupancy) => void states.set(id, occupancy),
    setLink,
    remove: () => setLink(false),
  };
}
