/** Commands between cloud and gateways, with the real database: hand-over, end, late results, restarts. */
import * as nodeCrypto from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownChange } from '../../../cloud/kernel/audit/audit-note.js';
import { findCommandDetails } from '../../../cloud/equipment/command/command-queries.js';
import { findProductDetails } from '../../../cloud/equipment/product/product-detail-queries.js';
import { StoreError } from '../../../cloud/kernel/store/cloud-store.js';
import { EVENT_SCHEMAS } from '../../../shared/events/event-schemas.js';
import type { EventId, GatewayUuid } from '../../../shared/ids.js';
import { decodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { decodeToken, isTokenGenuine } from '../../../shared/product-protocol/token-codec.js';
import type { CommandResultRecord, ProductStatus, UplinkRecord } from '../../../shared/uplink.js';
import { proves } from '../../contract/sending-rules.js';
import { connectGateway, type TestGateway } from '../gateway/link-gateway.js';
import { batchOf, wireBatch, newOutboxEpoch, recordOf } from '../ingest/gateway-records.js';
import { NORTH_GATEWAY, RIVAL_GATEWAY, SECOND_GATEWAY } from '../gateway/link-site.js';
import { createLinkWorld, createStoreWorld, GATEWAY_WAIT_MS, type StoreWorld } from '../gateway/link-world.js';
import { noteHeard } from '../product/note-heard.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

const STATUS: ProductStatus = {
  state: 'opened',
  permanent_position: 'disabled',
  is_car_on_top: false,
  is_autoclose: true,
  autoclose_time: 10,
  battery_status: 70,
  errors: 0,
};

let world: StoreWorld;
let seqs: Map<GatewayUuid, { epoch: ReturnType<typeof newOutboxEpoch>; seq: number }>;
beforeEach(async () => {
  world = await createStoreWorld();
  seqs = new Map();
  await sees(world.site.gateway, -50);
});
afterEach(() => world.close());

const sees = (gateway_id: number, rssi: number) => noteHeard(world, world.site.barrier, { gateway_id, rssi });
const barrierOf = async ({ store, site }: StoreWorld) => {
  const found = await findProductDetails(store.reader, site.barrier);
  if (found === null) throw new Error('there is no barrier');
  return found;
};
const open = async () => world.orders.operate(ownChange(world.store), await barrierOf(world), { operation: 'open' });
const details = async (event_id: EventId) => {
  const found = await findCommandDetails(world.store.reader, event_id);
  if (found === null) throw new Error(`no command ${event_id}`);
  const { command, attempts } = found;
  const { status, gateway_error_type } = command;
  return { status, error: gateway_error_type, attempts: attempts.map(({ outcome }) => outcome) };
};

function result(event_id: EventId, more: Partial<CommandResultRecord> = {}): CommandResultRecord {
  return {
    kind: 'command_result',
    event_id,
    product_id: world.site.barrier,
    outcome: 'succeeded',
    gateway_error_type: null,
    authenticated: true,
    refused_late: false,
    status: STATUS,
    ...more,
  };
}
const failure = (event_id: EventId, type: number, authenticated: boolean) =>
  result(event_id, {
    outcome: 'failed',
    gateway_error_type: type,
    authenticated,
    status: authenticated ? { ...STATUS, state: 'closed' } : null,
  });

/** The gateway's next record of lane 0, as it comes over the link; returns the events that were pushed. */
async function receive(payload: CommandResultRecord, how: { from?: GatewayUuid; record?: Partial<UplinkRecord> } = {}) {
  const { from = NORTH_GATEWAY } = how;
  const lane = seqs.get(from) ?? { epoch: newOutboxEpoch(), seq: 0 };
  seqs.set(from, lane);
  lane.seq += 1;
  world.pushed.length = 0;
  const record = recordOf(lane.seq, payload, { wall_ms: world.clock.now(), ...how.record });
  const ack = await world.ingest.apply(from, wireBatch(lane.epoch, 0, [record]));
  expect(ack).toMatchObject({ seq: lane.seq, gap: false });
  return pushedEvents();
}
function pushedEvents() {
  for (const { event, payload } of world.pushed) {
    expect(EVENT_SCHEMAS[event].safeParse(payload).error, event).toBeUndefined();
  }
  return world.pushed.map(({ event, id, payload }) => ({ event, id, payload: payload as Record<string, unknown> }));
}
const reasons = async () =>
  (await world.store.reader.selectFrom('dead_letters').select('reason').execute()).map(({ reason }) => reason);

describe('a command', () => {
  it('is asked of the gateway with credentials of its own that end with it', async () => {
    const event_id = await open();
    const [{ uuid, message } = { uuid: '', message: undefined }] = world.sent;
    expect(uuid).toBe(NORTH_GATEWAY);
    const now = world.clock.now();
    expect(message).toMatchObject({
      event_id,
      product_id: world.site.barrier,
      device_id: 'a4c138000001',
      command: { name: 'open' },
      deadline_ms: now + GATEWAY_WAIT_MS,
    });
    const crypto = createProtocolCrypto(nodeCrypto);
    const masterKey = new Uint8Array(32).fill(1);
    const keys = deriveProductKeys(crypto, { masterKey, deviceId: message!.device_id, pairingEpoch: 1 });
    const [token, setTime] = [message!.credential, message!.set_time_credential].map(
      (credential) => decodeBase64url(credential.token) ?? new Uint8Array(),
    );
    expect([token, setTime].map((each) => isTokenGenuine(crypto, keys, each!))).toEqual([true, true]);
    const early = now / 1_000 - 15 * 60;
    const grant = { slot: 0, gen: 0, notBeforeS: early };
    expect(decodeToken(token!)).toMatchObject({ ...grant, op: 'open', expiresS: (now + GATEWAY_WAIT_MS) / 1_000 });
    expect(decodeToken(setTime!)).toMatchObject({ ...grant, op: 'status' });
  });

  it("ends with the product's word: one lot_change with its event_id", proves('lot_change: command'), async () => {
    const event_id = await open();
    const events = await receive(result(event_id));
    expect(events).toMatchObject([
      { event: 'lot_change', id: 1, payload: { event_id, data: { battery_status: 70, barrier: { state: 'opened' } } } },
    ]);
    expect(await details(event_id)).toEqual({ status: 'succeeded', error: null, attempts: ['succeeded'] });
    expect(await receive(result(event_id))).toEqual([]);
    await world.clock.advance(GATEWAY_WAIT_MS);
    expect(await details(event_id)).toEqual({ status: 'succeeded', error: null, attempts: ['succeeded'] });
  });

  it('leaves the product as it was when the product refuses', proves('gateway_error: refused'), async () => {
    await receive(result(await open(), { status: { ...STATUS, battery_status: 99 } }));
    const event_id = await open();
    const refusal = failure(event_id, 6, true);
    expect(await receive({ ...refusal, status: { ...STATUS, state: 'closed', battery_status: 1 } })).toMatchObject([
      {
        event: 'gateway_error',
        payload: {
          type: 6,
          message: 'Car on top',
          event_id,
          data: { id: world.site.barrier, name: 'Product a4c138000001' },
        },
      },
    ]);
    const product = world.store.reader
      .selectFrom('products')
      .select('battery_status')
      .where('id', '=', world.site.barrier);
    expect(await product.executeTakeFirst()).toEqual({ battery_status: 99 });
  });

  it('goes from gateway to gateway, the strongest first, each for its time', async () => {
    await sees(world.site.secondGateway, -40);
    const event_id = await open();
    expect(await receive(failure(event_id, 4, false), { from: SECOND_GATEWAY })).toEqual([]);
    await world.clock.advance(GATEWAY_WAIT_MS - 1);
    expect((await details(event_id)).status).toBe('pending');
    world.pushed.length = 0;
    await world.clock.advance(1);
    await waitUntil('the end', () => world.pushed.length > 0);
    expect(pushedEvents()).toMatchObject([{ event: 'gateway_error', payload: { type: 4, event_id } }]);
    expect(world.sent.map(({ uuid, message }) => [uuid, message.has_others])).toEqual([
      [SECOND_GATEWAY, true],
      [NORTH_GATEWAY, false],
    ]);
    const deadlines = world.sent.map(({ message }) => message.deadline_ms);
    expect(deadlines).toEqual([world.clock.now(), world.clock.now()]);
    expect(await details(event_id)).toEqual({ status: 'failed', error: '4', attempts: ['failed:4', 'timeout'] });
  });

  it('is a Timeout without a message when nobody answers', proves('gateway_error: timeout'), async () => {
    const event_id = await open();
    await world.clock.advance(GATEWAY_WAIT_MS);
    await waitUntil('the end', () => world.pushed.length > 0);
    expect(pushedEvents().map(({ payload }) => payload)).toEqual([
      { type: 'Timeout', event_id, data: { id: world.site.barrier, name: 'Product a4c138000001' } },
    ]);
    await open();
  });

  it('does not wait for a gateway that is gone', async () => {
    await sees(world.site.secondGateway, -90);
    const event_id = await open();
    world.commands.gatewayOffline(world.site.gateway);
    await waitUntil('the next gateway', () => world.sent.length === 2);
    expect((await details(event_id)).attempts).toEqual(['offline', null]);
  });

  it('is no success when a gateway refuses it as late, or claims it without proof', async () => {
    await sees(world.site.secondGateway, -90);
    const late = result('00000000' as EventId, {
      outcome: 'failed',
      refused_late: true,
      authenticated: false,
      status: null,
    });
    for (const [claim, outcome] of [
      [late, 'late'],
      [result(late.event_id, { authenticated: false }), 'failed:11'],
      [result(late.event_id, { status: null }), 'failed:11'],
      [result(late.event_id, { outcome: 'failed', authenticated: false, status: null }), 'failed:11'],
    ] as const) {
      const event_id = await open();
      expect(await receive({ ...claim, event_id })).toEqual([]);
      expect(await details(event_id)).toMatchObject({ status: 'pending', attempts: [outcome, null] });
      await receive(result(event_id), { from: SECOND_GATEWAY });
    }
  });

  it(
    'whose product is in no lot is told to nobody, and can be asked for',
    proves('lot_change: no_lot', 'gateway_error: no_lot'),
    async () => {
      const event_id = await open();
      await world.store.change((tx) =>
        tx.updateTable('products').set({ lot_id: null }).where('id', '=', world.site.barrier).execute(),
      );
      expect(await receive(result(event_id))).toEqual([]);
      expect(await details(event_id)).toMatchObject({ status: 'succeeded' });
      const block = world.store.reader
        .selectFrom('product_blocks')
        .select('state')
        .where('product_id', '=', world.site.barrier);
      expect(await block.executeTakeFirst()).toEqual({ state: 'opened' });

      const refused = await open();
      expect(await receive(failure(refused, 6, true))).toEqual([]);
      expect(await details(refused)).toMatchObject({ status: 'failed', error: '6' });
    },
  );

  it('whose product was removed ends all the same', async () => {
    await sees(world.site.secondGateway, -90);
    const event_id = await open();
    await world.store.change((tx) => tx.deleteFrom('products').where('id', '=', world.site.barrier).execute());
    await world.clock.advance(GATEWAY_WAIT_MS);
    await waitUntil('the end', async () => (await details(event_id)).status === 'failed');
    expect(world.sent).toHaveLength(1);
  });

  it('goes on when the database does again', async () => {
    const event_id = await open();
    const { change } = world.store;
    world.store.change = () => Promise.reject(new StoreError('locked', 'somebody else writes'));
    await world.clock.advance(GATEWAY_WAIT_MS);
    world.store.change = change;
    await world.clock.advance(1_000);
    await waitUntil('the end', async () => (await details(event_id)).status === 'failed');
    const errors = world.log.filter(({ level, fields }) => level === 'error' && fields['event_id'] === event_id);
    expect(errors).toHaveLength(1);
  });
});

describe('settings', () => {
  const settle = async (command: Promise<EventId>, status: Partial<ProductStatus>) => {
    const event_id = await command;
    await receive(result(event_id, { status: { ...STATUS, ...status } }));
    const block = world.store.reader
      .selectFrom('product_blocks')
      .selectAll()
      .where('product_id', '=', world.site.barrier);
    const { is_autoclose, autoclose_setting, autoclose_time, permanent_position } =
      await block.executeTakeFirstOrThrow();
    return [is_autoclose, autoclose_setting, autoclose_time, permanent_position];
  };

  it('include auto-close while a permanent position hides it', async () => {
    const barrier = await barrierOf(world);
    expect(await settle(open(), {})).toEqual([1, 1, 10, 'disabled']);
    const stay = { permanent_position: 'stay_open', is_autoclose: false } as const;
    expect(
      await settle(world.orders.operate(ownChange(world.store), barrier, { operation: 'stay_open' }), stay),
    ).toEqual([0, 1, 10, 'stay_open']);
    const off = world.orders.changeSettings(ownChange(world.store), await barrierOf(world), {
      is_autoclose: 0,
      autoclose_time: 9,
    });
    expect(await settle(off, { ...stay, autoclose_time: 9 })).toEqual([0, 0, 9, 'stay_open']);
  });
});

describe('settings, changed', () => {
  it('are told in one lot_change with the event_id', proves('lot_change: settings'), async () => {
    const event_id = await world.orders.changeSettings(ownChange(world.store), await barrierOf(world), {
      is_autoclose: 0,
      autoclose_time: 9,
    });
    const status = { ...STATUS, is_autoclose: false, autoclose_time: 9 };
    expect(await receive(result(event_id, { status }))).toMatchObject([
      {
        event: 'lot_change',
        id: 1,
        payload: { event_id, data: { barrier: { is_auto_close: 0, auto_close_time: 9 } } },
      },
    ]);
  });
});

describe('a result that comes after the end', () => {
  async function timedOut(): Promise<EventId> {
    const event_id = await open();
    await world.clock.advance(GATEWAY_WAIT_MS);
    // Readers may know of the end before it is told: told late, it would be among what the late result is told by.
    await waitUntil('the end to be told', () => world.pushed.some(({ event }) => event === 'gateway_error'));
    expect((await details(event_id)).status).toBe('failed');
    return event_id;
  }

  it('changes the product, in a pair without event_id, and is kept in the attempts', async () => {
    const event_id = await timedOut();
    const events = await receive(result(event_id));
    expect(events).toMatchObject([
      { event: 'lot_change', id: 2, payload: { data: { barrier: { state: 'opened' } } } },
      { event: 'lot_change', id: 3 },
    ]);
    expect(events[1]?.payload).toEqual(events[0]?.payload);
    expect(events[0]?.payload).not.toHaveProperty('event_id');
    expect(await details(event_id)).toEqual({ status: 'failed', error: 'Timeout', attempts: ['succeeded'] });
    expect(await receive(result(event_id))).toEqual([]);
  });

  it('changes nothing of the product when it is older than the reports since', async () => {
    const event_id = await timedOut();
    const seen_at = world.clock.now();
    await world.store.change((tx) => tx.updateTable('products').set({ seen_at }).execute());
    expect(await receive(result(event_id), { record: { wall_ms: seen_at - 1 } })).toEqual([]);
    expect((await details(event_id)).attempts).toEqual(['succeeded']);
  });
});

describe('a result of nothing that was asked', () => {
  it('is a dead letter, and stops nothing', async () => {
    const event_id = await open();
    await receive(result('12345678' as EventId));
    await receive(result(event_id, { product_id: world.site.gate }));
    await receive(result(event_id), { from: SECOND_GATEWAY });
    await receive(result(event_id), { from: RIVAL_GATEWAY });
    expect(await reasons()).toHaveLength(4);
    for (const reason of await reasons()) expect(reason).toMatch(/^no command [0-9a-f]{8} for product \d+ was given/);
    expect((await details(event_id)).status).toBe('pending');
  });
});

describe('a cloud that starts again', () => {
  /** Stops the cloud, lets time pass, and starts another one on the same data. */
  async function restartAfter(ms: number): Promise<void> {
    const { directory, site } = world;
    await world.stop();
    world = await createStoreWorld({ existing: { directory, site } });
    world.clock.jumpWall(ms);
    await world.commands.resume();
  }

  it('takes the result of what it asked before', async () => {
    const event_id = await open();
    await restartAfter(10_000);
    expect(await receive(result(event_id))).toMatchObject([{ payload: { event_id } }]);
  });

  it('counts the time of what runs from its beginning, and hands over', async () => {
    const event_id = await open();
    await restartAfter(10_000);
    await sees(world.site.secondGateway, -60);
    await world.clock.advance(GATEWAY_WAIT_MS - 10_001);
    expect((await details(event_id)).attempts).toEqual([null]);
    await world.clock.advance(1);
    await waitUntil('the next gateway', () => world.sent.length === 1);
    expect((await details(event_id)).attempts).toEqual(['timeout', null]);
  });

  it('moves nothing any more after a long time, and leaves nothing pending', async () => {
    const event_id = await open();
    await restartAfter(3_600_000);
    await sees(world.site.secondGateway, -60);
    await world.clock.advance(0);
    await waitUntil('the end', async () => (await details(event_id)).status === 'failed');
    expect(await details(event_id)).toEqual({ status: 'failed', error: 'Timeout', attempts: ['timeout'] });
    expect(world.sent).toEqual([]);
  });

  it('forgets commands after a month', async () => {
    const event_id = await open();
    await receive(result(event_id));
    const pending = await open();
    world.clock.jumpWall(30 * 24 * 3_600_000 + 1);
    await world.commands.prune();
    expect(await findCommandDetails(world.store.reader, event_id)).toBeNull();
    expect((await details(pending)).attempts).toEqual([null]);
    expect(await world.store.reader.selectFrom('command_attempts').select('event_id').execute()).toEqual([
      { event_id: pending },
    ]);
  });
});

describe('over the real broker', () => {
  it('a gateway gets its command, and is replaced when its link breaks', async () => {
    const link = await createLinkWorld();
    const gateways: TestGateway[] = [];
    try {
      for (const uuid of [NORTH_GATEWAY, SECOND_GATEWAY]) {
        const gateway = await connectGateway({ port: link.broker.port, uuid, epoch: newOutboxEpoch() });
        gateways.push(gateway);
        gateway.sayHello();
        await waitUntil('the welcome', () => gateway.welcomes().length > 0);
      }
      const { barrier, gateway: strong, secondGateway: weak } = link.site;
      await noteHeard(link, barrier, { gateway_id: strong, rssi: -50 });
      await noteHeard(link, barrier, { gateway_id: weak, rssi: -70 });
      const event_id = await link.orders.operate(ownChange(link.store), await barrierOf(link), { operation: 'open' });
      const got = (index: number) =>
        gateways[index]?.received.filter(({ topic, text }) => topic.endsWith('/command') && text.includes(event_id));
      await waitUntil('the command at the strong gateway', () => got(0)?.length === 1);
      gateways[0]?.cut();
      await waitUntil('the command at the weak gateway', () => got(1)?.length === 1);
      const payload = { ...result(event_id), product_id: barrier };
      await gateways[1]?.sendRecords(batchOf(newOutboxEpoch(), 0, [recordOf(1, payload)]));
      expect(link.pushed.filter(({ event }) => event === 'lot_change')).toMatchObject([{ payload: { event_id } }]);
    } finally {
      for (const gateway of gateways) await gateway.end();
      await link.close();
    }
  });
});
