import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_SCHEMAS, type EventName } from '../../shared/events/event-schemas.js';
import type { Heard, RealtimeListener } from '../world/realtime-listener.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

interface SimulatedProduct {
  state: string;
  permanent_position: string;
  moves: number;
}
interface Failure {
  success: false;
  errors: { code: number; field?: string }[];
}
interface Accepted {
  success: true;
  data: { event_id: string };
}
interface CommandAnswer {
  data: {
    status: string;
    operation: string;
    gateway_error: { type: number | string; message: string | null } | null;
    attempts: { gateway_uuid: string; rssi: number; outcome: string | null }[];
  };
}

/** Ids as the site file gives them: the barrier stands first. */
const PRODUCT_IDS = { [TEST_SITE.barrier]: 1, [TEST_SITE.gate]: 2 };
type DeviceId = keyof typeof PRODUCT_IDS;

/** What the tests do again and again. */
function actorsOf(world: World, stream: () => RealtimeListener) {
  const give = (deviceId: DeviceId, body: object, path = 'state') =>
    world.call<Accepted | Failure>('POST', `/v2/products/${PRODUCT_IDS[deviceId]}/${path}`, {
      body,
      statuses: [200, 403, 422],
    });
  const endOf = (event_id: string): Promise<Heard> =>
    waitUntil(`the end of command ${event_id}`, () =>
      stream().heard.find(({ payload }) => payload.event_id === event_id),
    );
  return {
    give,
    endOf,
    product: (deviceId: DeviceId) => world.sim<SimulatedProduct>('GET', `/products/${deviceId}`),
    change: (deviceId: DeviceId, body: object) => world.sim('PATCH', `/products/${deviceId}`, body),
    async accepted(deviceId: DeviceId, body: object, path?: string): Promise<string> {
      const { status, body: answer } = await give(deviceId, body, path);
      if (status !== 200 || !answer.success) throw new Error(`refused: ${status} ${JSON.stringify(answer)}`);
      expect(answer.data.event_id).toMatch(/^[0-9a-f]{8}$/);
      return answer.data.event_id;
    },
    async done(deviceId: DeviceId, body: object, path?: string): Promise<Heard> {
      return endOf(await this.accepted(deviceId, body, path));
    },
    async refused(deviceId: DeviceId, body: object, path?: string) {
      const { status, body: answer } = await give(deviceId, body, path);
      return { status, errors: answer.success ? [] : answer.errors.map(({ code, field }) => ({ code, field })) };
    },
    command: async (event_id: string) => (await world.call<CommandAnswer>('GET', `/v2/commands/${event_id}`)).body.data,
    /** Waits until the cloud has heard of both products, so that commands find a gateway. */
    seen: () =>
      waitUntil('the cloud to hear of the products', async () => {
        const answers = await Promise.all(
          Object.values(PRODUCT_IDS).map((id) => world.api<{ data: { status: string } }>(`/v2/products/${id}`)),
        );
        return answers.every(({ body }) => body.data.status === 'online');
      }),
  };
}

function onlyWhatIsSpecified(stream: RealtimeListener): void {
  for (const { event, payload } of stream.heard) {
    if (event === 'authorized') continue;
    expect(Object.keys(EVENT_SCHEMAS)).toContain(event);
    expect(EVENT_SCHEMAS[event as EventName].safeParse(payload).error, event).toBeUndefined();
  }
}

const BARRIER = TEST_SITE.barrier;
const GATE = TEST_SITE.gate;
/** No command here fails by the time limit of a gateway or by a rate limit, however slow the machine is. */
const cloudEnv = { GATEWAY_WAIT_MS: '300000', RATE_COMMANDS_PER_MIN: '0' };

