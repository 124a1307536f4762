/** Deliveries over days: what is due in between takes its time. `decide-retry.test.ts` shows when they are tried. */
import { expect, it } from 'vitest';
import { startWebhookWorld } from './webhook-world.js';
import { DAY_MS } from '../../../shared/durations.js';

it('deliveries are given up after three days', async () => {
  const world = await startWebhookWorld();
  const { clock, store } = world.cloud;
  const receiver = await world.listen(503);
  const { id } = await world.create({ url: receiver.url });
  await world.journalEvents(world.north('1'));
  const began = clock.now();
  const ended = async () => {
    const row = await store.reader
      .selectFrom('webhook_deliveries')
      .select(['ended_at', 'next_attempt_at', 'lease_ends_at'])
      .executeTakeFirst();
    if (row === undefined || row.lease_ends_at !== null) return null;
    // What is due is about to be tried.
    return row.ended_at !== null || row.next_attempt_at > clock.now() ? row : null;
  };
  for (;;) {
    const row = await world.until('the outcome', ended);
    if (row.ended_at !== null) break;
    await clock.advance(row.next_attempt_at - clock.now());
    expect(clock.now() - began).toBeLessThan(3.1 * DAY_MS);
  }
  expect(receiver.received.length).toBeGreaterThan(15);
  expect(await world.deliveries(id)).toMatchObject([
    { status_code: 503, error: 'Answered 503', attempt: receiver.received.length },
  ]);
  expect((await world.get(id)).is_active).toBe(1);
  await world.close();
});
