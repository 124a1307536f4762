import { afterEach, describe, expect, it } from 'vitest';
import { WEBHOOK_LIMITS } from '../../../cloud/doors/webhook/webhook-dispatcher.js';
import { advanceJournalHeads } from '../../../cloud/kernel/store/journal-queries.js';
import { isAcknowledged, numbers, startWebhookWorld, type WebhookWorld } from './webhook-world.js';

let world: WebhookWorld;
afterEach(() => world.close());

/** An event of a lot of its own. */
const elsewhere = (uuid: string) => ({ account_id: world.site.harbour, lot_id: 1_000 + Number(uuid), uuid });

describe('many deliveries', () => {
  it('are each made once, those of a lot in their order', async () => {
    world = await startWebhookWorld({ limits: { eventsPerTurn: 8 } });
    const receivers = [await world.listen(200), await world.listen(200)];
    const made = await Promise.all(receivers.map(({ url }) => world.create({ url })));
    const [north, south] = [numbers(1, 40), numbers(41, 80)];
    for (let at = 0; at < 40; at += 10) {
      const both = [north, south].map((uuids) => uuids.slice(at, at + 10));
      await world.journalEvents(
        ...(both[0] ?? []).map(world.north),
        ...(both[1] ?? []).map((uuid) => ({ ...world.north(uuid), lot_id: world.site.south })),
      );
    }
    for (const { id } of made) {
      await world.untilLog(id, 'all', (log) => log.length === 80 && log.every(isAcknowledged));
    }
    for (const receiver of receivers) {
      expect(receiver.uuids().filter((uuid) => north.includes(uuid))).toEqual(north);
      expect(receiver.uuids().filter((uuid) => south.includes(uuid))).toEqual(south);
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(80);
    }
  });

  it('do not wait for one of their lot that is tried again later', async () => {
    world = await startWebhookWorld();
    const receiver = await world.listen(500);
    const { id } = await world.create({ url: receiver.url });
    await world.journalEvents(world.north('1'));
    await world.untilLog(id, 'the failure', (log) => log[0]?.status_code === 500);
    receiver.answer = 200;
    await world.journalEvents(world.north('2'), world.north('3'));
    await world.untilLog(id, 'the later ones', (log) => log.filter(isAcknowledged).length === 2);
    await world.cloud.clock.advance(5_000);
    await world.untilLog(id, 'all', (log) => log.every(isAcknowledged));
    expect(receiver.uuids()).toEqual(['1', '2', '3', '1']);
  });

  it('to one that never answers hold up nobody else, and end after their time', async () => {
    world = await startWebhookWorld();
    const [stuck, quick] = [await world.listen('never'), await world.listen(200)];
    const slow = await world.create({ url: stuck.url });
    const fast = await world.create({ url: quick.url });
    await world.journalEvents(...numbers(1, 50).map(elsewhere));
    await world.untilLog(fast.id, 'all quick ones', (log) => log.length === 50 && log.every(isAcknowledged));
    await world.until('as many as may be', () => stuck.waiting === 8);
    expect(stuck.waitingMost).toBe(8);
    await world.cloud.clock.advance(15_000);
    const tooLate = 'No answer within 15 s';
    await world.untilLog(slow.id, 'the first to be ended', (log) => log.some(({ error }) => error === tooLate));
    stuck.answer = 200;
    await world.until('all to be delivered', async () => {
      await world.cloud.clock.advance(5_000);
      return (await world.deliveries(slow.id)).every(isAcknowledged);
    });
    expect(stuck.waitingMost).toBe(8);
    expect(new Set(stuck.uuids())).toEqual(new Set(numbers(1, 50)));
  });

  it('are no more at one time than may be, however many webhooks there are', async () => {
    world = await startWebhookWorld({ limits: { together: 10, perWebhook: 4 } });
    const stuck = await world.listen('never');
    for (let made = 0; made < 5; made++) await world.create({ url: stuck.url });
    await world.journalEvents(...numbers(1, 10).map(elsewhere));
    await world.until('as many as may be', () => stuck.waiting === 10);
    await world.journalEvents(elsewhere('11'));
    expect(stuck.waitingMost).toBe(10);
    stuck.answer = 200;
    stuck.release(200);
    await world.until('all to be delivered', () => stuck.received.length === 55);
    expect(stuck.waitingMost).toBe(10);
  });
});

