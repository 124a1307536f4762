import { afterEach, describe, expect, it } from 'vitest';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import { createStatusRoute } from '../../../agent/console/local-routes.js';
import { createMetricsRoute } from '../../../agent/console/metrics-route.js';
import { PRODUCT, statusOf } from './view-world.js';

const STATUS = statusOf();

let server: LocalServer | undefined;
afterEach(() => server?.close());

describe('GET /status', () => {
  it('answers whoever is on the device', async () => {
    server = await startLocalServer({ app: createStatusRoute(async () => STATUS), host: '127.0.0.1', port: 0 });
    const response = await fetch(`http://127.0.0.1:${server.port}/status`);
    expect([response.status, await response.json()]).toEqual([200, STATUS]);
  });

  it('is nothing at all to the network', async () => {
    let asked = 0;
    const app = createStatusRoute(async () => {
      asked += 1;
      return STATUS;
    });
    const statusFor = async (remoteAddress: string | undefined) =>
      (await app.request('/status', {}, { incoming: { socket: { remoteAddress } } })).status;
    for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1']) {
      expect([address, await statusFor(address)]).toEqual([address, 200]);
    }
    expect(asked).toBe(4);
    for (const address of [
      '192.168.1.20',
      '::ffff:192.168.1.20',
      '1270.0.0.1',
      '10.127.0.1',
      '::12',
      'fe80::1',
      '',
      undefined,
    ]) {
      expect([address, await statusFor(address)]).toEqual([address, 404]);
    }
    expect(asked).toBe(4);
  });
});

describe('GET /metrics', () => {
  it('counts what needs a person, by kind', async () => {
    const products = [
      { ...PRODUCT, errors: ['jammed' as const, 'sensor_dirty' as const] },
      { ...PRODUCT, paired: false },
    ];
    const app = createMetricsRoute(async () => statusOf({ products }));
    const response = await app.request('/metrics', {}, { incoming: { socket: { remoteAddress: '127.0.0.1' } } });
    const text = await response.text();
    expect(text).toContain('# TYPE parking_agent_troubles gauge\n');
    const counted = text.split('\n').filter((line) => /^parking_agent_troubles.* [1-9]/.test(line));
    expect(counted).toEqual([
      'parking_agent_troubles{kind="product_error"} 2',
      'parking_agent_troubles{kind="product_unpaired"} 1',
    ]);
    expect(text).toContain('parking_agent_troubles{kind="store_failed"} 0\n');
  });
});
