import * as nodeCrypto from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClockCorrections } from '../../../cloud/equipment/product/clock-corrections.js';
import type { ProductReports } from '../../../cloud/equipment/product/product-reports.js';
import {
  createProductReceptions,
  type ProductReceptions,
} from '../../../cloud/equipment/product/product-receptions.js';
import { EVENT_SCHEMAS } from '../../../shared/events/event-schemas.js';
import { PRODUCT_TYPE_IDS } from '../../../shared/ids.js';
import { openAdminRecord } from '../../../shared/product-protocol/admin-record.js';
import { decodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { type AdminMessage, adminMessageSchema } from '../../../shared/uplink-orders.js';
import type { ProductReport } from '../../../shared/uplink-reports.js';
import { NORTH_GATEWAY, RIVAL_GATEWAY, SECOND_GATEWAY, secrets, SPARE_GATEWAY } from '../gateway/link-site.js';
import { createStoreWorld, type StoreWorld } from '../gateway/link-world.js';
import { heardBarrier } from './heard-barrier.js';
import { proves } from '../../contract/sending-rules.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { productReportsOf } from '../../world/product-reports.js';

let world: StoreWorld;
let admin: { uuid: string; message: AdminMessage }[];
const crypto = createProtocolCrypto(nodeCrypto);
let reports: ProductReports;
let receptions: ProductReceptions;
const SEEN_WITHIN_MS = 120_000;
beforeEach(async () => {
  world = await createStoreWorld();
  receptions = createProductReceptions({ clock: world.clock, seenWithinMs: SEEN_WITHIN_MS });
  admin = [];
  const corrections = createClockCorrections({
    ...world,
    broker: {
      async publish(uuid, _channel, payload) {
        admin.push({ uuid, message: adminMessageSchema.parse(JSON.parse(payload)) });
      },
    },
    secrets,
    crypto,
  });
  reports = productReportsOf(world, { receptions, corrections });
});
afterEach(async () => {
  await reports.close();
  await world.close();
});

const barrier = (more: Partial<ProductReport> = {}) => heardBarrier(world.site.barrier, 'a4c138000001', more);
const gate = (more: Partial<ProductReport> = {}) => heardBarrier(world.site.gate, 'a4c138000002', more);

async function report(products: ProductReport[], uuid = NORTH_GATEWAY) {
  world.pushed.length = 0;
  await reports.handleReport(uuid, { products });
  for (const { event, payload } of world.pushed) {
    expect(event).toBe('lot_change');
    expect(EVENT_SCHEMAS.lot_change.safeParse(payload).error).toBeUndefined();
  }
  return world.pushed.map(({ id, payload }) => ({ id, payload: EVENT_SCHEMAS.lot_change.parse(payload) }));
}

describe('a report', () => {
  it(
    'is told of every product twice, next to each other, exactly as specified',
    proves('lot_change: report', 'lot_change: twice', 'lot_change: barrier'),
    async () => {
      const { site } = world;
      const events = await report([barrier(), gate({ state: 'opened', permanent_position: 'stay_open' })]);
      expect(events.map(({ payload }) => payload.data.id)).toEqual([site.barrier, site.barrier, site.gate, site.gate]);
      expect(events.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
      const now = new Date(world.clock.now()).toISOString();
      const made = '2026-01-01T00:00:00.000Z';
      expect(events[0]?.payload).toEqual({
        lot_id: site.lot,
        data: {
          id: site.barrier,
          device_id: 'a4c138000001',
          name: 'Product a4c138000001',
          lot_id: site.lot,
          product_type_id: 1,
          latitude: null,
          longitude: null,
          status: 'online',
          battery_status: 87,
          rssi: -60,
          deleted_at: null,
          created_at: made,
          updated_at: now,
          barrier: {
            id: 1,
            product_id: site.barrier,
            state: 'closed',
            is_auto_close: 1,
            is_car_on_top: 0,
            auto_close_time: 10,
            create_at: now,
            updated_at: now,
          },
          lot: {
            id: site.lot,
            lot_cluster_id: site.lot,
            account_id: site.account,
            name: 'North',
            address: 'Quay 1',
            latitude: 43.5,
            longitude: null,
            timezone: 'Europe/Zagreb',
            created_at: made,
            updated_at: made,
          },
        },
      });
      expect(events[1]?.payload).toEqual(events[0]?.payload);
      expect(events[2]?.payload.data.gate).toEqual({
        id: 2,
        product_id: site.gate,
        state: 'opened',
        permanent_position: 'stay_open',
        deleted_at: null,
        created_at: now,
        updated_at: now,
      });
      expect(events[2]?.payload.data.barrier).toBeUndefined();
    },
  );

  it.each(['gate', 'chain', 'bollard', 'brain'] as const)(
    'has the block of a %s under that name, and no other',
    proves('lot_change: barrier'),
    async (type) => {
      const { site } = world;
      await world.store.change((tx) =>
        tx
          .updateTable('products')
          .set({ product_type_id: PRODUCT_TYPE_IDS[type] })
          .where('id', '=', site.gate)
          .execute(),
      );
      const [event] = await report([gate({ state: 'opened', permanent_position: 'stay_open' })]);
      const blocks = ['barrier', 'gate', 'chain', 'bollard', 'brain'].filter(
        (key) => key in (event?.payload.data ?? {}),
      );
      expect(blocks).toEqual([type]);
      expect(event?.payload.data[type]).toMatchObject({ state: 'opened', permanent_position: 'stay_open' });
    },
  );

  it('is pushed and not journalled when it changes nothing', proves('lot_change: unchanged'), async () => {
    await report([barrier()]);
    world.clock.jumpWall(30_000);
    const again = await report([barrier({ seen_ago_ms: 5 })]);
    expect(again.map(({ id }) => id)).toEqual([null, null]);
    const changed = await report([barrier({ state: 'opened' })]);
    expect(changed.map(({ id }) => id)).toEqual([3, 4]);
    expect(changed[0]?.payload.data.barrier?.state).toBe('opened');
    expect(await world.store.reader.selectFrom('events').selectAll().execute()).toHaveLength(4);
  });

  it('leaves as it was what it does not know', async () => {
    await report([barrier()]);
    const unknown = {
      state: null,
      is_autoclose: null,
      autoclose_time: null,
      is_car_on_top: null,
      permanent_position: null,
    };
    const [event] = await report([barrier({ ...unknown, battery_status: null, advertisement_data: null })]);
    expect(event?.id).toBeNull();
    expect(event?.payload.data).toMatchObject({
      battery_status: 87,
      barrier: { state: 'closed', auto_close_time: 10 },
    });
  });

  it('changes no more than the signal where the product was heard before its state changed', async () => {
    await report([barrier()]);
    world.clock.jumpWall(5_000);
    await report([barrier({ state: 'opened', permanent_position: 'stay_open' })]);
    const [old] = await report([barrier({ rssi: -70, battery_status: 12, errors: 1, seen_ago_ms: 3_000 })]);
    expect(old?.payload.data).toMatchObject({
      battery_status: 87,
      rssi: -70,
      barrier: { state: 'opened' },
    });
    const [late] = await report([barrier({ seen_ago_ms: 900 })]);
    expect(late?.payload.data.barrier).toMatchObject({ state: 'closed' });
  });

  it('makes a block for a product never seen, of states its kind has', async () => {
    const unknown = {
      state: null,
      is_autoclose: null,
      autoclose_time: null,
      is_car_on_top: null,
      permanent_position: null,
    };
    const [first, , second] = await report([barrier({ ...unknown, state: 'error' }), gate(unknown)]);
    expect(first?.payload.data.barrier).toMatchObject({ state: 'closed', auto_close_time: 0 });
    expect(second?.payload.data.gate).toMatchObject({ state: 'unknown', permanent_position: 'disabled' });
  });

  it('tells errors while they last', proves('lot_change: error'), async () => {
    const [jammed] = await report([barrier({ errors: 0b100001 })]);
    expect(jammed?.payload.data).toMatchObject({
      product_error_id: 1,
      product_error: { error_code: '21', jammed: 1, sensor_dirty: 0, master_key_not_set: 1, deleted_at: null },
    });
    expect((await report([barrier({ errors: 0b100001 })]))[0]?.id).toBeNull();
    const [dirty] = await report([barrier({ errors: 2 })]);
    expect(dirty?.payload.data.product_error).toMatchObject({ id: 1, error_code: '02', jammed: 0, sensor_dirty: 1 });
    const [well] = await report([barrier()]);
    expect(well?.id).not.toBeNull();
    expect(well?.payload.data).not.toHaveProperty('product_error');
    expect(well?.payload.data).not.toHaveProperty('product_error_id');
  });

  it("changes products of the gateway's own lot only", async () => {
    expect(await report([barrier()], RIVAL_GATEWAY)).toEqual([]);
    expect(await report([barrier()], SPARE_GATEWAY)).toEqual([]);
    const wrongDevice = 'a4c138000009' as ProductReport['device_id'];
    expect(await report([barrier({ device_id: wrongDevice })])).toEqual([]);
    expect(await report([])).toEqual([]);
    await reports.handleReport(NORTH_GATEWAY, { products: 'none' });
    const rows = await world.store.reader.selectFrom('products').select('status').distinct().execute();
    expect(rows).toEqual([{ status: 'offline' }]);
  });

  it('says when the gateway was heard last', async () => {
    world.clock.jumpWall(5_000);
    await report([]);
    const row = await world.store.reader
      .selectFrom('gateways')
      .select('last_seen')
      .where('uuid', '=', NORTH_GATEWAY)
      .executeTakeFirstOrThrow();
    expect(row.last_seen).toBe(world.clock.now());
  });
});

describe('a product that is not heard', () => {
  it('is offline when its only gateway says so', async () => {
    await report([barrier()]);
    const [event] = await report([barrier({ status: 'offline', rssi: null, errors: 1, state: null })]);
    expect(event?.payload.data).toMatchObject({ status: 'offline', rssi: null, barrier: { state: 'closed' } });
    expect(event?.payload.data).not.toHaveProperty('product_error');
  });

  it('stays online while another gateway hears it, with the strongest signal', async () => {
    await report([barrier({ rssi: -80 })]);
    const [better] = await report([barrier({ rssi: -50 })], SECOND_GATEWAY);
    expect(better?.payload.data.rssi).toBe(-50);
    expect((await report([barrier({ rssi: -81 })]))[0]).toMatchObject({ id: null, payload: { data: { rssi: -50 } } });
    const [still] = await report([barrier({ status: 'offline' })]);
    expect(still).toMatchObject({ id: null, payload: { data: { status: 'online', rssi: -50 } } });
    expect(await receptions.recent(world.store.reader, world.site.barrier)).toEqual([
      { gateway_id: world.site.secondGateway, rssi: -50 },
    ]);
    expect((await report([barrier({ status: 'offline' })], SECOND_GATEWAY))[0]?.payload.data.status).toBe('offline');
  });

  it('is offline when no gateway reports it any more', async () => {
    await report([barrier(), gate()]);
    await world.store.change((tx) =>
      tx.deleteFrom('product_receptions').where('gateway_id', '=', world.site.gateway).execute(),
    );
    world.pushed.length = 0;
    await world.clock.advance(90_000);
    await reports.handleReport(NORTH_GATEWAY, { products: [gate()] });
    world.pushed.length = 0;
    await waitUntil('the product to be offline', async () => {
      await world.clock.advance(5_000);
      // Changes are done in their order. While the check asks the database time must not go on: the gate would be silent for too long, too.
      await world.store.change(async () => {});
      return world.pushed.length > 0;
    });
    expect(world.pushed).toHaveLength(2);
    for (const { id, payload } of world.pushed) {
      expect(id).not.toBeNull();
      expect(payload).toMatchObject({ data: { id: world.site.barrier, status: 'offline', rssi: null } });
    }
    await world.clock.advance(60_000);
    expect(await receptions.recent(world.store.reader, world.site.barrier)).toEqual([]);
  });
});

describe('a product that is heard without being proven', () => {
  const unproven = { rssi: -60, advertisement_data: 'ffff50' };
  const heard = () => barrier({ status: 'offline', state: null, rssi: null, unproven });

  it('can be paired, and is not seen otherwise', async () => {
    await report([heard()]);
    const { barrier: id } = world.site;
    const { reader } = world.store;
    expect([await receptions.recent(reader, id), await receptions.recentUnproven(reader, id)]).toEqual([
      [],
      [{ gateway_id: world.site.gateway, rssi: -60 }],
    ]);
    const row = await world.store.reader.selectFrom('products').selectAll().where('id', '=', id).executeTakeFirst();
    expect(row?.status).toBe('offline');
  });

  it('may prove to hold a key it was offered, which is asked in the transaction', async () => {
    await reports.close();
    const asked: string[] = [];
    const paired: number[] = [];
    reports = productReportsOf(world, {
      receptions,
      async adoptSeen(tx, { advertisement }) {
        asked.push(advertisement);
        if (asked.length === 2) tx.onCommit(() => void paired.push(asked.length));
        return asked.length === 2;
      },
    });
    await report([heard()]);
    expect(paired).toEqual([]);
    await report([heard()]);
    expect([asked, paired]).toEqual([['ffff50', 'ffff50'], [2]]);
  });
});

describe('a product whose clock only the cloud can correct', () => {
  const wrong = (nonce: number | null) => barrier({ wrong_clock: { off_s: 172_800, nonce } });

  function recordOf(message: AdminMessage | undefined) {
    const deviceId = barrier().device_id;
    const identity = { deviceId, pairingEpoch: 1 };
    const masterKey = new Uint8Array(32).fill(PRODUCT_TYPE_IDS.barrier);
    const { admin: adminKey } = deriveProductKeys(crypto, { masterKey, ...identity });
    const bytes = decodeBase64url(message?.record ?? '') ?? new Uint8Array();
    return openAdminRecord(crypto, { adminKey, identity, bytes });
  }

  it('gets a record with the cloud`s time for the exchange that its gateway names', async () => {
    await report([wrong(77), gate()]);
    const nowS = Math.floor(world.clock.now() / 1_000);
    expect(admin.map(({ uuid, message }) => [uuid, message.device_id])).toEqual([[NORTH_GATEWAY, 'a4c138000001']]);
    expect(admin[0]?.message.deadline_ms).toBe(world.clock.now() + 60_000);
    expect(recordOf(admin[0]?.message)).toEqual({
      serial: nowS,
      action: { kind: 'clock', timeS: nowS, nonce: 77 },
    });
  });

  it('gets one in a minute, however many gateways ask however often, each with a higher serial', async () => {
    for (let time = 0; time < 50; time++) await report([wrong(time)], time % 2 === 0 ? NORTH_GATEWAY : SECOND_GATEWAY);
    expect(admin).toHaveLength(1);
    await world.clock.advance(60_000);
    await report([wrong(78)], SECOND_GATEWAY);
    expect(admin.map(({ uuid }) => uuid)).toEqual([NORTH_GATEWAY, SECOND_GATEWAY]);
    const serials = admin.map(({ message }) => recordOf(message)?.serial ?? 0);
    expect(serials[1]).toBeGreaterThan(serials[0] ?? 0);
  });

  it('gets none for an exchange that is too long ago, from a gateway of another lot, or without a key', async () => {
    await report([wrong(null)]);
    await report([wrong(77)], RIVAL_GATEWAY);
    const { store, site } = world;
    await store.change((tx) =>
      tx.updateTable('products').set({ master_key_sealed: null }).where('id', '=', site.barrier).execute(),
    );
    await report([wrong(77)]);
    expect(admin).toEqual([]);
  });
});
