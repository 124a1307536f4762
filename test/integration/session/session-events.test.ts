import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../contract/sending-rules.js';
import { connectRealtime, type RealtimeClient } from '../realtime/listening-client.js';
import { API_TOKEN, GUARD_TOKEN } from '../http/http-site.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';

interface Session {
  id: number;
  public_id: string;
}

describe('the events of sessions that people and programs change over REST', () => {
  let world: RestWorld;
  let listener: RealtimeClient;

  beforeEach(async () => {
    world = await startRestWorld();
    listener = await connectRealtime(world.cloud.base, { path: `/v2/realtime?token=${API_TOKEN}` });
    await listener.until((frames) => frames.length === 1);
  });
  afterEach(async () => {
    listener.socket.terminate();
    await world.cloud.close();
  });

  /** The events of one call; a session_create that follows shows that nothing else was on its way. */
  const eventsOf = async <T>(call: () => Promise<T>) => {
    listener.frames.length = 0;
    const answer = await call();
    const marker = await world.post<Session>('/v2/sessions', { zone_id: world.site.freeZone });
    const pushed = () => listener.frames.map(({ event, data }) => ({ event, payload: JSON.parse(data) as Session }));
    await listener.until(() => pushed().some(({ payload }) => payload.id === marker.id));
    return { answer, events: pushed().filter(({ payload }) => payload.id !== marker.id) };
  };
  const begin = (token: string, more: { discount_time?: number } = {}) =>
    eventsOf(() =>
      world.post<Session>('/v2/sessions', { zone_id: world.site.zone, entry_license_plate: 'ZG1', ...more }, token),
    );

  it(
    'one that an API token makes is told once, and its typed reading is not',
    proves('session_create: account', 'plate_reading_create: not_typed'),
    async () => {
      const { answer, events } = await begin(API_TOKEN);
      expect(events).toEqual([
        {
          event: 'session_create',
          payload: {
            id: answer.id,
            public_id: answer.public_id,
            duration: 0,
            amount_paid: 0,
            exit_allowed: true,
            entry_license_plate: { id: 1, plate: 'ZG1', image_url: null, cropped_image_url: null },
            created_at: '2026-01-15T12:00:00.000Z',
            entry: { id: world.site.harbour, type: 'account' },
            zone_id: world.site.zone,
          },
        },
      ]);
    },
  );

  it("one that a user makes is an attendant's", proves('session_create: attendant'), async () => {
    const { events } = await begin(GUARD_TOKEN, { discount_time: 30 });
    expect(events).toMatchObject([
      { event: 'session_create', payload: { entry: { id: world.site.guard, type: 'attendant' }, discount_time: 30 } },
    ]);
  });

  it('a change of its discount is told', proves('session_update: patch'), async () => {
    const { answer } = await begin(API_TOKEN);
    const { events } = await eventsOf(() => world.patch(`/v2/sessions/${answer.id}`, { discount_time: -1 }));
    expect(events).toMatchObject([
      { event: 'session_update', payload: { id: answer.id, discount_time: -1, exit_allowed: true } },
    ]);
    for (const key of ['ended_at', 'possibly_exited', 'exit']) expect(events[0]?.payload).not.toHaveProperty(key);
  });

  it.each([
    { who: 'account', token: API_TOKEN },
    { who: 'attendant', token: GUARD_TOKEN },
  ])('its close by an $who is told once', proves('session_update: close'), async ({ who, token }) => {
    const { answer } = await begin(API_TOKEN);
    // Timers stand still: the realtime connection would be given up whose pong does not come at once.
    world.cloud.clock.jumpWall(90_000);
    const close = () => world.post(`/v2/sessions/${answer.id}/close`, {}, token);
    const { events } = await eventsOf(close);
    const id = who === 'account' ? world.site.harbour : world.site.guard;
    expect(events).toMatchObject([
      {
        event: 'session_update',
        payload: { ended_at: '2026-01-15T12:01:30.000Z', duration: 90, exit_allowed: false, exit: { id, type: who } },
      },
    ]);
    expect((await eventsOf(close)).events).toEqual([]);
  });

  it('a payment is told', proves('session_update: payment'), async () => {
    const { answer } = await begin(API_TOKEN);
    const { events } = await eventsOf(() =>
      world.post(`/v2/sessions/${answer.id}/payments`, { amount: 1.5, overpays: true }),
    );
    expect(events).toMatchObject([{ event: 'session_update', payload: { id: answer.id, amount_paid: 1.5 } }]);
  });
});
