import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GROUP_ANSWER } from '../../../cloud/guests/member/group-resource.js';
import { MEMBER_ANSWER } from '../../../cloud/guests/member/member-resource.js';
import { BOUND_LICENSE_ANSWER } from '../../../cloud/equipment/product/bound-license-resource.js';
import { PRODUCT_ANSWER } from '../../../cloud/equipment/product/product-resource.js';
import { TARIFF_ANSWER } from '../../../cloud/traffic/tariff/tariff-resource.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

const KEY = 'ab'.repeat(32);

describe('products and those whom they admit, over REST', () => {
  let world: RestWorld;
  let made = 0;
  beforeAll(async () => {
    world = await startRestWorld();
  });
  afterAll(() => world.cloud.close());
  beforeEach(() => void world.notified());

  const product = async (changed: Record<string, unknown> = {}) => {
    made += 1;
    const device_id = `a4c1380000${String(made).padStart(2, '0')}`;
    const body = { device_id, name: `Product ${made}`, product_type_id: 1, zone_id: world.site.zone };
    return PRODUCT_ANSWER.schema.parse(await world.post('/v2/products', { ...body, ...changed }));
  };

  it('products: made with their block, moved within their lot only', async () => {
    const { site, cloud } = world;
    const barrier = await product({ master_key: KEY.toUpperCase(), is_autoclose: true, lot_id: site.north });
    expect(barrier).toMatchObject({ lot_id: site.north, zone_id: site.zone, power_type: 'battery', status: 'offline' });
    expect(barrier.barrier).toMatchObject({ state: 'closed', is_autoclose: 1, autoclose_time: 10 });
    expect(world.notified()).toEqual([site.north]);
    const row = await cloud.store.reader.selectFrom('products').selectAll().executeTakeFirstOrThrow();
    expect(row.pairing_epoch).toBe(1);
    expect(cloud.secrets.open('product_master_key', row.master_key_sealed ?? '').toString('hex')).toBe(KEY);

    const path = `/v2/products/${barrier.id}`;
    expect(await world.patch(path, { zone_id: site.freeZone, longitude: 15.98 })).toMatchObject({
      zone_id: site.freeZone,
      longitude: 15.98,
      name: barrier.name,
    });
    expect(await world.refused('PATCH', path, { zone_id: site.southZone })).toEqual([400, '1000']);
    expect(await world.refused('PATCH', path, { lot_id: site.south })).toEqual([400, '1000']);
    // Of another account, unknown, and for the Admin of North alone in a lot that is not assigned.
    expect(await world.refused('PATCH', path, { zone_id: site.rivalZone })).toEqual([422, '23 zone_id']);
    expect(await world.refused('PATCH', path, { zone_id: 999, latitude: 91 })).toEqual([
      422,
      '23 latitude',
      '23 zone_id',
    ]);
    expect(await world.refused('PATCH', path, { zone_id: site.southZone }, ADMIN_TOKEN)).toEqual([422, '23 zone_id']);
    expect(await world.refused('PATCH', path, { status: 'online' })).toEqual([422, '23 status']);
    expect(await world.refused('POST', '/v2/products', { ...barrier, zone_id: site.zone })).toContain('23 created_at');

    const loose = await product({ product_type_id: 2, zone_id: null });
    expect(loose).toMatchObject({ lot_id: null, zone_id: null, gate: { state: 'unknown' } });
    expect(await world.patch(`/v2/products/${loose.id}`, { zone_id: site.southZone })).toMatchObject({
      lot_id: site.south,
    });
    const twin = { device_id: loose.device_id, name: 'Twin', product_type_id: 2 };
    expect(await world.refused('POST', '/v2/products', twin)).toEqual([422, '23 device_id']);
    expect(await world.refused('POST', '/v2/products', { ...twin, zone_id: site.zone, lot_id: site.south })).toEqual([
      422,
      '23 lot_id',
    ]);
    expect(await world.remove(`/v2/products/${loose.id}`)).toMatchObject({ id: loose.id, gate: { state: 'unknown' } });
    await world.remove(path);
    const blocks = await cloud.store.reader.selectFrom('product_blocks').selectAll().execute();
    expect(blocks).toEqual([]);
  });

  it('a product that is paired anew or removed takes no key that was given for it before', async () => {
    const { site, cloud } = world;
    const { id } = await product();
    const key = (status: 'active' | 'blocked') =>
      cloud.store.change(async (tx) => {
        const times = { created_at: 1, updated_at: 1 };
        const of = { account_id: site.harbour, product_id: id, ...times };
        const token = await tx
          .insertInto('operation_tokens')
          .values({ ...of, start_time: 0, end_time: null, status, used_count: 0, is_unlimited: 1, credential_id: 7 })
          .returning('id')
          .executeTakeFirstOrThrow();
        const receiver = { receiver_identifier: 'a@x.example', receiver_identifier_type: 'email' as const };
        await tx
          .insertInto('key_logs')
          .values({ ...of, ...receiver, name: 'Key', sender_id: null, operation_token_id: token.id, status })
          .execute();
      });
    const states = async (): Promise<string[]> => {
      const { reader } = cloud.store;
      const tokens = await reader.selectFrom('operation_tokens').select('status').orderBy('id').execute();
      const logs = await reader.selectFrom('key_logs').select('status').orderBy('id').execute();
      return [...tokens, ...logs].map(({ status }) => status);
    };
    await key('active');
    await world.patch(`/v2/products/${id}`, { name: 'Still the same' });
    expect(await states()).toEqual(['active', 'active']);
    await world.patch(`/v2/products/${id}`, { master_key: 'ab'.repeat(32) });
    expect(await states()).toEqual(['invalid', 'invalid']);
    await key('blocked');
    await world.remove(`/v2/products/${id}`);
    expect(await states()).toEqual(['invalid', 'invalid', 'invalid', 'invalid']);
  });

  it('products are found and sorted by what the contract names', async () => {
    const { site, cloud } = world;
    const a = await product({ name: 'Alpha' });
    const b = await product({ name: 'Beta', product_type_id: 4, zone_id: site.southZone });
    const c = await product({ name: 'alphabet', product_type_id: 4, zone_id: null });
    await cloud.store.change((tx) =>
      tx.updateTable('products').set({ rssi: -40, battery_status: 9 }).where('id', '=', a.id).execute(),
    );
    expect(await world.ids('/v2/products?filter=name:like:ALPHA&sort=name:asc')).toEqual([a.id, c.id]);
    expect(await world.ids('/v2/products?filter=product_type_id:eq:4')).toEqual([c.id, b.id]);
    expect(await world.ids(`/v2/products?filter=lot_id:eq:${site.south}`)).toEqual([b.id]);
    expect(await world.ids(`/v2/products?filter=device_id:eq:${b.device_id}`)).toEqual([b.id]);
    expect(await world.ids('/v2/products?sort=rssi:desc&size=1')).toEqual([a.id]);
    expect(await world.ids('/v2/products?sort=battery_status:desc&size=1')).toEqual([a.id]);
    // What is in no lot is the whole account's; South is not the Admin's.
    expect(await world.ids('/v2/products', ADMIN_TOKEN)).toEqual([c.id, a.id]);
    expect(await world.refused('GET', `/v2/products/${b.id}`, undefined, ADMIN_TOKEN)).toEqual([404, '6']);
    expect(await world.refused('GET', '/v2/products?filter=rssi:eq:1')).toEqual([422, '23 filter']);
  });

  it('bound licenses: each once per product, deleted with a message', async () => {
    const { site, cloud } = world;
    const barrier = await product();
    const other = await product();
    world.notified();
    const path = `/v2/products/${barrier.id}/bound-licenses`;
    const license = BOUND_LICENSE_ANSWER.schema.parse(await world.post(path, { license_plate: 'zg 1-ab' }));
    expect(license).toMatchObject({ product_id: barrier.id, license_plate: 'zg 1-ab', name: '' });
    expect(world.notified()).toEqual([site.north]);
    expect(await world.refused('POST', path, { license_plate: 'ZG1AB' })).toEqual([422, '23 license_plate']);
    expect(await world.refused('POST', path, { license_plate: '--' })).toEqual([422, '23 license_plate']);
    await world.post(`/v2/products/${other.id}/bound-licenses`, { license_plate: 'ZG1AB', name: 'Mia' });
    expect(await world.ids(path)).toEqual([license.id]);
    const foreign = `/v2/products/${other.id}/bound-licenses/${license.id}`;
    expect(await world.refused('DELETE', foreign)).toEqual([404, '6']);
    const { status, body } = await cloud.ask('DELETE', `${path}/${license.id}`, { token: OWNER_TOKEN });
    expect([status, body]).toEqual([200, { success: true, message: expect.any(String) }]);
    expect(await world.refused('DELETE', `${path}/${license.id}`)).toEqual([404, '6']);
    expect(await world.ids(path)).toEqual([]);
  });

  it('members and groups: joined from either side', async () => {
    const { site } = world;
    const body = { name: 'Residents', zone_ids: [site.zone, site.southZone], tariff_ids: [site.yen, site.tariff] };
    const group = GROUP_ANSWER.schema.parse(await world.post('/v2/groups', body));
    expect(group.zones.map(({ id }) => id)).toEqual([site.zone, site.southZone]);
    expect(group.tariffs.map(({ id }) => id)).toEqual([site.yen, site.tariff]);
    const mia = MEMBER_ANSWER.schema.parse(
      await world.post('/v2/members', {
        name: 'Mia',
        license_plate: 'ZG 7',
        email: 'MIA@x.example',
        group_ids: [group.id],
      }),
    );
    expect(mia).toMatchObject({ email: 'mia@x.example', groups: [{ id: group.id, name: 'Residents' }] });
    const ivo = MEMBER_ANSWER.schema.parse(await world.post('/v2/members', { name: 'Ivo' }));
    expect(ivo).toMatchObject({ description: '', license_plate: '', groups: [] });
    world.notified();

    const member = `/v2/groups/${group.id}/members/${ivo.id}`;
    const changedSince = async (path: string, { updated_at }: { updated_at: string }) =>
      (await world.ids(`${path}?filter=updated_at:gt:${updated_at}`)).length;
    await world.cloud.clock.advance(1_000);
    for (let times = 1; times <= 2; times++) {
      const { body: answer } = await world.cloud.ask('PUT', member, { token: OWNER_TOKEN });
      expect([await changedSince('/v2/groups', group), await changedSince('/v2/members', ivo)]).toEqual([1, 1]);
      expect(GROUP_ANSWER.schema.parse(answer.data).members).toEqual([
        { id: mia.id, name: 'Mia' },
        { id: ivo.id, name: 'Ivo' },
      ]);
    }
    expect(world.notified().toSorted()).toEqual([site.north, site.south].toSorted());
    expect(GROUP_ANSWER.schema.parse(await world.remove(member)).members).toEqual([{ id: mia.id, name: 'Mia' }]);
    expect(await world.refused('DELETE', member)).toEqual([404, '6']);
    expect(await world.refused('PUT', `/v2/groups/${group.id}/members/999`)).toEqual([404, '6']);

    expect(await world.ids('/v2/members?filter=license_plate:eq:zg-7')).toEqual([mia.id]);
    expect(await world.patch(`/v2/members/${mia.id}`, { license_plate: '', group_ids: [] })).toMatchObject({
      name: 'Mia',
      license_plate: '',
      groups: [],
    });
    expect(await world.refused('PATCH', `/v2/members/${mia.id}`, { email: 'no', group_ids: [group.id, 999] })).toEqual([
      422,
      '23 email',
      '23 group_ids.1',
    ]);
    // Zones of a lot that is not assigned are not shown, and who does not have it does not write the group.
    const shown = GROUP_ANSWER.schema.parse(await world.get(`/v2/groups/${group.id}`, ADMIN_TOKEN));
    expect(shown.zones).toHaveLength(1);
    const change = { zone_ids: [site.southZone, site.freeZone], member_ids: [ivo.id] };
    expect(await world.refused('PATCH', `/v2/groups/${group.id}`, change, ADMIN_TOKEN)).toEqual([404, '6']);
    await world.patch(`/v2/groups/${group.id}`, change);
    const changed = GROUP_ANSWER.schema.parse(await world.get(`/v2/groups/${group.id}`));
    expect(changed.zones.map(({ id }) => id).toSorted()).toEqual([site.southZone, site.freeZone].toSorted());
    expect(changed.members).toEqual([{ id: ivo.id, name: 'Ivo' }]);
    expect(await world.ids('/v2/groups?filter=name:eq:Residents')).toEqual([group.id]);
    expect(await world.remove(`/v2/groups/${group.id}`)).toMatchObject({ id: group.id, name: 'Residents' });
    expect(await world.remove(`/v2/members/${ivo.id}`)).toMatchObject({ groups: [] });
  });

  it('tariffs: told in major units, kept in minor ones', async () => {
    const { cloud } = world;
    const night = { days: [6, 7], start: '22:00', end: '06:00', price: 0.5, step_minutes: 30 };
    const body = { name: 'Night', currency: 'EUR', vat: '25', price: 1.5, daily_max: 12, windows: [night] };
    const wrong = { ...body, name: '', price: 1.505, windows: [{ ...night, price: 0.001 }] };
    expect(await world.refused('POST', '/v2/tariffs', wrong)).toEqual([
      422,
      '23 name',
      '23 price',
      '23 windows.0.price',
    ]);
    const tariff = TARIFF_ANSWER.schema.parse(await world.post('/v2/tariffs', body));
    expect(tariff).toMatchObject({ ...body, free_minutes: 0, step_minutes: 60 });
    const row = await cloud.store.reader
      .selectFrom('tariffs')
      .selectAll()
      .where('id', '=', tariff.id)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ price_minor: 150, daily_max_minor: 1_200 });
    expect(JSON.parse(row.windows)).toEqual([{ ...night, price: 50 }]);
    const path = `/v2/tariffs/${tariff.id}`;
    expect(await world.refused('PATCH', path, { currency: 'JPY' })).toEqual([422, '23 price', '23 windows.0.price']);
    expect(await world.refused('PATCH', path, { currency: 'XQQ', windows: [{ ...night, end: '25:00' }] })).toEqual([
      422,
      '23 currency',
      '23 windows.0.end',
    ]);
    expect(await world.patch(path, { price: 2, daily_max: null })).toMatchObject({
      price: 2,
      daily_max: null,
      vat: '25',
    });
    expect(await world.ids('/v2/tariffs?filter=name:eq:Night')).toEqual([tariff.id]);
    expect(await world.remove(path)).toMatchObject({ id: tariff.id, windows: [night] });
  });
});