describe('deliveries and a cloud that stops', () => {
  it('go on after its start, with the one that was under way', async () => {
    world = await startWebhookWorld();
    const receiver = await world.listen('never');
    const { id } = await world.create({ url: receiver.url });
    await world.journalEvents(...numbers(1, 20).map(world.north));
    await world.until('the first to be under way', () => receiver.waiting === 1);
    receiver.answer = 200;
    await world.cloud.restart();
    await world.untilLog(id, 'all', (log) => log.length === 20 && log.every(isAcknowledged));
    expect(receiver.uuids()).toEqual(['1', ...numbers(1, 20)]);
  });

  it('are made of what the journal has beyond the webhook, whoever wrote it', async () => {
    world = await startWebhookWorld();
    const receiver = await world.listen(200);
    const { id } = await world.create({ url: receiver.url });
    await writeJournal(['1', '2']);
    await world.cloud.restart();
    await world.untilLog(id, 'both', (log) => log.length === 2 && log.every(isAcknowledged));
    expect(receiver.uuids()).toEqual(['1', '2']);
  });

  it('go on where a killed one had them in its hands, when its time is over', async () => {
    world = await startWebhookWorld();
    const receiver = await world.listen(200);
    const { id } = await world.create({ url: receiver.url });
    const other = await world.create({ url: receiver.url, events: ['lot_change'] });
    const [first = 0] = await writeJournal(['1', '2']);
    const now = world.cloud.clock.now();
    await world.cloud.store.change(async (tx) => {
      await tx.updateTable('webhooks').set({ cursor: first }).where('id', '=', id).execute();
      await tx
        .insertInto('webhook_deliveries')
        .values({
          webhook_id: id,
          journal_id: first,
          lot_id: world.site.north,
          event: 'gateway_status',
          payload: JSON.stringify({ uuid: '1', status: 'online' }),
          occurred_at: now,
          status_code: null,
          last_error: null,
          attempts: 1,
          tries_began_at: now,
          next_attempt_at: now,
          lease_ends_at: now + WEBHOOK_LIMITS.leaseMs,
          ended_at: null,
          created_at: now,
        })
        .execute();
    });
    await world.cloud.restart();
    await world.untilLog(id, 'the second to be known', (log) => log.length === 2);
    await world.cloud.clock.advance(WEBHOOK_LIMITS.leaseMs - 1);
    await world.cloud.clock.advance(1);
    const log = await world.untilLog(id, 'both', (each) => each.every(isAcknowledged));
    expect(log.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(receiver.uuids()).toEqual(['1', '2']);
    // Not a moment before.
    const sentAfter = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']) * 1_000 - now);
    expect(sentAfter).toEqual([WEBHOOK_LIMITS.leaseMs, WEBHOOK_LIMITS.leaseMs]);
    expect(await world.deliveries(other.id)).toEqual([]);
  });
});

/** As a process leaves it that dies between its commit and everything else. */
function writeJournal(uuids: readonly string[]): Promise<number[]> {
  const { cloud, site } = world;
  return cloud.store.change(async (tx) => {
    const heads = await advanceJournalHeads(tx, [{ account_id: site.harbour, by: uuids.length }]);
    const newest = heads.get(site.harbour) ?? 0;
    const ids = uuids.map((_, index) => newest - uuids.length + 1 + index);
    for (const [index, uuid] of uuids.entries()) {
      await tx
        .insertInto('events')
        .values({
          id: ids[index] ?? 0,
          account_id: site.harbour,
          lot_id: site.north,
          event: 'gateway_status',
          payload: JSON.stringify({ uuid, status: 'online' }),
          created_at: cloud.clock.now(),
        })
        .execute();
    }
    return ids;
  });
}
