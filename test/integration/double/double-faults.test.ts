import { createServer } from 'node:net';
import { WebSocket } from 'ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openFront } from '../../../scripts/sim/double/front.js';
import { createFaults } from '../../../scripts/sim/double/faults.js';
import { listenHttp } from '../../../scripts/sim/http-listener.js';
import { TEST_SITE } from '../../world/site.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { type DoubleBench, startDoubleBench } from './double-bench.js';

interface Gateway {
  uuid: string;
  online: boolean;
  waiting: number;
}

describe('faults on request', () => {
  let bench: DoubleBench;

  beforeAll(async () => {
    bench = await startDoubleBench();
  });
  afterEach(() => bench.control('DELETE', '/faults'));
  afterAll(() => bench?.double.close());

  const setFaults = (...rules: unknown[]) => bench.control('PUT', '/faults', { rules });
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${bench.double.baseUrl}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${TEST_SITE.apiToken}`, 'content-type': 'application/json' },
    });
  /** A realtime connection of an integrator who has no client of ours. */
  const connect = async () => {
    const socket = new WebSocket(`${bench.double.baseUrl.replace('http', 'ws')}/v2/realtime`, {
      headers: { authorization: `Bearer ${TEST_SITE.apiToken}` },
    });
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return { socket, closed };
  };

  it.each([
    { status: 503, retry_after_s: 2, code: 500 },
    { status: 429, retry_after_s: 30, code: 429 },
  ])('answer $status in the envelope of REST, as often as asked', async ({ code, ...fault }) => {
    await setFaults({ match: { path: '/v2/lots' }, times: 2, fault: { kind: 'answer', ...fault } });
    for (let count = 0; count < 2; count++) {
      const answer = await ask('/v2/lots');
      expect(answer.status).toBe(fault.status);
      expect(answer.headers.get('retry-after')).toBe(String(fault.retry_after_s));
      expect(await answer.json()).toMatchObject({ success: false, errors: [{ code }] });
    }
    expect((await ask('/v2/lots')).status).toBe(200);
    const { body } = await bench.control('GET', '/faults');
    expect(body).toMatchObject({ rules: [{ times: 0, happened: 2 }] });
  });

  it('delay what is asked', async () => {
    await setFaults({ fault: { kind: 'delay', delay_ms: 300 } });
    const began = performance.now();
    expect((await ask('/v2/lots')).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThanOrEqual(299);
  });

  it('cut a connection before the service hears of the request, or before its answer', async () => {
    const groups = async () => ((await (await ask('/v2/groups')).json()) as { data: { name: string }[] }).data;
    const create = (name: string) => ask('/v2/groups', { method: 'POST', body: JSON.stringify({ name }) });
    await setFaults({ match: { method: 'POST' }, fault: { kind: 'cut' } });
    await expect(create('never heard')).rejects.toThrow();
    await setFaults({ match: { method: 'POST' }, fault: { kind: 'lost_answer' } });
    await expect(create('never answered')).rejects.toThrow();
    const names = (await groups()).map(({ name }) => name);
    expect(names).toContain('never answered');
    expect(names).not.toContain('never heard');
  });

  it.each([4429, 1006])('close realtime connections that are open, and the next ones, with %i', async (code) => {
    const first = await connect();
    await setFaults({ times: 2, fault: { kind: 'close_realtime', code } });
    expect(await first.closed).toBe(code);
    const second = await connect();
    expect(await second.closed).toBe(code);
    const third = await connect();
    const isOpen = new Promise((resolve) => third.socket.once('pong', resolve));
    third.socket.ping();
    await isOpen;
    third.socket.close();
    await third.closed;
  });

  it('refuse the handshake of realtime', async () => {
    await setFaults({ match: { path: '/v2/realtime' }, fault: { kind: 'answer', status: 503 } });
    await expect(connect()).rejects.toThrow('503');
    const { socket, closed } = await connect();
    socket.close();
    await closed;
  });

  it.each([
    [{ rules: [{ fault: { kind: 'answer', status: 200 } }] }, 'rules.0.fault.status'],
    [{ rules: [{ fault: { kind: 'close_realtime', code: 1005 } }] }, 'rules.0.fault.code'],
    [{ rules: [{ match: { path: 'v2' }, fault: { kind: 'cut' } }] }, 'rules.0.match.path'],
    [{ rules: [{ fault: { kind: 'cut' }, often: 1 }] }, 'often'],
    [{}, 'rules'],
  ])('are refused when they are wrong: %o', async (body, field) => {
    const refused = await bench.control<{ errors: { field: string }[] }>('PUT', '/faults', body);
    expect(refused.status).toBe(422);
    expect(refused.body.errors.map((error) => error.field)).toContain(field);
  });

  it('take a gateway off the network: it decides alone, and what it kept comes late', async () => {
    const stream = await bench.listen();
    const uuid = TEST_SITE.gatewayUuid;
    const off = await bench.control<Gateway>('PATCH', `/gateways/${uuid}`, { online: false });
    expect(off).toMatchObject({ status: 200, body: { uuid, online: false } });
    await stream.waitFor('gateway_status');
    const { moves } = (await bench.control<{ moves: number }>('GET', `/products/${TEST_SITE.barrier}`)).body;

    const read = await bench.control('POST', `/cameras/${TEST_SITE.entryCamera}/read`, {
      plate: TEST_SITE.memberPlate,
    });
    expect(read.body).toEqual({ status: 200 });
    await waitUntil('the barrier to move', async () => {
      const product = await bench.control<{ moves: number }>('GET', `/products/${TEST_SITE.barrier}`);
      return product.body.moves > moves;
    });
    const { body } = await bench.control<{ gateways: Gateway[] }>('GET', '/gateways');
    expect(body.gateways.find((gateway) => gateway.uuid === uuid)?.waiting).toBeGreaterThan(0);
    await bench.control('POST', '/clock', { advance_s: 3_600 });
    expect(stream.of('session_create')).toEqual([]);

    const on = await bench.control<Gateway>('PATCH', `/gateways/${uuid}`, { online: true });
    expect(on).toMatchObject({ status: 200, body: { online: true, waiting: 0 } });
    const [session] = await stream.waitFor('session_create');
    const { body: shown } = await bench.api<{ duration: number }>('GET', `/v2/sessions/${String(session?.payload.id)}`);
    expect(shown.duration).toBeGreaterThanOrEqual(3_600);
    expect(stream.of('gateway_status').map(({ payload }) => payload)).toEqual([
      { uuid, status: 'offline' },
      { uuid, status: 'online' },
    ]);
    await stream.close();
  });

  it('name a gateway that is not there', async () => {
    const unknown = await bench.control('PATCH', '/gateways/0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7cff', { online: false });
    expect(unknown.status).toBe(404);
    expect((await bench.control('PATCH', '/gateways/x', { online: false })).status).toBe(422);
  });
});

describe('the front of the double', () => {
  it('passes requests and answers on as they are', async () => {
    const service = await listenHttp(
      async (request) =>
        new Response(`${request.method} ${new URL(request.url).search} ${await request.text()}`, {
          status: 418,
          headers: { 'x-seen': request.headers.get('x-sent') ?? '', 'content-type': 'text/plain' },
        }),
      { host: '127.0.0.1', port: 0 },
    );
    const front = await openFront({ host: '127.0.0.1', port: 0, faults: createFaults() });
    const url = `http://127.0.0.1:${front.port}/a?b=%20c`;
    expect((await fetch(url)).status).toBe(503);
    front.leadTo(service.port);
    const body = 'x'.repeat(300_000);
    const answer = await fetch(url, { method: 'PUT', headers: { 'x-sent': 'yes' }, body });
    expect([answer.status, answer.headers.get('x-seen')]).toEqual([418, 'yes']);
    expect(await answer.text()).toBe(`PUT ?b=%20c ${body}`);
    await front.close();
    await service.close();
  });

  it('says which port is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(openFront({ host: '127.0.0.1', port, faults: createFaults() })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: the port is taken`,
    );
    await new Promise((resolve) => server.close(resolve));
  });
});
