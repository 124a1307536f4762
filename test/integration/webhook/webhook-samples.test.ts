/** Samples with which an owner tries a webhook, and new secrets without a delivery that is refused. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EVENT_SCHEMAS, type EventName } from '../../../shared/events/event-schemas.js';
import { checkWebhook } from '../../contract/realtime-contract.js';
import { API_TOKEN, GUARD_TOKEN, RIVAL_TOKEN } from '../http/http-site.js';
import { type IsGenuine, readmeVerification } from './readme-verification.js';
import type { Received } from './webhook-receiver.js';
import { type Delivery, isAcknowledged, startWebhookWorld, type Webhook, type WebhookWorld } from './webhook-world.js';
import { HOUR_MS } from '../../../shared/durations.js';

let world: WebhookWorld;
let isGenuine: IsGenuine;
beforeEach(async () => {
  world = await startWebhookWorld();
  isGenuine = await readmeVerification();
});
afterEach(async () => {
  vi.useRealTimers();
  await world.close();
});

const test = (id: number, event: string) => world.done<Delivery>('POST', `/v2/webhooks/${id}/test`, { event });
const rotate = async (id: number) =>
  (await world.done<Webhook>('POST', `/v2/webhooks/${id}/rotate-secret`)).secret ?? '';
const refused = async (path: string, json?: unknown, token = API_TOKEN) => {
  const { status, body } = await world.ask('POST', path, json, token);
  return [status, ...(body.errors ?? []).map(({ code, field }) => `${code} ${field ?? ''}`.trim())];
};
/** Verifies as a receiver does whose clock is that of the cloud. */
const verifies = (secret: string, { headers, body }: Received): boolean => {
  vi.useFakeTimers({ toFake: ['Date'], now: world.cloud.clock.now() });
  const answer = isGenuine(secret, headers as Record<string, string>, body);
  vi.useRealTimers();
  return answer;
};

