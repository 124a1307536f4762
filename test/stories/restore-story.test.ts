import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReceiver, type WebhookReceiver } from '../integration/webhook/webhook-receiver.js';
import { type CloudCopy, copyCloud } from '../world/cloud-copy.js';
import type { RealtimeListener } from '../world/realtime-listener.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

/** Vehicles that come after the copy was made; every other one leaves again. */
const PLATES = Array.from({ length: 10 }, (_, at) => `ZG44${at}RR`);
const LEAVERS = PLATES.filter((_, at) => at % 2 === 0);

interface Session {
  id: number;
  public_id: string;
  created_at: string;
  entry_license_plate: { plate: string } | null;
  possibly_exited: boolean;
}

describe('restore story: what happened since the backup is there once, under numbers that nobody has seen', () => {
  let world: World;
  let receiver: WebhookReceiver;
  let copy: CloudCopy;
  /** Of the newest event that the copy has, and of the newest that the world has seen. */
  let cursorOfCopy: string;
  let newestCursor: string;
  /** What the world saw before the cloud was lost. */
  let seen: { sessions: Session[]; events: RealtimeListener['heard']; deliveries: Set<string> };
  let stream: RealtimeListener | null = null;

  const sessions = async () => (await world.api<{ data: Session[] }>('/v2/sessions?size=100')).body.data;
  const ofStays = (all: Session[]) =>
    all.filter(({ entry_license_plate }) => PLATES.includes(entry_license_plate?.plate ?? ''));
  const platesOf = (all: Session[]) => ofStays(all).map(({ entry_license_plate }) => entry_license_plate?.plate);
  const deliveryIds = () => receiver.received.map(({ headers }) => String(headers['webhook-id']));

  beforeAll(async () => {
    receiver = await startReceiver(204);
    world = await createWorld({ cloudEnv: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
    const before = await world.listen();
    await world.call('POST', '/v2/webhooks', { body: { url: receiver.url, events: ['session_create'] } });
    await world.arrive(TEST_SITE.memberPlate);
    await before.waitFor('session_create');
    await world.settled();
    await waitUntil('the delivery to the webhook', () => receiver.received.length > 0);
    cursorOfCopy = before.heard.findLast(({ id }) => id !== null)?.id ?? '';
    copy = await copyCloud(join(world.dataDir, 'cloud'));

    for (const plate of PLATES) await world.arrive(plate);
    for (const plate of LEAVERS) await world.leave(plate);
    await before.waitFor('session_create', 1 + PLATES.length);
    await before.waitFor('session_update', LEAVERS.length);
    await world.settled();
    await waitUntil('the deliveries to the webhook', () => receiver.received.length >= 1 + PLATES.length);
    const cursors = before.heard.flatMap(({ id }) => (id === null ? [] : [id]));
    newestCursor = cursors.at(-1) ?? '';
    seen = { sessions: await sessions(), events: [...before.heard], deliveries: new Set(deliveryIds()) };
    expect(platesOf(seen.sessions).toSorted()).toEqual(PLATES);
    await before.close();
  });

  afterAll(async () => {
    await stream?.close();
    await world?.close();
    await receiver?.close();
  });

  it('has all ten stays once, with their times, from the gateway', async () => {
    await world.faults.kill('cloud');
    await copy.restore();
    await world.startCloud();
    stream = await world.listen(cursorOfCopy);
    await stream.waitFor('session_create', PLATES.length);
    await stream.waitFor('session_update', LEAVERS.length);
    await world.settled();
    const all = ofStays(await sessions());
    expect(platesOf(all).toSorted()).toEqual(PLATES);
    const timesOf = (some: Session[]) =>
      Object.fromEntries(
        ofStays(some).map(({ entry_license_plate, created_at, possibly_exited }) => [
          entry_license_plate?.plate,
          [created_at, possibly_exited],
        ]),
      );
    expect(timesOf(all)).toEqual(timesOf(seen.sessions));
  });

  it('gives no id, cursor or webhook-id again, and each event once to who goes on from before the backup', async () => {
    const ids = new Set(seen.sessions.map(({ id }) => id));
    expect(ofStays(await sessions()).filter(({ id }) => ids.has(id))).toEqual([]);
    const heard = stream?.heard.filter(({ id }) => id !== null) ?? [];
    // The copy may hold what was heard after its cursor was noted: it is the same event in both lives.
    const isAnother = (frame: (typeof heard)[number]) =>
      seen.events.some(
        ({ id, event, payload }) =>
          id === frame.id && !isDeepStrictEqual([event, payload], [frame.event, frame.payload]),
      );
    expect(heard.filter(isAnother)).toEqual([]);
    expect(stream?.of('resync_required')).toEqual([]);
    expect(stream?.of('session_create').map(({ payload }) => payload.entry_license_plate)).toMatchObject(
      PLATES.map((plate) => ({ plate })),
    );
    await waitUntil('the deliveries to the webhook', () => {
      const fresh = new Set(deliveryIds().filter((id) => !seen.deliveries.has(id)));
      return fresh.size === PLATES.length;
    });
  });

  it('tells who has seen more than the backup to begin anew, and refuses such a cursor over REST', async () => {
    const ahead = await world.listen(newestCursor);
    await ahead.waitFor('resync_required');
    await ahead.close();
    expect((await world.call('GET', `/v2/events?since=${newestCursor}`, { statuses: [422] })).status).toBe(422);
    expect((await world.call('GET', `/v2/events?since=${cursorOfCopy}`)).status).toBe(200);
  });

  it('goes on: what comes next is heard once by both', async () => {
    await world.arrive('ZG999ZZ');
    const created = (await stream?.waitFor('session_create', PLATES.length + 1)) ?? [];
    expect(created.at(-1)?.payload.entry_license_plate).toMatchObject({ plate: 'ZG999ZZ' });
    await world.settled();
    expect(platesOf(await sessions()).toSorted()).toEqual(PLATES);
  });
});
