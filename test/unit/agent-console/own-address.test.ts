import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { askGateway } from '../../../agent/console/local-client.js';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import { createStatusRoute } from '../../../agent/console/local-routes.js';

const app = createStatusRoute(async () => ({}) as never);
const ask = async (remoteAddress: string, localAddress: string, headers: Record<string, string> = {}) =>
  (await app.request('/status', { headers }, { incoming: { socket: { remoteAddress, localAddress } } })).status;

describe('status where the gateway listens on an address of the network', () => {
  it('answers the device itself, by that address', async () => {
    expect(await ask('192.168.1.5', '192.168.1.5', { host: '192.168.1.5:8090' })).toBe(200);
    expect(await ask('::ffff:192.168.1.5', '::ffff:192.168.1.5', { host: '192.168.1.5:8090' })).toBe(200);
    expect(await ask('fd00::5', 'fd00::5', { host: '[fd00::5]:8090' })).toBe(200);
  });

  it('is nothing to another host, a proxy, or a name made to lead here', async () => {
    expect(await ask('192.168.1.20', '192.168.1.5', { host: '192.168.1.5:8090' })).toBe(404);
    expect(await ask('192.168.1.20', '192.168.1.5', { host: '127.0.0.1:8090' })).toBe(404);
    expect(await ask('192.168.1.5', '192.168.1.5', { host: 'evil.example:8090' })).toBe(404);
    expect(
      await ask('192.168.1.5', '192.168.1.5', { host: '192.168.1.5:8090', 'x-forwarded-for': '192.168.1.20' }),
    ).toBe(404);
    expect(await ask('', '', { host: '127.0.0.1' })).toBe(404);
  });
});

const own = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

describe.runIf(own !== undefined)('a listener on an address of this machine', () => {
  let server: LocalServer | undefined;
  afterEach(() => server?.close());

  it('answers `parking-agent status`', async () => {
    server = await startLocalServer({ app, host: own ?? '', port: 0 });
    expect(
      await askGateway(
        { httpHost: own ?? '', httpPort: server.port },
        { method: 'GET', path: '/status', withinMs: 5_000 },
      ),
    ).toEqual({});
  });
});