describe('command story: a person moves a product, and hears of it', () => {
  let world: World;
  let stream: RealtimeListener;
  let act: ReturnType<typeof actorsOf>;

  beforeAll(async () => {
    world = await createWorld({ cloudEnv });
    stream = await world.listen();
    act = actorsOf(world, () => stream);
    await act.seen();
  });

  afterEach(async () => {
    const well = { car_on_top: false, sensor_dirty: false, rtc_valid: true, in_range: true, answer_delay_ms: 0 };
    await Promise.all([act.change(BARRIER, well), act.change(GATE, well)]);
  });

  afterAll(async () => {
    await stream?.close();
    await world?.close();
  });

  it('opens once, and answers with one lot_change that carries the event_id', async () => {
    const event_id = await act.accepted(BARRIER, { operation: 'open' });
    expect(await act.endOf(event_id)).toMatchObject({
      event: 'lot_change',
      id: expect.any(String),
      payload: { event_id, lot_id: 1, data: { id: 1, device_id: BARRIER, barrier: { state: 'opened' } } },
    });
    expect(await act.product(BARRIER)).toMatchObject({ state: 'opened', moves: 1 });
    expect(await act.command(event_id)).toMatchObject({
      event_id,
      product_id: 1,
      operation: 'open',
      status: 'succeeded',
      gateway_error: null,
      attempts: [{ gateway_uuid: TEST_SITE.gatewayUuid, rssi: expect.any(Number), outcome: 'succeeded' }],
      ended_at: expect.any(String),
    });
    // The gateway's report of the movement follows as a pair, without the event_id.
    await waitUntil('the report of the movement', () => {
      const at = stream.heard.findIndex(({ payload }) => payload.event_id === event_id);
      const later = stream.heard.slice(at + 1).filter(({ event }) => event === 'lot_change');
      return later.filter(({ payload }) => (payload.data as { id: number }).id === 1).length >= 2;
    });
    expect(stream.heard.filter(({ payload }) => payload.event_id === event_id)).toHaveLength(1);
  });

  it('does not close onto a car, but opens for it', async () => {
    await act.change(BARRIER, { car_on_top: true });
    const refusal = await act.done(BARRIER, { operation: 'close' });
    expect(refusal).toMatchObject({
      event: 'gateway_error',
      payload: { type: 6, message: 'Car on top', data: { id: 1, name: 'Entry barrier' } },
    });
    expect(await act.command(String(refusal.payload.event_id))).toMatchObject({
      status: 'failed',
      gateway_error: { type: 6, message: 'Car on top' },
      attempts: [{ outcome: 'failed:6' }],
    });
    expect(await act.done(BARRIER, { operation: 'force_close' })).toMatchObject({ payload: { type: 6 } });
    expect(await act.done(BARRIER, { operation: 'open' })).toMatchObject({
      event: 'lot_change',
      payload: { data: { barrier: { state: 'opened', is_car_on_top: 1 } } },
    });
    expect(await act.product(BARRIER)).toMatchObject({ state: 'opened', moves: 1 });
  });

  it('closes in spite of a dirty sensor only by force', async () => {
    await act.change(BARRIER, { sensor_dirty: true });
    expect(await act.done(BARRIER, { operation: 'close' })).toMatchObject({
      event: 'gateway_error',
      payload: { type: 7 },
    });
    expect(await act.done(BARRIER, { operation: 'force_close' })).toMatchObject({
      event: 'lot_change',
      payload: { data: { barrier: { state: 'closed' }, product_error: { sensor_dirty: 1 } } },
    });
    expect(await act.product(BARRIER)).toMatchObject({ state: 'closed', moves: 2 });
  });

  it('is refused by a product whose clock is two days ahead, until the cloud has put it right', async () => {
    await act.change(BARRIER, { clock_off_s: 172_800 });
    expect(await act.done(BARRIER, { operation: 'open' })).toMatchObject({
      event: 'gateway_error',
      payload: { type: 1 },
    });
    await waitUntil('an opening', async () => {
      const { event } = await act.done(BARRIER, { operation: 'open' });
      return event === 'lot_change';
    });
    expect(await act.product(BARRIER)).toMatchObject({ state: 'opened' });
  });

  it('holds open until it is cleared, and clears only what is set', async () => {
    for (const [device, block] of [
      [BARRIER, { barrier: { state: 'opened' } }],
      [GATE, { gate: { state: 'opened', permanent_position: 'stay_open' } }],
    ] as const) {
      const unset = { status: 422, errors: [{ code: 23, field: 'operation' }] };
      expect(await act.refused(device, { operation: 'clear_stay_open' })).toEqual(unset);
      expect(await act.done(device, { operation: 'stay_open' })).toMatchObject({ payload: { data: block } });
      expect(await act.product(device)).toMatchObject({ permanent_position: 'stay_open' });
      expect(await act.refused(device, { operation: 'clear_stay_close' })).toEqual(unset);
      expect(await act.done(device, { operation: 'clear_stay_open' })).toMatchObject({ event: 'lot_change' });
      expect(await act.product(device)).toMatchObject({ permanent_position: 'disabled', state: 'opened' });
    }
  });

  it('changes settings, and keeps those that are not named', async () => {
    expect(await act.done(BARRIER, { is_autoclose: true }, 'settings')).toMatchObject({
      payload: { data: { barrier: { is_auto_close: 1, auto_close_time: 10 } } },
    });
    await act.done(BARRIER, { operation: 'stay_open' });
    await act.done(BARRIER, { autoclose_time: 200 }, 'settings');
    // Auto-close was off while it was held open, and is still set.
    expect(await act.done(BARRIER, { operation: 'clear_stay_open' })).toMatchObject({
      payload: { data: { barrier: { is_auto_close: 1, auto_close_time: 200 } } },
    });
    await act.done(BARRIER, { is_autoclose: 0 }, 'settings');
    expect(await act.done(GATE, { permanent_position: 'stay_close' }, 'settings')).toMatchObject({
      payload: { data: { gate: { state: 'closed', permanent_position: 'stay_close' } } },
    });
    expect(await act.done(GATE, { permanent_position: 'disabled' }, 'settings')).toMatchObject({
      payload: { data: { gate: { permanent_position: 'disabled' } } },
    });
    expect(await act.refused(GATE, { is_autoclose: 1 }, 'settings')).toEqual({
      status: 422,
      errors: [{ code: 23, field: 'is_autoclose' }],
    });
    expect(await act.refused(BARRIER, {}, 'settings')).toMatchObject({ status: 422, errors: [{ field: 'body' }] });
  });

  it('works for a product that lost its clock, and sets it right', async () => {
    await act.change(BARRIER, { rtc_valid: false });
    expect(await act.done(BARRIER, { operation: 'open' })).toMatchObject({ event: 'lot_change' });
    expect(await world.sim('GET', `/products/${BARRIER}`)).toMatchObject({ rtc_valid: true });
  });

  it('takes one command at a time', async () => {
    await act.change(GATE, { answer_delay_ms: 1_000 });
    const second = await waitUntil('a command to come while another is under way', async () => {
      const first = await act.accepted(GATE, { operation: 'open' });
      const { status, body } = await act.give(GATE, { operation: 'open' });
      expect(await act.endOf(first)).toMatchObject({ event: 'lot_change' });
      if (!body.success) return { status, errors: body.errors.map(({ code, field }) => ({ code, field })) };
      // The first command had already ended.
      await act.endOf(body.data.event_id);
      return null;
    });
    expect(second).toEqual({ status: 403, errors: [{ code: 214, field: undefined }] });
    await act.done(GATE, { operation: 'close' });
  });

  it('opens a whole lot in an emergency, and holds it until that is over', async () => {
    await Promise.all([act.done(BARRIER, { operation: 'close' }), act.done(GATE, { operation: 'close' })]);
    const { body } = await world.call<{ data: { event_ids: string[] } }>('POST', '/v2/lots/1/release', {
      body: { hold: 1 },
    });
    expect(body.data.event_ids).toHaveLength(2);
    await Promise.all(body.data.event_ids.map(act.endOf));
    for (const device of [BARRIER, GATE] as const) {
      expect(await act.product(device)).toMatchObject({ state: 'opened', permanent_position: 'stay_open' });
    }
    const cleared = await world.call<{ data: { event_ids: string[] } }>('POST', '/v2/lots/1/release/clear');
    expect(cleared.body.data.event_ids).toHaveLength(2);
    await Promise.all(cleared.body.data.event_ids.map(act.endOf));
    expect(await act.product(GATE)).toMatchObject({ permanent_position: 'disabled' });
    const again = await world.call<{ data: { event_ids: string[] } }>('POST', '/v2/lots/1/release/clear');
    expect(again.body.data.event_ids).toEqual([]);
  });

  it('ends when its gateway dies, and the next one works again', async () => {
    await act.change(BARRIER, { answer_delay_ms: 20_000 });
    const event_id = await act.accepted(BARRIER, { operation: 'close' });
    await waitUntil('the barrier to move', async () => (await act.product(BARRIER)).state === 'moving');
    await world.faults.kill('agent');
    expect((await act.endOf(event_id)).payload).toEqual({
      type: 'Timeout',
      event_id,
      data: { id: 1, name: 'Entry barrier' },
    });
    expect(await act.command(event_id)).toMatchObject({
      status: 'failed',
      gateway_error: { type: 'Timeout', message: null },
      attempts: [{ outcome: 'offline' }],
    });
    expect(await act.refused(BARRIER, { operation: 'open' })).toMatchObject({ status: 403, errors: [{ code: 704 }] });
    await act.change(BARRIER, { answer_delay_ms: 0 });
    await world.startAgent();
    await world.settled();
    await waitUntil('the cloud to hear of the barrier again', async () => {
      const { status } = await act.give(BARRIER, { operation: 'open' });
      return status === 200;
    });
    await waitUntil('the barrier to be passable', async () => (await act.product(BARRIER)).state === 'opened');
  });

  it('is resumed by a cloud that was killed: it moves once, and its end is sent', async () => {
    await act.seen();
    await waitUntil('the command before to have ended', async () => {
      const { status } = await act.give(BARRIER, { operation: 'open' });
      return status === 200;
    });
    await act.done(GATE, { operation: 'close' });
    await world.settled();
    const { moves } = await act.product(GATE);
    await act.change(GATE, { answer_delay_ms: 3_000 });
    const event_id = await act.accepted(GATE, { operation: 'stay_open' });
    await waitUntil('the gate to move', async () => (await act.product(GATE)).moves === moves + 1);
    await world.faults.kill('cloud');
    // The result stays in the outbox of a gateway that was stopped meanwhile, too.
    await waitUntil('the result to be kept', async () => (await world.agentStatus()).outbox.pending > 0);
    await world.stopAgent();
    await world.startCloud();
    await world.startAgent();
    stream = await world.listen(stream.heard.findLast(({ id }) => id !== null)?.id ?? undefined);
    expect(await act.endOf(event_id)).toMatchObject({ event: 'lot_change' });
    expect(await act.command(event_id)).toMatchObject({ status: 'succeeded', attempts: [{ outcome: 'succeeded' }] });
    expect(await act.product(GATE)).toMatchObject({ state: 'opened', moves: moves + 1 });
  });

  it('fails when the product is out of range', async () => {
    // Only an accepted command shows that a gateway sees the product: after its restart the cloud has `online` from its database.
    const sent = await waitUntil('a gateway that still believes in it', async () => {
      await act.change(BARRIER, { in_range: true });
      const before = await waitUntil('a command that is taken', async () => {
        const { body } = await act.give(BARRIER, { operation: 'open' });
        return body.success ? body.data.event_id : null;
      });
      await act.endOf(before);
      await act.change(BARRIER, { in_range: false });
      const { body } = await act.give(BARRIER, { operation: 'close' });
      return body.success ? body.data.event_id : null;
    });
    await waitUntil('its end', async () => (await act.command(sent)).status === 'failed');
    expect(await act.command(sent)).toMatchObject({
      gateway_error: { type: 4, message: 'Device not found' },
      attempts: [{ outcome: 'failed:4' }],
    });
  });

  it('sends nothing but what the specification describes', () => onlyWhatIsSpecified(stream));
});

