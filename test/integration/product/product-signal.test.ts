/** How well gateways hear products, hour by hour: from their reports to GET /v2/products/{id}/signal. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { ProductReport } from '../../../shared/uplink-reports.js';
import { RIVAL_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { HOUR_MS } from '../../../shared/durations.js';
import { productReportsOf } from '../../world/product-reports.js';

interface SignalHour {
  hour: string;
  gateway_id: number;
  gateway_uuid: string | null;
  min_rssi: number;
  median_rssi: number;
  max_rssi: number;
  reports_count: number;
}

const NEAR = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d01' as GatewayUuid;
const FAR = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d02' as GatewayUuid;

describe('the signal of a product', () => {
  let world: RestWorld;
  let product: { id: number; device_id: string };
  let reports: ReturnType<typeof productReportsOf>;
  const gateways = new Map<GatewayUuid, number>();

  beforeAll(async () => {
    world = await startRestWorld();
    const { store, clock } = world.cloud;
    const body = { device_id: 'a4c138000001', name: 'Entry', product_type_id: 1, zone_id: world.site.zone };
    product = await world.post('/v2/products', body);
    for (const uuid of [NEAR, FAR]) {
      const { id } = await world.post<{ id: number }>('/v2/gateways', { name: uuid, lot_id: world.site.north, uuid });
      gateways.set(uuid, id);
    }
    reports = productReportsOf({ store, clock });
  });
  afterAll(async () => {
    await reports.close();
    await world.cloud.close();
  });

  const path = (query = '') => `/v2/products/${product.id}/signal${query}`;
  const ask = (query?: string, token?: string) => world.get<SignalHour[]>(path(query), token);

  async function hear(uuid: GatewayUuid, rssi: number | null, status: 'online' | 'offline' = 'online') {
    const report: ProductReport = {
      product_id: product.id,
      device_id: product.device_id as ProductReport['device_id'],
      status,
      state: 'closed',
      permanent_position: 'disabled',
      is_car_on_top: false,
      is_autoclose: false,
      autoclose_time: 10,
      battery_status: null,
      rssi,
      errors: 0,
      advertisement_data: null,
      seen_ago_ms: 0,
    };
    await reports.handleReport(uuid, { products: [report] });
  }

  it('has an hour for each gateway that heard it, at once', async () => {
    expect(await ask()).toEqual([]);
    for (const rssi of [-60, -80, -62]) await hear(NEAR, rssi);
    await hear(FAR, -90);
    await hear(FAR, null);
    await hear(FAR, null, 'offline');
    const now = world.cloud.clock.now();
    const hour = new Date(now - (now % HOUR_MS)).toISOString();
    expect(await ask()).toEqual([
      {
        hour,
        gateway_id: gateways.get(NEAR),
        gateway_uuid: NEAR,
        min_rssi: -80,
        median_rssi: -62,
        max_rssi: -60,
        reports_count: 3,
      },
      {
        hour,
        gateway_id: gateways.get(FAR),
        gateway_uuid: FAR,
        min_rssi: -90,
        median_rssi: -90,
        max_rssi: -90,
        reports_count: 1,
      },
    ]);
  });

  it('shows the last 24 hours, or the range that is asked for', async () => {
    const { clock } = world.cloud;
    const began = clock.now();
    clock.jumpWall(2 * HOUR_MS);
    await hear(NEAR, -50);
    expect((await ask()).map(({ max_rssi }) => max_rssi)).toEqual([-60, -90, -50]);
    const at = (ms: number) => new Date(ms).toISOString();
    expect((await ask(`?to=${at(began)}`)).map(({ max_rssi }) => max_rssi)).toEqual([-60, -90]);
    expect((await ask(`?from=${at(began + HOUR_MS)}`)).map(({ max_rssi }) => max_rssi)).toEqual([-50]);
    clock.jumpWall(24 * HOUR_MS);
    expect((await ask()).map(({ max_rssi }) => max_rssi)).toEqual([-50]);
    clock.jumpWall(2 * HOUR_MS);
    expect(await ask()).toEqual([]);
    expect(await ask(`?from=${at(began)}`)).toHaveLength(3);
  });

  it('keeps the history of a gateway that is deleted, and forgets what is older than 30 days', async () => {
    const from = new Date(0).toISOString();
    await world.remove(`/v2/gateways/${gateways.get(FAR)}`);
    expect((await ask(`?from=${from}`)).map(({ gateway_uuid }) => gateway_uuid)).toEqual([NEAR, FAR, NEAR]);
    await reports.prune();
    expect(await ask(`?from=${from}`)).toHaveLength(3);
    // Now the first hour is older than that, and the one two hours later is not.
    world.cloud.clock.jumpWall(30 * 24 * HOUR_MS - 26.5 * HOUR_MS);
    await reports.prune();
    expect((await ask(`?from=${from}`)).map(({ max_rssi }) => max_rssi)).toEqual([-50]);
  });

  it('refuses what is no time, and is not there for others', async () => {
    expect(await world.refused('GET', path('?from=yesterday&to='))).toEqual([422, '23 from', '23 to']);
    expect(await world.refused('GET', path('?since=1'))).toEqual([422, '23 since']);
    expect(await world.refused('GET', path(), undefined, RIVAL_TOKEN)).toEqual([404, '6']);
  });
});
