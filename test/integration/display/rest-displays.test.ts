import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RGB_DISPLAY } from '../../../cloud/equipment/display/display-resource.js';
import { RGB_DISPLAY_RULE } from '../../../cloud/equipment/display/display-rule-resource.js';
import { RULE_OPERATORS } from '../../../shared/display/decide-display-text.js';
import { GUARD_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';

const DISPLAYS = '/v2/rgb-displays';
const RULES = '/v2/rgb-display-rules';

describe('displays and their rules over REST', () => {
  let world: RestWorld;
  beforeAll(async () => {
    world = await startRestWorld();
  });
  afterAll(() => world.cloud.close());

  const display = async (body: object) =>
    RGB_DISPLAY.schema.parse(await world.post(DISPLAYS, { name: 'Sign', ...body }));
  const rule = async (body: object) =>
    RGB_DISPLAY_RULE.schema.parse(await world.post(RULES, { name: 'Rule', operator: 'gt', ...body }));

  it('displays: of a zone or a whole lot, written to by a gateway of it', async () => {
    const { site } = world;
    const whole = await display({ lot_id: site.north });
    expect(whole).toEqual({
      id: whole.id,
      name: 'Sign',
      account_id: site.harbour,
      lot_id: site.north,
      zone_id: null,
      gateway_id: null,
      driver: '',
      address: '',
      template: '',
      stale_text: '',
      problem: null,
      created_at: whole.created_at,
      updated_at: whole.created_at,
    });
    const pi = await world.post<{ id: number }>('/v2/gateways', { name: 'Pi', lot_id: site.north });
    const southern = await world.post<{ id: number }>('/v2/gateways', { name: 'Southern', lot_id: site.south });
    world.notified();
    // The lot's only gateway need not be named.
    const body = {
      zone_id: site.zone,
      driver: 'modbus',
      address: 'modbus://10.0.0.9:502/1?mode=number',
      stale_text: '---',
    };
    const made = await display(body);
    expect(made).toMatchObject({ ...body, lot_id: site.north, gateway_id: pi.id });
    const path = `${DISPLAYS}/${made.id}`;
    expect(await world.get(path)).toEqual(made);
    expect(await world.patch(path, { zone_id: null, gateway_id: null, stale_text: '' })).toMatchObject({
      zone_id: null,
      gateway_id: null,
      stale_text: '',
      driver: 'modbus',
    });
    expect(await world.patch(path, { zone_id: site.freeZone, lot_id: site.north })).toMatchObject({
      zone_id: site.freeZone,
    });
    const elsewhere = { lot_id: site.south, zone_id: site.southZone, gateway_id: southern.id };
    for (const [field, value] of Object.entries(elsewhere)) {
      expect(await world.refused('PATCH', path, { [field]: value })).toEqual([422, `23 ${field}`]);
    }
    expect(await world.remove(path)).toMatchObject({ id: made.id, zone_id: site.freeZone });
    expect(await world.refused('PATCH', path, {})).toEqual([404, '6']);
    await world.remove(`${DISPLAYS}/${whole.id}`);
    for (const { id } of [pi, southern]) await world.remove(`/v2/gateways/${id}`);
  });

  it('displays: every wrong field at once', async () => {
    const { site } = world;
    const wrong = { name: ' ', zone_id: site.rivalZone, gateway_id: 999_999, driver: 'No Such', address: 'x', size: 1 };
    expect(await world.refused('POST', DISPLAYS, wrong)).toEqual([
      422,
      '23 name',
      '23 driver',
      '23 address',
      '23 size',
      '23 zone_id',
      '23 gateway_id',
    ]);
    expect(await world.refused('POST', DISPLAYS, { name: 'Nowhere' })).toEqual([422, '23 lot_id']);
    const torn = { name: 'Torn', lot_id: site.north, zone_id: site.southZone };
    expect(await world.refused('POST', DISPLAYS, torn)).toEqual([422, '23 lot_id']);
    for (const lot_id of [999_999, site.rivalLot, site.south]) {
      expect(await world.refused('POST', DISPLAYS, { name: 'D', lot_id }, ADMIN_TOKEN)).toEqual([422, '23 lot_id']);
    }
  });

  it('displays: what their driver cannot work with is refused, over its own field', async () => {
    const { site } = world;
    const refused = (settings: object) =>
      world.refused('POST', DISPLAYS, { name: 'Sign', zone_id: site.zone, ...settings });
    expect(await refused({ driver: 'novastar', address: 'tcp://10.0.0.9:5200' })).toEqual([422, '23 driver']);
    expect(await refused({ driver: 'http' })).toEqual([422, '23 address']);
    expect(await refused({ driver: 'modbus', address: 'http://10.0.0.9/' })).toEqual([422, '23 address']);
    const wrongFrame = { driver: 'zhenshi', address: 'zhenshi://key?channel=99', template: 'text: {text}' };
    expect(await refused(wrongFrame)).toEqual([422, '23 address', '23 template']);
    const made = await display({ zone_id: site.zone, driver: 'http', address: 'http://10.0.0.9/show' });
    expect(await world.refused('PATCH', `${DISPLAYS}/${made.id}`, { driver: 'modbus' })).toEqual([422, '23 address']);
    await world.remove(`${DISPLAYS}/${made.id}`);
  });

  it('displays: listed by what they are of', async () => {
    const { site } = world;
    const a = await display({ name: 'A', zone_id: site.zone });
    const b = await display({ name: 'B', lot_id: site.north });
    const c = await display({ name: 'C', lot_id: site.south });
    const ids = (query: string, token?: string) => world.ids(`${DISPLAYS}?${query}`, token);
    expect(await ids('')).toEqual([c.id, b.id, a.id]);
    expect(await ids('sort=name:asc&size=2&page=2')).toEqual([c.id]);
    expect(await ids(`filter=lot_id:eq:${site.north}&sort=id:asc`)).toEqual([a.id, b.id]);
    expect(await ids(`filter=zone_id:eq:${site.zone}`)).toEqual([a.id]);
    expect(await ids('filter=gateway_id:isnull&filter=name:eq:B')).toEqual([b.id]);
    expect(await ids(`filter=account_id:eq:${site.rival}`)).toEqual([]);
    expect(await ids('sort=id:asc', GUARD_TOKEN)).toEqual([a.id, b.id]);
    expect(await ids('', RIVAL_TOKEN)).toEqual([]);
    for (const { id } of [a, b, c]) await world.remove(`${DISPLAYS}/${id}`);
  });

  it('rules: made, changed in part, deleted; gone with their display', async () => {
    const { id: rgb_display_id } = await display({ zone_id: world.site.zone });
    const first = await rule({ rgb_display_id });
    expect(first).toEqual({
      id: first.id,
      name: 'Rule',
      operator: 'gt',
      occupied_value: 0,
      occupied_value_to: null,
      display_text: '',
      order: 1,
      start_time: null,
      end_time: null,
      created_at: first.created_at,
      updated_at: first.created_at,
    });
    const body = {
      operator: 'between',
      occupied_value: 3,
      occupied_value_to: 9,
      display_text: '{free} FREE',
      order: 7,
    };
    const times = { start_time: '2026-01-01T00:00:00+01:00', end_time: '2026-02-01T00:00:00.000Z' };
    const second = await rule({ rgb_display_id, ...body, ...times });
    expect(second).toMatchObject({ ...body, ...times, start_time: '2025-12-31T23:00:00.000Z' });
    // The last of its display.
    expect(await rule({ rgb_display_id })).toMatchObject({ order: 8 });
    const path = `${RULES}/${second.id}`;
    expect(await world.get(path)).toEqual(second);
    expect(await world.patch(path, { occupied_value: 9, end_time: null })).toMatchObject({
      ...body,
      occupied_value: 9,
      start_time: second.start_time,
      end_time: null,
    });
    expect(await world.patch(path, { operator: 'lte', occupied_value_to: null })).toMatchObject({ operator: 'lte' });
    expect(await world.remove(path)).toMatchObject({ id: second.id, operator: 'lte' });
    await world.remove(`${DISPLAYS}/${rgb_display_id}`);
    expect(await world.refused('GET', `${RULES}/${first.id}`)).toEqual([404, '6']);
  });

  it('rules: any operator may have a second value, and only between needs it', async () => {
    const { id: rgb_display_id } = await display({ zone_id: world.site.zone });
    const made = { name: 'Rule', rgb_display_id };
    for (const operator of RULE_OPERATORS) {
      const bounds = { occupied_value: 5, occupied_value_to: 5 };
      const { id } = await rule({ ...made, operator, ...bounds });
      expect(await world.get(`${RULES}/${id}`)).toMatchObject({ operator, ...bounds });
      const alone = { ...made, operator, occupied_value: 5 };
      const isRefused = operator === 'between';
      expect([operator, (await world.cloud.ask('POST', RULES, { token: OWNER_TOKEN, json: alone })).status]).toEqual([
        operator,
        isRefused ? 422 : 200,
      ]);
      // Judged with what stays as it is.
      const half = await world.cloud.ask('PATCH', `${RULES}/${id}`, {
        token: OWNER_TOKEN,
        json: { occupied_value_to: null },
      });
      expect([operator, half.status]).toEqual([operator, isRefused ? 422 : 200]);
    }
    const between = { ...made, operator: 'between', occupied_value: 5 };
    expect(await world.refused('POST', RULES, { ...between, occupied_value_to: 4 })).toEqual([
      422,
      '23 occupied_value_to',
    ]);
    const { id } = await rule({ ...between, occupied_value_to: 6 });
    const path = `${RULES}/${id}`;
    expect(await world.refused('PATCH', path, { occupied_value: 7 })).toEqual([422, '23 occupied_value_to']);
    // The old bound stays, and does not stand in the way.
    expect(await world.patch(path, { operator: 'gt' })).toMatchObject({ operator: 'gt', occupied_value_to: 6 });
    expect(await world.patch(path, { occupied_value: 7 })).toMatchObject({ occupied_value: 7, occupied_value_to: 6 });
    expect(await world.refused('PATCH', path, { operator: 'between' })).toEqual([422, '23 occupied_value_to']);
    expect(await world.patch(path, { operator: 'between', occupied_value: 6 })).toMatchObject({ operator: 'between' });
    await world.remove(`${DISPLAYS}/${rgb_display_id}`);
  });

  it('rules: every wrong field at once', async () => {
    const { site } = world;
    const southern = await display({ lot_id: site.south });
    const { id: rgb_display_id } = await display({ zone_id: site.zone });
    const wrong = {
      name: '',
      rgb_display_id: 999_999,
      operator: 'between',
      occupied_value: 2,
      occupied_value_to: 1,
      order: -1,
      start_time: '2026-02-01T00:00:00Z',
      end_time: '2026-01-01T00:00:00Z',
      text: 'FREE',
    };
    expect((await world.refused('POST', RULES, wrong)).toSorted()).toEqual(
      [422, '23 end_time', '23 name', '23 occupied_value_to', '23 order', '23 rgb_display_id', '23 text'].toSorted(),
    );
    const shapes = { operator: '>', occupied_value: 1.5, occupied_value_to: 'many', start_time: 'soon', end_time: 5 };
    expect(await world.refused('POST', RULES, { name: 'R', rgb_display_id, ...shapes })).toEqual([
      422,
      ...Object.keys(shapes).map((field) => `23 ${field}`),
    ]);
    for (const id of [999_999, southern.id]) {
      const body = { name: 'R', rgb_display_id: id, operator: 'gt' };
      expect(await world.refused('POST', RULES, body, ADMIN_TOKEN)).toEqual([422, '23 rgb_display_id']);
    }
    const { id } = await rule({ rgb_display_id, start_time: '2026-01-01T00:00:00Z' });
    expect(await world.refused('PATCH', `${RULES}/${id}`, { end_time: '2026-01-01T00:00:00Z' })).toEqual([
      422,
      '23 end_time',
    ]);
    for (const each of [southern.id, rgb_display_id]) await world.remove(`${DISPLAYS}/${each}`);
  });

  it('rules: listed in their order, by their display and where it is', async () => {
    const { site } = world;
    const north = await display({ zone_id: site.zone });
    const south = await display({ lot_id: site.south });
    const a = await rule({ rgb_display_id: north.id, name: 'B', order: 3 });
    const b = await rule({ rgb_display_id: north.id, name: 'A', order: 2 });
    const c = await rule({ rgb_display_id: south.id, name: 'C', order: 1 });
    const ids = (query: string, token?: string) => world.ids(`${RULES}?${query}`, token);
    expect(await ids('sort=order:asc')).toEqual([c.id, b.id, a.id]);
    expect(await ids('sort=name:desc')).toEqual([c.id, a.id, b.id]);
    expect(await ids('')).toEqual([c.id, b.id, a.id]);
    expect(await ids(`filter=rgb_display_id:eq:${north.id}&sort=order:asc`)).toEqual([b.id, a.id]);
    expect(await ids(`filter=lot_id:eq:${site.south}`)).toEqual([c.id]);
    expect(await ids(`filter=zone_id:eq:${site.zone}&filter=name:eq:A`)).toEqual([b.id]);
    expect(await ids(`filter=account_id:eq:${site.rival}`)).toEqual([]);
    expect(await world.refused('GET', `${RULES}?filter=operator:eq:gt`)).toEqual([422, '23 filter']);
    expect(await ids('sort=order:asc', GUARD_TOKEN)).toEqual([b.id, a.id]);
    expect(await ids('', RIVAL_TOKEN)).toEqual([]);
  });
});