describe('command story with two gateways: the weaker one does what the stronger cannot', () => {
  let world: World;
  let stream: RealtimeListener;
  let act: ReturnType<typeof actorsOf>;
  const towards = (gateway: string, body: object) =>
    world.sim('PATCH', `/products/${BARRIER}?gateway=${gateway}`, body);

  beforeAll(async () => {
    // Its reports say how strongly it hears a product.
    world = await createWorld({ secondGateway: true, cloudEnv, agentEnv: { REPORT_INTERVAL_MS: '1000' } });
    stream = await world.listen();
    act = actorsOf(world, () => stream);
    await act.seen();
  });

  afterAll(async () => {
    await stream?.close();
    await world?.close();
  });

  it('asks the stronger first, and moves the product once', async () => {
    await towards(TEST_SITE.gatewayUuid, { rssi: -50 });
    await towards(TEST_SITE.secondGatewayUuid, { rssi: -80 });
    const opened = await waitUntil('a command that went to the stronger gateway', async () => {
      const { payload } = await act.done(BARRIER, { operation: 'open' });
      const { attempts } = await act.command(String(payload.event_id));
      return attempts[0]?.gateway_uuid === TEST_SITE.gatewayUuid && attempts[0].rssi === -50 ? attempts : null;
    });
    expect(opened).toMatchObject([{ outcome: 'succeeded' }]);

    const { moves } = await act.product(BARRIER);
    await towards(TEST_SITE.gatewayUuid, { in_range: false });
    const event_id = await act.accepted(BARRIER, { operation: 'close' });
    expect(await act.endOf(event_id)).toMatchObject({
      event: 'lot_change',
      payload: { data: { barrier: { state: 'closed' } } },
    });
    expect(await act.command(event_id)).toMatchObject({
      status: 'succeeded',
      attempts: [
        { gateway_uuid: TEST_SITE.gatewayUuid, rssi: -50, outcome: 'failed:4' },
        { gateway_uuid: TEST_SITE.secondGatewayUuid, outcome: 'succeeded' },
      ],
    });
    expect(await act.product(BARRIER)).toMatchObject({ state: 'closed', moves: moves + 1 });
  });

  it('sends nothing but what the specification describes', () => onlyWhatIsSpecified(stream));
});
