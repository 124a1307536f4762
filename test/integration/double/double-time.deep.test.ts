import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RealtimeListener } from '../../world/realtime-listener.js';
import { TEST_SITE } from '../../world/site.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { type DoubleBench, startDoubleBench } from './double-bench.js';

interface Session {
  id: number;
  duration: number;
  amount_due: number;
}
interface Product {
  id: number;
  device_id: string;
}

describe('time that can be moved', () => {
  let bench: DoubleBench;
  let stream: RealtimeListener;
  let barrierId: number;

  beforeAll(async () => {
    bench = await startDoubleBench();
    stream = await bench.listen();
    const { body } = await bench.api<Product[]>('GET', '/v2/products');
    barrierId = body.find(({ device_id }) => device_id === TEST_SITE.barrier)?.id ?? 0;
  });
  afterAll(async () => {
    await stream?.close();
    await bench?.double.close();
  });

  const advance = (advance_s: number) => bench.control<{ now: string }>('POST', '/clock', { advance_s });
  const operate = () =>
    bench.api<{ event_id: string }>('POST', `/v2/products/${barrierId}/state`, { operation: 'open' });

  it('makes a stay longer and dearer, while connections stay and nothing seems to have gone', async () => {
    await bench.control('POST', `/cameras/${TEST_SITE.entryCamera}/read`, { plate: 'ZG100AA' });
    const [created] = await stream.waitFor('session_create');
    const session = async () => (await bench.api<Session>('GET', `/v2/sessions/${String(created?.payload.id)}`)).body;
    expect((await session()).amount_due).toBe(0);

    const before = Date.parse((await bench.control<{ now: string }>('GET', '/clock')).body.now);
    const { status, body } = await advance(2.5 * 3_600);
    expect(status).toBe(200);
    expect(Date.parse(body.now) - before).toBeGreaterThanOrEqual(2.5 * 3_600_000);
    expect((await session()).duration).toBeGreaterThanOrEqual(2.5 * 3_600);
    expect((await session()).amount_due).toBe(4.5);

    for (const step of [20, 25, 86_400, 30 * 86_400, 60]) await advance(step);
    const gone = stream.heard.filter(({ payload }) => payload.status === 'offline');
    expect(gone).toEqual([]);
    expect(stream.of('authorized')).toHaveLength(1);

    await bench.control('POST', `/cameras/${TEST_SITE.exitCamera}/read`, { plate: 'ZG100AA', direction: 'out' });
    await stream.waitFor('session_update');
    expect((await session()).duration).toBeGreaterThanOrEqual(31 * 86_400);
  });

  it('leaves products ready to be commanded', async () => {
    await advance(7 * 86_400);
    const { status, body } = await operate();
    expect(status).toBe(200);
    await waitUntil('the barrier to be open', async () => {
      const command = await bench.api<{ status: string }>('GET', `/v2/commands/${body.event_id}`);
      return command.body.status === 'succeeded';
    });
  });

  it('ends a command that waits', async () => {
    await bench.control('PATCH', `/products/${TEST_SITE.barrier}`, { answer_delay_ms: 120_000 });
    const { body } = await operate();
    await waitUntil('a gateway to try', async () => {
      const command = await bench.api<{ attempts: unknown[] }>('GET', `/v2/commands/${body.event_id}`);
      return command.body.attempts.length > 0;
    });
    await advance(100);
    const command = await waitUntil('the command to end', async () => {
      const { body: shown } = await bench.api<{ status: string; error: unknown }>(
        'GET',
        `/v2/commands/${body.event_id}`,
      );
      return shown.status !== 'pending' && shown;
    });
    expect(command).toMatchObject({ status: 'failed' });
    expect(stream.of('gateway_error').map(({ payload }) => payload)).toMatchObject([{ event_id: body.event_id }]);
    await bench.control('PATCH', `/products/${TEST_SITE.barrier}`, { answer_delay_ms: 0 });
    await advance(120);
  });

  it('lets a weblink expire', async () => {
    const { body: clock } = await bench.control<{ now: string }>('GET', '/clock');
    const nowMs = Date.parse(clock.now);
    const { body: made } = await bench.api<{ id: string; token: string }>('POST', '/v2/weblinks', {
      product_id: barrierId,
      name: 'Courier',
      start_time: new Date(nowMs).toISOString(),
      end_time: new Date(nowMs + 3_600_000).toISOString(),
    });
    const show = () => bench.api('POST', `/v2/weblinks/${made.id}/status`, { token: made.token });
    expect((await show()).status).toBe(200);
    await bench.control('POST', '/clock', { now: new Date(nowMs + 3_700_000).toISOString() });
    expect((await show()).status).toBe(404);
  });

  it.each([
    [{ now: '2020-01-01T00:00:00Z' }, 'now'],
    [{ now: 'tomorrow' }, 'now'],
    [{ advance_s: -1 }, 'advance_s'],
    [{ advance_s: 1, now: '2099-01-01T00:00:00Z' }, 'body'],
    [{}, 'body'],
    [{ advance_h: 1 }, 'advance_h'],
  ])('is not moved by %o', async (body, field) => {
    const before = (await bench.control<{ now: string }>('GET', '/clock')).body.now;
    const refused = await bench.control<{ errors: { code: number; field: string }[] }>('POST', '/clock', body);
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0]).toMatchObject({ code: 23, field });
    const after = (await bench.control<{ now: string }>('GET', '/clock')).body.now;
    expect(Date.parse(after) - Date.parse(before)).toBeLessThan(60_000);
  });
});
