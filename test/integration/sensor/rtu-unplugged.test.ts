/** A serial adapter that is unplugged. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serialLineAt } from '../../../agent/sensor/modbus/line-ports.js';
import { openSerialDevice } from '../../../scripts/sim/sensors/serial-device.js';
import { hasSerialLine } from '../../../scripts/sim/sensors/serial-pair.js';

describe.runIf(hasSerialLine())('a serial adapter that is unplugged', () => {
  it('ends nothing but its questions, also those that are on their way while the line closes', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rtu-'));
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    process.on('uncaughtException', onError);
    try {
      for (let round = 0; round < 10; round += 1) {
        const path = join(directory, `tty${round}`);
        const device = await openSerialDevice({ path }, () => {});
        const client = await serialLineAt(path).open();
        client.setTimeout(50);
        const unplugged = device.close();
        const questions = [1, 2].map(() => client.readHoldingRegisters(0, 1));
        const closed = new Promise<void>((resolve) => client.close(() => resolve()));
        expect((await Promise.allSettled(questions)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
        await Promise.all([unplugged, closed]);
      }
      expect(errors).toEqual([]);
    } finally {
      process.off('uncaughtException', onError);
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
