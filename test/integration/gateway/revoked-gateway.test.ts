/** From a gateway that is deleted, or claimed by another device, to the products that refuse it. */
import * as nodeCrypto from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProductReceptions } from '../../../cloud/equipment/product/product-receptions.js';
import { type AdminDispatcher, createAdminDispatcher } from '../../../cloud/equipment/product/admin-dispatcher.js';
import { revokeGatewaySlot } from '../../../cloud/equipment/gateway/slot-revocation-queries.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { decodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { adminMessageSchema } from '../../../shared/uplink-orders.js';
import type { ProductReport } from '../../../shared/uplink-reports.js';
import { createWorld, resultOf, run } from '../../unit/product-protocol/exchange-world.js';
import { DEVICE_ID, MASTER_KEY, mint } from '../../unit/product-protocol/protocol-fixture.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';
import { productReportsOf } from '../../world/product-reports.js';

const STOLEN = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d01' as GatewayUuid;
const LEFT = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d02' as GatewayUuid;
const DELIVERED_WITHIN_MS = 60_000;

interface GatewayRow {
  id: number;
  slot: number;
  slot_generation: number;
}

describe('a gateway that is gone', () => {
  let world: RestWorld;
  let productId: number;
  let reports: ReturnType<typeof productReportsOf>;
  let adminDispatcher: AdminDispatcher;
  const sent: { uuid: string; record: Uint8Array }[] = [];
  const errors: object[] = [];
  const ids = new Map<GatewayUuid, number>();

  beforeAll(async () => {
    world = await startRestWorld();
    const { store, clock, secrets } = world.cloud;
    ({ id: productId } = await world.post<{ id: number }>('/v2/products', {
      device_id: DEVICE_ID,
      name: 'Entry',
      product_type_id: 1,
      zone_id: world.site.zone,
      master_key: Buffer.from(MASTER_KEY).toString('hex'),
    }));
    for (const uuid of [STOLEN, LEFT]) {
      const body = { name: uuid, lot_id: world.site.north, uuid };
      ids.set(uuid, (await world.post<{ id: number }>('/v2/gateways', body)).id);
    }
    await store.change((tx) =>
      tx
        .updateTable('gateways')
        .set({ public_key: 'a device' })
        .where('uuid', 'in', [STOLEN, LEFT])
        .execute()
        .then(() => {}),
    );
    const seenWithinMs = 120_000;
    const crypto = createProtocolCrypto(nodeCrypto);
    const logger = { ...silentLogger, error: (fields: object) => void errors.push(fields) };
    const broker = {
      async publish(uuid: string, _channel: string, text: string) {
        const { record } = adminMessageSchema.parse(JSON.parse(text));
        sent.push({ uuid, record: decodeBase64url(record) ?? new Uint8Array() });
      },
    };
    const receptions = createProductReceptions({ clock, seenWithinMs });
    adminDispatcher = createAdminDispatcher({ store, receptions, broker, secrets, crypto, clock, logger });
    reports = productReportsOf({ store, clock }, { receptions, adminDispatcher });
  });
  afterAll(async () => {
    await reports.close();
    await world.cloud.close();
  });

  const rowOf = (uuid: GatewayUuid): Promise<GatewayRow> =>
    world.cloud.store.reader
      .selectFrom('gateways')
      .select(['id', 'slot', 'slot_generation'])
      .where('uuid', '=', uuid)
      .executeTakeFirstOrThrow();
  const unconfirmed = async () =>
    (await world.get<{ products_untold: number[] }>(`/v2/gateways/${ids.get(LEFT)}/health`)).products_untold;

  /** The other gateway reports the product; it carries what it was sent before it reports again. */
  async function report(admin?: ProductReport['admin']): Promise<void> {
    const product: ProductReport = {
      product_id: productId,
      device_id: DEVICE_ID,
      status: 'online',
      state: 'closed',
      permanent_position: 'disabled',
      is_car_on_top: false,
      is_autoclose: false,
      autoclose_time: 10,
      battery_status: null,
      rssi: -60,
      errors: 0,
      advertisement_data: null,
      seen_ago_ms: 0,
      ...(admin === undefined ? {} : { admin }),
    };
    await reports.handleReport(LEFT, { products: [product] });
  }

  it('is refused by its products once the next gateway that hears them has told them', async () => {
    const { slot } = await rowOf(STOLEN);
    const left = await rowOf(LEFT);
    const product = createWorld();
    const openBy = (of: { slot: number }) =>
      resultOf(
        run(product, {
          command: { name: 'status' },
          credential: mint({ op: 'status', slot: of.slot, gen: 0 }),
        }),
      );
    const hops = [`before: the stolen gateway is answered ${openBy({ slot })}`];
    expect(await unconfirmed()).toEqual([]);
    await world.remove(`/v2/gateways/${ids.get(STOLEN)}`);
    expect(await unconfirmed()).toEqual([productId]);
    hops.push(`deleted: products that have not heard of it: ${(await unconfirmed()).length}`);

    await report();
    expect(sent.map(({ uuid }) => uuid)).toEqual([LEFT]);
    hops.push('the next report of another gateway: it is sent an admin record for the product');
    await report();
    expect(sent).toHaveLength(1);
    const [{ record } = { record: new Uint8Array() }] = sent;
    const carried = run(product, {
      command: { name: 'admin', record },
      credential: mint({ op: 'status', slot: left.slot, gen: 0 }),
    });
    expect(resultOf(carried)).toBe('ok');
    expect([openBy({ slot }), openBy(left)]).toEqual(['error 1', 'ok']);
    hops.push(`carried: the stolen gateway is answered ${openBy({ slot })}, the other one ${openBy(left)}`);

    expect(await unconfirmed()).toEqual([productId]);
    const serial = Buffer.from(record).readUInt32LE(0);
    await report({ serial, error_type: null });
    expect(await unconfirmed()).toEqual([]);
    hops.push('confirmed by the next report: products that have not heard of it: 0');
    process.stdout.write(`\nA revoked gateway\n${hops.map((hop) => `  ${hop}\n`).join('')}`);
    await report({ serial, error_type: null });
    expect(sent).toHaveLength(1);
  });

  it('leaves its slot to nobody, as long as there is another one', async () => {
    const ended = await rowOf(LEFT);
    const { id } = await world.post<{ id: number }>('/v2/gateways', { name: 'Next', lot_id: world.site.north });
    const next = await world.cloud.store.reader
      .selectFrom('gateways')
      .select(['slot', 'slot_generation'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(next.slot_generation).toBe(0);
    expect([1, ended.slot]).not.toContain(next.slot);
  });

  it('is told of again when the product did not accept it, or its carrier was silent', async () => {
    const { clock, store } = world.cloud;
    const gateway = await store.reader
      .selectFrom('gateways')
      .selectAll()
      .where('uuid', '=', LEFT)
      .executeTakeFirstOrThrow();
    await store.change((tx) => revokeGatewaySlot(tx, gateway, clock.now()));
    sent.length = 0;
    await report();
    await report();
    expect(sent).toHaveLength(1);
    clock.jumpWall(DELIVERED_WITHIN_MS);
    await report();
    expect(sent).toHaveLength(2);
    const serial = Buffer.from(sent[1]?.record ?? []).readUInt32LE(0);
    await report({ serial, error_type: 1 });
    expect(await unconfirmed()).toEqual([productId]);
    clock.jumpWall(DELIVERED_WITHIN_MS);
    await report();
    expect(sent).toHaveLength(3);
  });

  it('is told of at once by who hears the product, and soon again when that did not reach it', async () => {
    const { clock, store } = world.cloud;
    await store.change((tx) => tx.deleteFrom('slot_revocations').execute());
    const gone = await store.reader.selectFrom('gateways').selectAll().where('uuid', '=', STOLEN).executeTakeFirst();
    const revoked = { ...(gone ?? (await rowOf(LEFT))), id: 4_711, lot_id: world.site.north, public_key: 'a device' };
    await store.change((tx) => revokeGatewaySlot(tx, revoked as Parameters<typeof revokeGatewaySlot>[1], clock.now()));
    sent.length = 0;
    adminDispatcher.sendRevocations(revoked.id);
    await adminDispatcher.close();
    expect(sent.map(({ uuid }) => uuid)).toEqual([LEFT]);
    const serial = Buffer.from(sent[0]?.record ?? []).readUInt32LE(0);
    await report({ serial, error_type: 4 });
    await report({ serial, error_type: 4 });
    expect(sent).toHaveLength(1);
    clock.jumpWall(10_000);
    await report({ serial, error_type: 4 });
    expect(sent).toHaveLength(2);
    expect(await unconfirmed()).toEqual([productId]);
    await report({ serial: Buffer.from(sent[1]?.record ?? []).readUInt32LE(0), error_type: null });
    expect(await unconfirmed()).toEqual([]);
  });

  it('is not told of by the device that takes its place before that has heard the product', async () => {
    const { clock, store } = world.cloud;
    const left = await store.reader
      .selectFrom('gateways')
      .selectAll()
      .where('uuid', '=', LEFT)
      .executeTakeFirstOrThrow();
    await store.change((tx) => revokeGatewaySlot(tx, left, clock.now()));
    sent.length = 0;
    adminDispatcher.sendRevocations(left.id);
    await adminDispatcher.close();
    expect(sent).toEqual([]);
    await report();
    expect(sent).toHaveLength(1);
  });

  it.each(['another lot', 'none'] as const)('is refused too once it was moved to %s', async (to) => {
    const { store } = world.cloud;
    await store.change((tx) => tx.deleteFrom('slot_revocations').execute());
    const { id } = await world.post<{ id: number }>('/v2/gateways', { name: `To ${to}`, lot_id: world.site.north });
    const before = await store.change(async (tx) => {
      await tx.updateTable('gateways').set({ public_key: 'a device' }).where('id', '=', id).execute();
      return tx.selectFrom('gateways').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    });
    const path = `/v2/gateways/${id}`;
    await world.patch(path, { name: `Moved to ${to}` });
    expect(await unconfirmed()).toEqual([]);
    await world.patch(path, { lot_id: to === 'none' ? null : world.site.south });
    expect(await unconfirmed()).toEqual([productId]);
    expect((await world.get<{ products_untold: number[] }>(`${path}/health`)).products_untold).toEqual([]);

    sent.length = 0;
    const product = createWorld();
    await report();
    const [{ record } = { record: new Uint8Array() }] = sent;
    run(product, { command: { name: 'admin', record }, credential: mint({ op: 'status', slot: 0, gen: 0 }) });
    const credential = mint({ op: 'open', slot: before.slot, gen: before.slot_generation });
    expect(resultOf(run(product, { command: { name: 'open' }, credential }))).toBe('error 1');

    const { details } = await store.reader
      .selectFrom('audit_log')
      .select('details')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(details)).toMatchObject({ products_untold: [productId] });
  });

  it('stays untold with an error at the highest generation, and keeps nothing else from being told', async () => {
    const { clock, store } = world.cloud;
    await store.change((tx) => tx.deleteFrom('slot_revocations').execute());
    const left = await store.reader
      .selectFrom('gateways')
      .selectAll()
      .where('uuid', '=', LEFT)
      .executeTakeFirstOrThrow();
    await store.change(async (tx) => {
      await revokeGatewaySlot(tx, { ...left, slot: 14, slot_generation: 255 }, clock.now());
      await revokeGatewaySlot(tx, { ...left, slot: 13 }, clock.now());
    });
    sent.length = 0;
    errors.length = 0;
    await report();
    await report();
    expect([sent.length, errors]).toEqual([
      1,
      [expect.objectContaining({ product_id: productId, revoked_gateway_id: left.id, slot: 14 })],
    ]);
    await report({ serial: Buffer.from(sent[0]?.record ?? []).readUInt32LE(0), error_type: null });
    expect(await unconfirmed()).toEqual([productId]);
  });

  it('need not be told of to a product that is paired anew', async () => {
    await world.cloud.store.change((tx) =>
      tx
        .updateTable('products')
        .set({ pairing_epoch: 2 })
        .where('id', '=', productId)
        .execute()
        .then(() => {}),
    );
    expect(await unconfirmed()).toEqual([]);
  });
});