describe('a sample', () => {
  it('is delivered as its event is, for each event, and answered with its outcome', async () => {
    const receiver = await world.listen();
    const { id, secret = '' } = await world.create({ url: receiver.url, events: ['lot_change'] });
    for (const event of Object.keys(EVENT_SCHEMAS) as EventName[]) {
      const delivery = await test(id, event);
      const created_at = new Date(world.cloud.clock.now()).toISOString();
      const acknowledged = { webhook_id: id, event, status_code: 204, error: null, attempt: 1, created_at };
      const webhook_id_header = `msg_${id}_sample_${delivery.id}`;
      expect(delivery).toEqual({ id: delivery.id, webhook_id_header, ...acknowledged });
      const sent = receiver.received.at(-1) as Received;
      const { type, data } = JSON.parse(sent.body) as { type: string; data: unknown };
      expect(type).toBe(event);
      expect(EVENT_SCHEMAS[event].parse(data)).toEqual(data);
      checkWebhook(sent.body);
      expect(sent.headers['webhook-id']).toBe(webhook_id_header);
      expect(verifies(secret, sent)).toBe(true);
    }
    expect(receiver.received).toHaveLength(Object.keys(EVENT_SCHEMAS).length);
    const log = await world.deliveries(id);
    expect(log.map(({ event }) => event)).toEqual(Object.keys(EVENT_SCHEMAS).toReversed());
    expect((await world.get(id)).last_status).toBe(204);
  });

  it('is a line in the log when it is given up, ten times a minute at most', async () => {
    const receiver = await world.listen(500);
    const { id } = await world.create({ url: receiver.url });
    for (let sample = 0; sample < 12; sample++) await test(id, 'zone_change');
    const lines = () => world.cloud.log.filter(({ message }) => message.startsWith('webhook delivery given up'));
    expect(lines()).toHaveLength(10);
    expect(lines()[0]).toMatchObject({
      level: 'warn',
      fields: { webhook_id: id, event: 'zone_change', attempt: 1, reason: 'Answered 500' },
    });
    await world.cloud.clock.advance(60_000);
    expect(lines().at(-1)).toMatchObject({ level: 'warn', fields: { who: `webhook ${id}`, left_out: 2 } });
  });

  it('is tried once, and again when it is redelivered, with the same webhook-id', async () => {
    const receiver = await world.listen(500);
    const { id } = await world.create({ url: receiver.url });
    const failed = await test(id, 'zone_change');
    expect(failed).toMatchObject({ status_code: 500, error: 'Answered 500', attempt: 1 });
    await world.cloud.clock.advance(10_000);
    expect(receiver.received).toHaveLength(1);
    receiver.answer = 204;
    await world.done('POST', `/v2/webhooks/${id}/deliveries/${failed.id}/redeliver`);
    await world.untilLog(id, 'the redelivery', (log) => log.every(isAcknowledged));
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('says why nobody could be reached', async () => {
    const { id } = await world.create({ url: 'http://127.0.0.1:9/hook' });
    expect(await test(id, 'lot_change')).toMatchObject({ status_code: null, error: 'No connection (ECONNREFUSED)' });
  });

  it('holds up no event of a lot', async () => {
    const receiver = await world.listen('never');
    const { id } = await world.create({ url: receiver.url });
    const testing = test(id, 'gateway_status');
    await world.until('the sample', () => receiver.waiting === 1);
    await world.journalEvents(world.north('a'));
    await world.until('the event', () => receiver.waiting === 2);
    receiver.release(200);
    expect((await testing).status_code).toBe(200);
  });

  it('is refused for an unknown event, a webhook that is switched off or not there, and an Attendant', async () => {
    const { id } = await world.create({ url: 'http://127.0.0.1:9/hook' });
    const path = `/v2/webhooks/${id}/test`;
    expect(await refused(path, { event: 'no_such_event' })).toEqual([422, '23 event']);
    expect(await refused(path, {})).toEqual([422, '23 event']);
    expect(await refused(path, { event: 'lot_change' }, GUARD_TOKEN)).toEqual([403, '4']);
    expect(await refused(path, { event: 'lot_change' }, RIVAL_TOKEN)).toEqual([404, '6']);
    await world.done('PATCH', `/v2/webhooks/${id}`, { is_active: 0 });
    expect(await refused(path, { event: 'lot_change' })).toEqual([422, '23 is_active']);
    expect(await world.deliveries(id)).toEqual([]);
  });
});

describe('a new secret', () => {
  it('is shown once, and the former one signs beside it for 24 h', async () => {
    const receiver = await world.listen();
    const made = await world.create({ url: receiver.url });
    const former = made.secret ?? '';
    const secret = await rotate(made.id);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secret).not.toBe(former);
    expect(await world.get(made.id)).not.toHaveProperty('secret');

    const deliver = async (uuid: string): Promise<Received> => {
      await world.journalEvents(world.north(uuid));
      await world.until(`the event ${uuid}`, () => receiver.uuids().includes(uuid));
      return receiver.received.at(-1) as Received;
    };
    const both = await deliver('both');
    expect([verifies(secret, both), verifies(former, both)]).toEqual([true, true]);
    expect(both.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    world.cloud.clock.jumpWall(24 * HOUR_MS - 1);
    expect(verifies(former, await deliver('still both'))).toBe(true);
    world.cloud.clock.jumpWall(1);
    const one = await deliver('one');
    expect([verifies(secret, one), verifies(former, one)]).toEqual([true, false]);
    expect(one.headers['webhook-signature']).toMatch(/^v1,\S+$/);
  });

  it('keeps every secret of the day valid, sealed, and is not shown again to who repeats the request', async () => {
    const receiver = await world.listen();
    const made = await world.create({ url: receiver.url });
    const second = await rotate(made.id);
    const headers = { 'idempotency-key': 'once' };
    const ask = () => world.cloud.ask('POST', `/v2/webhooks/${made.id}/rotate-secret`, { token: API_TOKEN, headers });
    const [first, again] = [(await ask()).body.data as Webhook, (await ask()).body.data as Webhook];
    expect(again).toEqual({ ...first, secret: null });
    const secrets = [made.secret ?? '', second, first.secret ?? ''];
    await test(made.id, 'lot_change');
    const [sent] = receiver.received;
    expect(secrets.map((secret) => sent !== undefined && verifies(secret, sent))).toEqual([true, true, true]);
    const rows = await world.cloud.store.reader.selectFrom('former_webhook_secrets').selectAll().execute();
    expect(rows).toHaveLength(2);
    for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret.slice(6));
  });

  it('is for who manages the account', async () => {
    const { id } = await world.create({ url: 'http://127.0.0.1:9/hook' });
    expect(await refused(`/v2/webhooks/${id}/rotate-secret`, undefined, GUARD_TOKEN)).toEqual([403, '4']);
    expect(await refused(`/v2/webhooks/${id}/rotate-secret`, undefined, RIVAL_TOKEN)).toEqual([404, '6']);
  });
});
