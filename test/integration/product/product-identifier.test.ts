/** A product whose identifier was mistyped, and which gateways hear what answers to the right one. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PRODUCT_ANSWER } from '../../../cloud/equipment/product/product-resource.js';
import { claimedAs, gatewayRow, insertId, NORTH_GATEWAY } from '../gateway/link-site.js';
import { OWNER_TOKEN, type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';
import { heardBarrier } from './heard-barrier.js';
import { productReportsOf } from '../../world/product-reports.js';

const LABEL_SECRET = 'ab'.repeat(16);

describe('the identifier of a product', () => {
  let world: RestWorld;
  let gatewayId: number;
  let made = 0;
  beforeAll(async () => {
    world = await startRestWorld();
    const { site, cloud } = world;
    const row = gatewayRow({ account_id: site.harbour, lot_id: site.north, slot: 1, name: 'Pi' });
    const claimed = { ...row, ...claimedAs(NORTH_GATEWAY), status: 'online' as const };
    gatewayId = await cloud.store.change((tx) => insertId(tx, 'gateways', claimed));
  });
  afterAll(() => world.cloud.close());
  beforeEach(() => void world.notified());

  const product = async (more: object = {}) => {
    made += 1;
    const body = { device_id: idOf(made), name: `Product ${made}`, product_type_id: 1, zone_id: world.site.zone };
    return PRODUCT_ANSWER.schema.parse(await world.post('/v2/products', { ...body, ...more }));
  };
  const idOf = (number: number) => `a4c1380010${String(number).padStart(2, '0')}`;
  const hear = (product_id: number, rssi: number) =>
    world.cloud.store.change((tx) =>
      world.cloud.gatewayParts.receptions.note(tx, gatewayId, { unproven: [{ product_id, rssi }] }),
    );
  const receptions = (id: number, token?: string) => world.get<object[]>(`/v2/products/${id}/receptions`, token);

  it('is corrected until it is paired: gateways hear of it, and what was heard before is forgotten', async () => {
    const { id, device_id } = await product();
    const path = `/v2/products/${id}`;
    expect(await receptions(id)).toEqual([]);
    await hear(id, -71);
    expect(await receptions(id)).toEqual([
      { gateway_id: gatewayId, rssi: -71, is_proven: 0, heard_at: new Date(world.cloud.clock.now()).toISOString() },
    ]);
    expect(await world.refused('GET', `${path}/receptions`, undefined, RIVAL_TOKEN)).toEqual([404, '6']);

    world.notified();
    expect(await world.patch(path, { device_id, name: 'Pier' })).toMatchObject({ device_id, name: 'Pier' });
    expect(await receptions(id)).toHaveLength(1);
    expect(await world.patch(path, { device_id: 'a4c1380020ff' })).toMatchObject({ device_id: 'a4c1380020ff' });
    expect(world.notified()).toEqual([world.site.north]);
    expect(await receptions(id)).toEqual([]);
    expect(await world.get(path)).toMatchObject({ device_id: 'a4c1380020ff', is_paired: 0 });

    const other = await product();
    expect(await world.refused('PATCH', path, { device_id: other.device_id })).toEqual([422, '23 device_id']);
    expect(await world.refused('PATCH', path, { device_id: 'a4c1' })).toEqual([422, '23 device_id']);
  });

  it('stays while the product is being paired, and once it has a key', async () => {
    const { id } = await product();
    const path = `/v2/products/${id}`;
    await hear(id, -60);
    await world.post(`${path}/pair`, { label_secret: LABEL_SECRET });
    expect(await world.refused('PATCH', path, { device_id: idOf(90) })).toEqual([403, '214']);

    const keyed = await product({ master_key: 'ab'.repeat(32) });
    const { status, body } = await world.cloud.ask('PATCH', `/v2/products/${keyed.id}`, {
      token: OWNER_TOKEN,
      json: { device_id: idOf(91), name: 'Another' },
    });
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          code: 23,
          field: 'device_id',
          message: 'Must stay: the product has been paired. Delete it, and make it anew with the other identifier',
        },
      ],
    ]);
    expect(await world.get(`/v2/products/${keyed.id}`)).toMatchObject({ name: keyed.name });
  });

  it('has its last movement when a gateway finds it in another position, and not before', async () => {
    const { id, device_id } = await product({ master_key: 'ab'.repeat(32) });
    const reports = productReportsOf(world.cloud, { receptions: world.cloud.gatewayParts.receptions });
    const moved = async (state: 'opened' | 'closed') => {
      await world.cloud.clock.advance(5_000);
      const products = [heardBarrier(id, device_id, { state })];
      await reports.handleReport(NORTH_GATEWAY, { products });
      return (await world.get<{ last_moved: string | null }>(`/v2/products/${id}`)).last_moved;
    };
    // Its first report says only how it is.
    expect(await moved('opened')).toBeNull();
    expect(await moved('opened')).toBeNull();
    const at = await moved('closed');
    expect(at).toBe(new Date(world.cloud.clock.now()).toISOString());
    expect(await moved('closed')).toBe(at);
    await reports.close();
  });
});
