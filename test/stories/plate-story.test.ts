import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchChecked } from '../contract/checked-fetch.js';
import { EVENT_SCHEMAS, type EventName } from '../../shared/events/event-schemas.js';
import { openingsSince } from '../world/openings.js';
import { type RealtimeListener } from '../world/realtime-listener.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';
import { proves } from '../contract/sending-rules.js';

interface SimulatedProduct {
  state: string;
  moves: number;
}

describe('plate story: a plate opens the barrier, and the world hears of it', () => {
  let world: World;
  let stream: RealtimeListener;

  beforeAll(async () => {
    world = await createWorld();
    stream = await world.listen();
  });

  afterAll(async () => {
    await stream?.close();
    await world?.close();
  });

  const product = (deviceId: string) => world.sim<SimulatedProduct>('GET', `/products/${deviceId}`);
  const read = (camera: string, body: object) => world.sim<{ status: number }>('POST', `/cameras/${camera}/read`, body);
  /** Events of reports, which come at any time. */
  const BESIDE = /^(authorized|lot_change|gateway_status|lpr_camera_status|parking_gateway_state_change)$/;
  const order = () => stream.heard.map((entry) => entry.event).filter((event) => !BESIDE.test(event));

  it('moves the barrier exactly once for a member, and sends the events in order', async () => {
    expect(await read(TEST_SITE.entryCamera, { plate: TEST_SITE.memberPlate, repeat: 2 })).toEqual({ status: 200 });

    await waitUntil('the barrier to be passable', async () => (await product(TEST_SITE.barrier)).state === 'opened');
    await stream.waitFor('lpr_event');
    await world.settled();

    expect((await product(TEST_SITE.barrier)).moves).toBe(1);
    expect(order()).toEqual(['plate_reading_create', 'plate_reading_update', 'session_create', 'lpr_event']);
    const [created] = stream.of('plate_reading_create');
    expect(created?.payload).toMatchObject({
      plate: TEST_SITE.memberPlate,
      direction: 'in',
      access_decision: null,
      access_decision_reason: null,
      session_id: null,
    });
    const [updated] = stream.of('plate_reading_update');
    expect(updated?.payload).toMatchObject({
      id: created?.payload.id,
      access_decision: 'triggered',
      access_decision_reason: 'whitelist',
    });
    const [session] = stream.of('session_create');
    expect(session?.payload).toMatchObject({
      exit_allowed: true,
      entry: { type: 'lpr_camera' },
      entry_license_plate: { plate: TEST_SITE.memberPlate },
    });
  });

  it('reports the moved product twice, adjacent, without an event_id', async () => {
    const barrierOpened = (entry: { payload: Record<string, unknown> }) => {
      const data = entry.payload.data as { device_id: string; barrier?: { state: string } };
      return data.device_id === TEST_SITE.barrier && data.barrier?.state === 'opened';
    };
    await waitUntil('the pair of lot_change', () => stream.of('lot_change').filter(barrierOpened).length >= 2);

    const first = stream.heard.findIndex((entry) => entry.event === 'lot_change' && barrierOpened(entry));
    const [one, two] = stream.heard.slice(first, first + 2);
    expect(two?.payload).toEqual(one?.payload);
    expect(one?.payload).not.toHaveProperty('event_id');
    expect([typeof one?.id, typeof two?.id]).toEqual(['string', 'string']);
    expect(one?.id).not.toBe(two?.id);
  });

  it('shows the picture behind its signed link, and nothing behind a changed one', async () => {
    const link = String(stream.of('plate_reading_create')[0]?.payload.image_url);
    const picture = await waitUntil('the picture to arrive', async () => {
      const response = await fetchChecked(link);
      return response.ok ? response : null;
    });
    expect(picture.headers.get('content-type')).toBe('image/jpeg');
    const bytes = new Uint8Array(await picture.arrayBuffer());
    expect([...bytes.subarray(0, 3), ...bytes.subarray(-2)]).toEqual([0xff, 0xd8, 0xff, 0xff, 0xd9]);

    const changed = await fetchChecked(link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')));
    expect(changed.status).toBe(404);
    expect(await changed.json()).toMatchObject({ success: false, errors: [{ code: 6 }] });
  });

  it('ends the session when the member leaves', async () => {
    await read(TEST_SITE.exitCamera, { plate: TEST_SITE.memberPlate });

    const [ended] = await stream.waitFor('session_update');
    expect(ended?.payload).toMatchObject({ exit_allowed: false, possibly_exited: true, exit: { type: 'lpr_camera' } });
    expect(ended?.payload.id).toBe(stream.of('session_create')[0]?.payload.id);
    expect(typeof ended?.payload.ended_at).toBe('string');
    await waitUntil('the gate to be passable', async () => (await product(TEST_SITE.gate)).state === 'opened');
    const [, out] = await stream.waitFor('lpr_event', 2);
    expect(out?.payload.data).toMatchObject({
      direction: 'out',
      is_allowed: 1,
      related_lot_entry: { direction: 'in' },
    });
  });

  it('opens for a stranger by tariff, and keeps a stranger without a session inside', async () => {
    await waitUntil(
      'the gate to have closed by itself',
      async () => (await product(TEST_SITE.gate)).state === 'closed',
    );
    const { moves } = await product(TEST_SITE.gate);
    await read(TEST_SITE.entryCamera, { plate: 'ZG 999-XX' });
    await read(TEST_SITE.exitCamera, { plate: 'DU777AA' });

    const updates = await stream.waitFor('plate_reading_update', 4);
    expect(
      updates.slice(2).map((entry) => [entry.payload.access_decision, entry.payload.access_decision_reason]),
    ).toEqual([
      ['triggered', 'tariff'],
      ['denied', 'no_active_session'],
    ]);
    await world.settled();
    expect((await product(TEST_SITE.barrier)).moves).toBe(1);
    expect(await product(TEST_SITE.gate)).toMatchObject({ state: 'closed', moves });
  });

  it(
    'lets the stranger out once whose plate the camera refines, and says so',
    proves('plate_reading_update: refined'),
    async () => {
      const closed = await product(TEST_SITE.gate);
      const before = stream.of('plate_reading_update').length;
      const refinement = { plate: 'ZG 999-XX', confidence: 0.99, refines: true, repeat: 2 };
      expect(await read(TEST_SITE.exitCamera, refinement)).toEqual({ status: 200 });
      const updates = await stream.waitFor('plate_reading_update', before + 1);
      expect(updates.at(-1)?.payload).toMatchObject({
        id: updates.at(-2)?.payload.id,
        plate: 'ZG 999-XX',
        confidence: 0.99,
        access_decision: 'triggered',
        access_decision_reason: 'session_exit',
      });
      await waitUntil('the gate to be passable', async () => (await product(TEST_SITE.gate)).state === 'opened');
      await stream.waitFor('session_update', 2);
      await stream.waitFor('lpr_event', 5);
      await world.settled();
      expect(order().slice(-3)).toEqual(['plate_reading_update', 'session_update', 'lpr_event']);
      expect(openingsSince(closed, await product(TEST_SITE.gate))).toBe(1);

      // A vehicle that was let through is not decided again: its refinement is only sent, and once.
      const better = { plate: 'ZG 999-XY', confidence: 1, refines: true, repeat: 1 };
      expect(await read(TEST_SITE.exitCamera, better)).toEqual({ status: 200 });
      await stream.waitFor('plate_reading_update', before + 2);
      await world.settled();
      const [refined, ...more] = stream.of('plate_reading_update').slice(before + 1);
      expect(more).toEqual([]);
      expect(refined?.payload).toMatchObject({ plate: 'ZG 999-XY', access_decision_reason: 'session_exit' });
      expect(openingsSince(closed, await product(TEST_SITE.gate))).toBe(1);
    },
  );

  it('leaves no plate in the logs, which name reads and decisions', () => {
    const log = world.output();
    for (const line of ['plate read', 'plate refined', 'session_exit', 'cloud is ready']) expect(log).toContain(line);
    const plates = [TEST_SITE.memberPlate, 'ZG 999-XX', 'ZG999XX', 'ZG 999-XY', 'DU777AA'];
    expect(plates.filter((plate) => log.includes(plate))).toEqual([]);
  });

  it('logs no error: the database took all that there was to store', () => {
    // Pino's levels: 50 is an error.
    expect(world.output().match(/^\{"level":[56]0,.*$/gm)).toBeNull();
  });

  it('sends nothing but what the specification describes', () => {
    for (const { event, payload } of stream.heard) {
      if (event === 'authorized') continue;
      expect(Object.keys(EVENT_SCHEMAS)).toContain(event);
      expect(EVENT_SCHEMAS[event as EventName].safeParse(payload).error, event).toBeUndefined();
    }
  });
});
