import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, describe, it, vi } from 'vitest';
import { openMqttConnection } from '../../../cloud/equipment/broker/mqtt-connection.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const CONNECTION_ACCEPTED = Buffer.from([0x20, 2, 0, 0]);

let server: Server | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await new Promise((resolve) => server?.close(resolve));
});

describe('the connection to an external broker', () => {
  it('is made again after ever longer pauses when the broker lets it in and throws it out', async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(CONNECTION_ACCEPTED));
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const clock = new FakeClock();
    const url = `mqtt://127.0.0.1:${port}`;
    const connection = await openMqttConnection({
      address: { url, shown: url, ca: null },
      purpose: 'test',
      clock,
      logger: silentLogger,
      onMessage() {},
      onReopen() {},
    });
    for (const pauseMs of [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]) {
      await waitUntil(`a pause of ${pauseMs} ms`, () => clock.nextIn === pauseMs);
      await clock.advance(pauseMs);
    }
    await connection.close();
  });
});
