import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plateReadingPayload } from '../../contract/event-samples.js';
import { checkWebhook } from '../../contract/realtime-contract.js';
import { isAcknowledged, startWebhookWorld, type WebhookWorld } from './webhook-world.js';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.js';

let world: WebhookWorld;
beforeEach(async () => void (world = await startWebhookWorld()));
afterEach(() => world.close());

/** The only delivery as the database has it. */
const onlyRow = () =>
  world.cloud.store.reader
    .selectFrom('webhook_deliveries')
    .select(['ended_at', 'next_attempt_at', 'lease_ends_at', 'attempts'])
    .executeTakeFirst();

/** Milliseconds until the only delivery is tried again; null while it is not known. */
async function nextTryIn(): Promise<number | null> {
  const row = await onlyRow();
  return row === undefined || row.lease_ends_at !== null ? null : row.next_attempt_at - world.cloud.clock.now();
}

describe('deliveries', () => {
  it('are signed, dated, and what the document describes', async () => {
    const receiver = await world.listen(200);
    const { secret = '' } = await world.create({ url: `${receiver.url}?x=1` });
    const image = '0199a7c0-0000-7000-8000-0000000000f1';
    await world.cloud.store.change(async (tx) =>
      tx.journal({
        account_id: world.site.harbour,
        lot_id: world.site.north,
        event: 'plate_reading_create',
        payload: plateReadingPayload({ image_url: `image:${image}` }),
      }),
    );
    await world.until('the delivery', () => receiver.received.length === 1);
    const { path, headers, body } = receiver.received[0] ?? { path: '', headers: {}, body: '' };
    expect(path).toBe('/hook?x=1');
    expect(headers['content-type']).toBe('application/json');
    expect(headers['webhook-timestamp']).toBe(String(Date.UTC(2026, 0, 15, 12) / 1_000));
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    checkWebhook(body);
    const { type, timestamp, data } = JSON.parse(body) as {
      type: string;
      timestamp: string;
      data: { image_url: string };
    };
    expect({ type, timestamp }).toEqual({ type: 'plate_reading_create', timestamp: '2026-01-15T12:00:00.000Z' });
    const { expires = '', signature = '' } = Object.fromEntries(new URL(data.image_url).searchParams);
    expect(world.cloud.imageLinks.verify({ uid: image, expires, signature })?.uid).toBe(image);
  });

  it('are of the events a webhook names, of its account, from its making on, and only of what is in the journal', async () => {
    const receiver = await world.listen();
    await world.journalEvents(world.north('before'));
    const all = await world.create({ url: receiver.url });
    const none = await world.create({ url: receiver.url, events: ['session_create'] });
    await world.journalEvents(
      { account_id: world.site.rival, lot_id: world.site.rivalLot, uuid: 'rival' },
      { ...world.north('unkept'), isKept: false },
      world.north('1'),
      { ...world.north('2'), lot_id: world.site.south },
    );
    await world.untilLog(
      all.id,
      'both deliveries',
      (log) => log.every(({ status_code }) => status_code === 204) && log.length === 2,
    );
    expect(receiver.uuids().toSorted()).toEqual(['1', '2']);
    expect(await world.deliveries(none.id)).toEqual([]);
    expect((await world.get(all.id)).last_status).toBe(204);
  });

  it('are of what happens after a webhook was told to want it', async () => {
    const receiver = await world.listen();
    const { id } = await world.create({ url: receiver.url, events: ['session_create'] });
    await world.journalEvents(world.north('before'));
    await world.done('PATCH', `/v2/webhooks/${id}`, { events: ['gateway_status'] });
    await world.journalEvents(world.north('after'));
    await world.untilLog(id, 'the delivery', (log) => log.length > 0 && log.every(isAcknowledged));
    expect(receiver.uuids()).toEqual(['after']);
  });

  it.each([200, 201, 202, 204, 299])('are acknowledged by %i', async (status) => {
    const receiver = await world.listen(status);
    const { id } = await world.create({ url: receiver.url });
    await world.journalEvents(world.north('1'));
    const [delivery] = await world.untilLog(id, 'the answer', ([first]) => first?.status_code === status);
    expect(delivery).toMatchObject({ webhook_id: id, event: 'gateway_status', error: null, attempt: 1 });
    await world.cloud.clock.advance(HOUR_MS);
    // One that was due again would go before the next event of its lot.
    await world.journalEvents(world.north('2'));
    await world.until('the next one', () => receiver.uuids().includes('2'));
    expect(receiver.uuids()).toEqual(['1', '2']);
  });

  it('are tried again, later and later, under the same id', async () => {
    const receiver = await world.listen(500);
    const { id } = await world.create({ url: receiver.url });
    await world.journalEvents(world.north('1'));
    await world.until('the first failure', async () => (await nextTryIn()) === 5_000);
    expect(await world.deliveries(id)).toMatchObject([{ attempt: 1, status_code: 500, error: 'Answered 500' }]);
    await world.cloud.clock.advance(4_999);
    expect(receiver.received).toHaveLength(1);
    await world.cloud.clock.advance(1);
    await world.until('the second failure', async () => (await nextTryIn()) === 10_000);
    receiver.answer = 200;
    await world.cloud.clock.advance(10_000);
    await world.untilLog(id, 'the acknowledgement', ([first]) => first?.status_code === 200);
    expect(await world.deliveries(id)).toMatchObject([{ attempt: 3, error: null }]);
    const heads = receiver.received.map(({ headers }) => headers);
    expect(new Set(heads.map((head) => head['webhook-id'])).size).toBe(1);
    expect(heads.map((head) => Number(head['webhook-timestamp']) - Number(heads[0]?.['webhook-timestamp']))).toEqual([
      0, 5, 15,
    ]);
    expect(new Set(heads.map((head) => head['webhook-signature'])).size).toBe(3);
  });

  it('are tried again when there was no answer in time', async () => {
    const receiver = await world.listen('never');
    const { id } = await world.create({ url: receiver.url });
    await world.journalEvents(world.north('1'));
    await world.until('the request', () => receiver.waiting === 1);
    receiver.answer = 200;
    await world.cloud.clock.advance(15_000);
    await world.until('the failure', async () => (await nextTryIn()) === 30_000);
    expect(await world.deliveries(id)).toMatchObject([
      { attempt: 1, status_code: null, error: 'No answer within 15 s' },
    ]);
    await world.cloud.clock.advance(30_000);
    expect(await world.untilLog(id, 'the acknowledgement', (log) => log.every(isAcknowledged))).toMatchObject([
      { attempt: 2, status_code: 200, error: null },
    ]);
    expect(receiver.uuids()).toEqual(['1', '1']);
  });

  it('end when the receiver is gone: 410 switches the webhook off', async () => {
    const receiver = await world.listen(500);
    const { id } = await world.create({ url: receiver.url });
    await world.journalEvents(world.north('1'), world.north('2'));
    await world.untilLog(
      id,
      'both failures',
      (log) => log.length === 2 && log.every(({ status_code }) => status_code === 500),
    );
    receiver.answer = 410;
    await world.journalEvents(world.north('3'));
    await world.until('the end', async () => (await world.get(id)).is_active === 0);
    expect(await world.get(id)).toMatchObject({ disabled_at: '2026-01-15T12:00:00.000Z', last_status: 410 });
    await world.journalEvents(world.north('4'));
    await world.cloud.clock.advance(HOUR_MS);
    expect(receiver.received).toHaveLength(3);
    const log = await world.deliveries(id);
    expect(log.map(({ status_code }) => status_code)).toEqual([410, 500, 500]);
    const switchedOff = 'The webhook was switched off: its receiver is gone';
    expect(log.map(({ error }) => error)).toEqual(['Answered 410', switchedOff, switchedOff]);

    const redelivery = await world.ask('POST', `/v2/webhooks/${id}/deliveries/${log[0]?.id}/redeliver`);
    expect([redelivery.status, redelivery.body.errors?.[0]?.field]).toEqual([422, 'is_active']);
    receiver.answer = 200;
    await world.done('PATCH', `/v2/webhooks/${id}`, { is_active: 1 });
    await world.journalEvents(world.north('5'));
    await world.until('what happened since', () => receiver.uuids().includes('5'));
    expect(receiver.uuids().slice(3)).toEqual(['5']);
    await world.done('POST', `/v2/webhooks/${id}/deliveries/${log[0]?.id}/redeliver`);
    await world.until('the redelivery', () => receiver.received.length === 5);
    expect(receiver.uuids().at(-1)).toBe('3');
  });

  it('are made again on demand, under the same id', async () => {
    const receiver = await world.listen(200);
    const { id } = await world.create({ url: receiver.url });
    await world.journalEvents(world.north('1'));
    const [delivery] = await world.untilLog(id, 'the acknowledgement', ([first]) => first?.status_code === 200);
    receiver.answer = 202;
    await world.cloud.clock.advance(HOUR_MS);
    const path = `/v2/webhooks/${id}/deliveries/${delivery?.id}/redeliver`;
    expect(await world.done('POST', path)).toEqual(delivery);
    await world.untilLog(id, 'the second one', ([first]) => first?.status_code === 202);
    expect(await world.deliveries(id)).toMatchObject([{ id: delivery?.id, attempt: 2 }]);
    expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id']);
    expect(JSON.parse(receiver.received[1]?.body ?? '')).toEqual(JSON.parse(receiver.received[0]?.body ?? ''));
  });

  it('go to the new address when that is changed', async () => {
    const [old, next] = [await world.listen(500), await world.listen(200)];
    const { id } = await world.create({ url: old.url });
    await world.journalEvents(world.north('1'));
    await world.untilLog(id, 'the failure', ([first]) => first?.status_code === 500);
    await world.done('PATCH', `/v2/webhooks/${id}`, { url: next.url });
    await world.cloud.clock.advance(5_000);
    await world.untilLog(id, 'the acknowledgement', ([first]) => first?.status_code === 200);
    expect([old.received.length, next.received.length]).toEqual([1, 1]);
  });

  it('end with their webhook', async () => {
    const receiver = await world.listen('never');
    const { id } = await world.create({ url: receiver.url });
    await world.journalEvents(world.north('1'), { ...world.north('2'), lot_id: world.site.south });
    await world.until('both to be under way', () => receiver.waiting === 2);
    await world.done('DELETE', `/v2/webhooks/${id}`);
    receiver.release(500);
    await world.until('the answers', () => receiver.waiting === 0);
    await world.cloud.clock.advance(HOUR_MS);
    expect(await world.cloud.store.reader.selectFrom('webhook_deliveries').selectAll().execute()).toEqual([]);
    // What is made of the next event is made after whatever was left of those.
    receiver.answer = 200;
    const next = await world.create({ url: receiver.url });
    await world.journalEvents(world.north('3'));
    await world.untilLog(next.id, 'the next webhook’s', (log) => log.length > 0 && log.every(isAcknowledged));
    expect(receiver.uuids().toSorted()).toEqual(['1', '2', '3']);
    expect(world.cloud.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('do not switch a webhook off for what its old address answers', async () => {
    const [old, next] = [await world.listen('never'), await world.listen(200)];
    const { id } = await world.create({ url: old.url });
    await world.journalEvents(world.north('1'));
    await world.until('the request', () => old.waiting === 1);
    await world.done('PATCH', `/v2/webhooks/${id}`, { url: next.url });
    old.release(410);
    await world.untilLog(id, 'the answer', ([first]) => first?.status_code === 410);
    await world.journalEvents(world.north('2'));
    await world.until('the next event', () => next.uuids().includes('2'));
    expect((await world.get(id)).is_active).toBe(1);
  });

  it('are forgotten a week after their end', async () => {
    const receiver = await world.listen(200);
    const { id } = await world.create({ url: receiver.url });
    await world.journalEvents(world.north('1'));
    await world.untilLog(id, 'the acknowledgement', ([first]) => first?.status_code === 200);
    const [early] = await world.deliveries(id);
    world.cloud.clock.jumpWall(6.9 * DAY_MS);
    await world.journalEvents(world.north('2'));
    await world.untilLog(id, 'both', (all) => all.length === 2 && all.every(({ status_code }) => status_code === 200));
    world.cloud.clock.jumpWall(0.2 * DAY_MS);
    const left = await world.until('the first to be forgotten', async () => {
      // The next removal has its timer only when the one before is over.
      await world.cloud.clock.advance(HOUR_MS);
      const deliveries = await world.deliveries(id);
      return deliveries.length < 2 && deliveries;
    });
    expect(left).toHaveLength(1);
    expect(left).not.toContainEqual(early);
  });
});
