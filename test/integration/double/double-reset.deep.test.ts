import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDouble } from '../../../scripts/sim/double/create-double.js';
import { listenHttp } from '../../../scripts/sim/http-listener.js';
import { TEST_SITE } from '../../world/site.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { type DoubleBench, doubleSite, startDoubleBench } from './double-bench.js';

describe('a test double', () => {
  let bench: DoubleBench;

  beforeAll(async () => {
    bench = await startDoubleBench();
  });
  afterAll(() => bench?.double.close());

  it('delivers webhooks to this machine', async () => {
    const received: { type: string; isGenuine: boolean }[] = [];
    let secret = '';
    const receiver = await listenHttp(
      async (request) => {
        const text = await request.text();
        const signed = `${request.headers.get('webhook-id')}.${request.headers.get('webhook-timestamp')}.${text}`;
        const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
        const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
        const { type } = JSON.parse(text) as { type: string };
        received.push({ type, isGenuine: request.headers.get('webhook-signature') === signature });
        return new Response();
      },
      { host: '127.0.0.1', port: 0 },
    );
    const url = `http://127.0.0.1:${receiver.port}/`;
    const made = await bench.api<{ secret: string }>('POST', '/v2/webhooks', { url, events: ['session_create'] });
    secret = made.body.secret;
    await bench.control('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG200AA' });
    await waitUntil('the webhook', () => received.length > 0);
    expect(received).toEqual([{ type: 'session_create', isGenuine: true }]);
    await receiver.close();
  });

  it('delivers them to no other address that is not public', async () => {
    const url = 'http://169.254.169.254/latest/meta-data';
    const { body: made } = await bench.api<{ id: string }>('POST', '/v2/webhooks', { url, events: ['session_create'] });
    const sent = await bench.api<Record<string, unknown>>('POST', `/v2/webhooks/${made.id}/test`, {
      event: 'session_create',
    });
    expect(sent.body).toMatchObject({ status_code: null, error: expect.stringContaining('neither a public one') });
  });

  it('goes back to what it began with, under the same addresses and tokens', async () => {
    await bench.control('PATCH', `/gateways/${TEST_SITE.gatewayUuid}`, { online: false });
    await bench.control('PATCH', `/products/${TEST_SITE.barrier}`, { jammed: true });
    await bench.control('PUT', '/faults', { rules: [{ times: null, fault: { kind: 'cut' } }] });
    await bench.control('POST', '/clock', { advance_s: 86_400 });
    const { status, body } = await bench.control<{ now: string }>('POST', '/reset');
    expect(status).toBe(200);
    expect(Math.abs(Date.parse(body.now) - Date.now())).toBeLessThan(60_000);
    expect((await bench.control('GET', '/faults')).body).toEqual({ rules: [] });
    const { body: gateways } = await bench.control<{ gateways: { online: boolean }[] }>('GET', '/gateways');
    expect(gateways.gateways.every(({ online }) => online)).toBe(true);
    expect((await bench.control(`GET`, `/products/${TEST_SITE.barrier}`)).body).toMatchObject({
      jammed: false,
      moves: 0,
    });
    for (const path of ['/v2/sessions', '/v2/webhooks', '/v2/plate-readings'])
      expect(await bench.api('GET', path)).toMatchObject({ status: 200, body: [] });

    await bench.control('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG200AA' });
    await waitUntil('a session', async () => (await bench.api<unknown[]>('GET', '/v2/sessions')).body.length === 1);
  });

  it('lists gateways, cameras and products, and has the rest of the control interface', async () => {
    const { body } = await bench.control<{ products: unknown[]; cameras: unknown[]; places: unknown[] }>('GET', '/');
    expect([body.products.length, body.cameras.length, body.places.length]).toEqual([2, 2, 3]);
    expect((await bench.control('GET', '/nothing')).status).toBe(404);
    expect((await bench.control('PATCH', '/places/A1', { occupied: true })).status).toBe(200);
    await waitUntil('the place to be occupied', async () => {
      const places = await bench.api<{ name: string; occupancy_status: string }[]>('GET', '/v2/parking-places');
      return places.body.some(({ name, occupancy_status }) => name === 'A1' && occupancy_status === 'occupied');
    });
  });
});

describe('where a test double keeps its data', () => {
  const leftOf = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('parking-sim-'));
  const site = { name: 'site.yaml', text: doubleSite() };

  it('is gone after its end, unless it was given a directory', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'double-data-'));
    const kept = await createDouble({ site, freeDevicePorts: true, dataDir: join(folder, 'new') });
    await kept.close();
    expect((await readdir(join(folder, 'new'))).toSorted()).toEqual(['cloud', 'gateways']);
    await expect(createDouble({ site, freeDevicePorts: true, dataDir: folder })).rejects.toThrow('is not empty');
    await rm(folder, { recursive: true });

    const before = await leftOf();
    const double = await createDouble({ site, freeDevicePorts: true, startMs: Date.UTC(2026, 11, 24) });
    expect((await leftOf()).length).toBeGreaterThan(before.length - 1);
    const clock = await (await fetch(`${double.controlUrl}/clock`)).json();
    expect(clock).toMatchObject({ now: expect.stringMatching(/^2026-12-24T00:0/) });
    await double.close();
    await expect(fetch(double.baseUrl)).rejects.toThrow();
    await expect(fetch(double.controlUrl)).rejects.toThrow();
  });

  it('is gone when it cannot start', async () => {
    const double = await createDouble({ site, freeDevicePorts: true });
    const port = Number(new URL(double.controlUrl).port);
    await expect(createDouble({ site, freeDevicePorts: true, controlPort: port })).rejects.toThrow('the port is taken');
    await double.close();
  });
});
