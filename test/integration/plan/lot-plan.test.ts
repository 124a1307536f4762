/** The plan of a lot over REST: what is arranged is shown, is only of the lot, and is bounded. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLAN_ITEMS_MAX } from '../../../cloud/site/plan/plan-routes.js';
import { GUARD_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';

interface Item {
  kind: string;
  id: number;
  x: number;
  y: number;
  width: number | null;
  height: number | null;
}
interface Plan {
  lot_id: number;
  items: Item[];
  updated_at: string | null;
}

const at = (kind: string, id: number, changed: Partial<Item> = {}): Item => ({
  kind,
  id,
  x: 40,
  y: 20,
  width: null,
  height: null,
  ...changed,
});

describe('the plan of a lot', () => {
  let world: RestWorld;
  let path: string;
  let things: Item[];
  beforeAll(async () => {
    world = await startRestWorld();
    const lot_id = world.site.north;
    path = `/v2/lots/${lot_id}/plan`;
    const make = async (list: string, body: object) => (await world.post<{ id: number }>(list, body)).id;
    const zone_id = await make('/v2/zones', { lot_id, name: 'Planned' });
    const device_id = 'a4c138000077';
    things = [
      at('zone', zone_id, { width: 300, height: 200 }),
      at('parking_place', await make('/v2/parking-places', { zone_id, name: 'P1' })),
      at('product', await make('/v2/products', { zone_id, device_id, name: 'Barrier', product_type_id: 1 })),
      at('lpr_camera', await make('/v2/lpr-cameras', { zone_id, device_id: 'c', name: 'In', driver: 'hikvision' })),
    ];
  });
  afterAll(() => world.cloud.close());

  const put = (items: unknown, token = OWNER_TOKEN, headers: Record<string, string> = {}) =>
    world.cloud.ask('PUT', path, { token, json: { items }, headers });

  it('has nothing in it until somebody arranges it, and then what was arranged, in its order', async () => {
    expect(await world.get<Plan>(path)).toEqual({ lot_id: world.site.north, items: [], updated_at: null });
    expect((await put(things, ADMIN_TOKEN)).body.data).toMatchObject({ items: things });
    expect(await world.get<Plan>(path, GUARD_TOKEN)).toMatchObject({ items: things });
    const [zone] = things;
    expect((await put([{ ...zone, width: undefined, height: undefined }])).body.data).toMatchObject({
      items: [{ ...zone, width: null, height: null }],
    });
    expect((await put([])).body.data).toMatchObject({ items: [] });
  });

  it('is arranged by managers of the lot alone, which is in the audit log', async () => {
    expect((await put(things, GUARD_TOKEN)).status).toBe(403);
    expect((await put(things, RIVAL_TOKEN)).status).toBe(404);
    const south = `/v2/lots/${world.site.south}/plan`;
    expect((await world.cloud.ask('GET', south, { token: ADMIN_TOKEN })).status).toBe(404);
    await put(things, ADMIN_TOKEN);
    const [entry] = await world.get<{ action: string; target: string }[]>('/v2/audit-log?size=1');
    expect(entry).toMatchObject({
      action: 'lot.plan.put',
      target: `lot ${world.site.north}`,
    });
  });

  it('says of each wrong item what is wrong', async () => {
    const [zone, place] = things as [Item, Item];
    const { id: foreign } = await world.post<{ id: number }>('/v2/zones', { lot_id: world.site.south, name: 'South' });
    const errorsOf = async (items: unknown) =>
      (await put(items)).body.errors?.map(({ field, message }) => `${field}: ${message}`);
    expect(await errorsOf([zone, { ...zone, id: foreign }, { ...zone, x: 50 }, { ...place, id: 999_999 }])).toEqual([
      'items.1.id: There is no such thing in the lot',
      'items.2.id: It stands in the plan already',
      'items.3.id: There is no such thing in the lot',
    ]);
    expect(
      (await errorsOf([{ ...zone, x: -1, y: 10_001, width: 0, kind: 'gateway' }]))?.map((each) => each.split(':')[0]),
    ).toEqual(['items.0.kind', 'items.0.x', 'items.0.y', 'items.0.width']);
    const many = Array.from({ length: PLAN_ITEMS_MAX + 1 }, () => zone);
    expect((await errorsOf(many))?.length).toBe(1);
  });

  it('is not written over what somebody else arranged meanwhile', async () => {
    const etag = (await world.cloud.ask('GET', path, { token: OWNER_TOKEN })).headers.get('etag') ?? '';
    const [zone] = things as [Item];
    const first = await put([{ ...zone, x: 1 }], ADMIN_TOKEN, { 'if-match': etag });
    const second = await put([{ ...zone, x: 2 }], OWNER_TOKEN, { 'if-match': etag });
    expect([first.status, second.status, (await world.get<Plan>(path)).items[0]?.x]).toEqual([200, 412, 1]);
    const next = await put([{ ...zone, x: 3 }], OWNER_TOKEN, { 'if-match': first.headers.get('etag') ?? '' });
    expect(next.status).toBe(200);
  });

  it('leaves out what was deleted since', async () => {
    await put(things);
    const [, place] = things as [Item, Item];
    await world.remove(`/v2/parking-places/${place.id}`);
    expect((await world.get<Plan>(path)).items).toEqual(things.filter((each) => each !== place));
  });

  it('goes with its lot', async () => {
    const { id } = await world.post<{ id: number }>('/v2/lots', { name: 'Short lived' });
    const zone = await world.post<{ id: number }>('/v2/zones', { lot_id: id, name: 'Z' });
    const json = { items: [at('zone', zone.id)] };
    expect((await world.cloud.ask('PUT', `/v2/lots/${id}/plan`, { token: OWNER_TOKEN, json })).status).toBe(200);
    await world.remove(`/v2/lots/${id}`);
    expect((await world.cloud.ask('GET', `/v2/lots/${id}/plan`, { token: OWNER_TOKEN })).status).toBe(404);
    const left = await world.cloud.store.reader
      .selectFrom('lot_plans')
      .select('lot_id')
      .where('lot_id', '=', id)
      .execute();
    expect(left).toEqual([]);
  });
});
