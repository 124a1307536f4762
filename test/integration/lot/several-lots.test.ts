/** What acts on several lots: who writes it, what webhooks hear of, and what the audit log shows to whom. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_TOKEN, GUARD_TOKEN, journalEvents } from '../http/http-site.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

let world: RestWorld;
beforeEach(async () => void (world = await startRestWorld()));
afterEach(() => world.cloud.close());

const made = async (path: string, json: object, token?: string) => Number((await world.post(path, json, token)).id);

describe('a member', () => {
  it('does not come into a group of another lot, by none of three ways, and comes into one of the own', async () => {
    const south = await made('/v2/groups', { name: 'South', zone_ids: [world.site.southZone] });
    const north = await made('/v2/groups', { name: 'North', zone_ids: [world.site.zone] });
    const mia = await made('/v2/members', { name: 'Mia', license_plate: 'ZG 1' }, ADMIN_TOKEN);
    const named = { name: 'Ivo', license_plate: 'ZG 2', group_ids: [south] };
    world.notified();
    expect(await world.refused('PUT', `/v2/groups/${south}/members/${mia}`, undefined, ADMIN_TOKEN)).toEqual([
      404,
      '6',
    ]);
    expect(await world.refused('POST', '/v2/members', named, ADMIN_TOKEN)).toEqual([422, '23 group_ids']);
    const moved = { group_ids: [north, south] };
    expect(await world.refused('PATCH', `/v2/members/${mia}`, moved, ADMIN_TOKEN)).toEqual([422, '23 group_ids']);
    expect(world.notified()).toEqual([]);
    await world.patch(`/v2/members/${mia}`, { group_ids: [north] }, ADMIN_TOKEN);
    expect(await world.get(`/v2/groups/${south}`)).toMatchObject({ members: [] });
  });

  it('stays in the groups of two lots: a caller who has one of them only reads it', async () => {
    const south = await made('/v2/groups', { name: 'South', zone_ids: [world.site.southZone] });
    const north = await made('/v2/groups', { name: 'North', zone_ids: [world.site.zone] });
    const mia = await made('/v2/members', { name: 'Mia', group_ids: [north, south] });
    expect(await world.get(`/v2/members/${mia}`, ADMIN_TOKEN)).toMatchObject({ name: 'Mia' });
    const refused = (method: string, path: string, json?: object) => world.refused(method, path, json, ADMIN_TOKEN);
    expect(await refused('PATCH', `/v2/members/${mia}`, { license_plate: 'MINE' })).toEqual([404, '6']);
    expect(await refused('DELETE', `/v2/members/${mia}`)).toEqual([404, '6']);
    expect(await refused('PATCH', `/v2/groups/${north}`, { member_ids: [] })).toEqual([422, '23 member_ids']);
    // What names it as it is changes nothing of it.
    await world.patch(`/v2/groups/${north}`, { name: 'Crew', member_ids: [mia] }, ADMIN_TOKEN);
  });
});

describe('an alert without a zone', () => {
  it('watches all lots, so that only who has them makes one, or makes one of another', async () => {
    const alert = { name: 'Wanted', plates: ['ZG 1'] };
    expect(await world.refused('POST', '/v2/license-plate-alerts', alert, ADMIN_TOKEN)).toEqual([422, '23 zone_id']);
    const own = await made('/v2/license-plate-alerts', { ...alert, zone_id: world.site.zone }, ADMIN_TOKEN);
    const path = `/v2/license-plate-alerts/${own}`;
    expect(await world.refused('PATCH', path, { zone_id: null }, ADMIN_TOKEN)).toEqual([422, '23 zone_id']);
    await world.patch(path, { zone_id: null });
    expect(await world.refused('DELETE', path, undefined, ADMIN_TOKEN)).toEqual([404, '6']);
  });
});

describe('a webhook', () => {
  const url = 'http://127.0.0.1:9/hook';
  const heard = async (id: number) => {
    const rows = world.cloud.store.reader
      .selectFrom('webhook_deliveries')
      .select('lot_id')
      .where('webhook_id', '=', id);
    return [...new Set((await rows.execute()).map(({ lot_id }) => lot_id))].toSorted((a, b) => a - b);
  };
  const happen = async (...lots: number[]) => {
    const { store } = world.cloud;
    const account_id = world.site.harbour;
    await journalEvents(store, ...lots.map((lot_id) => ({ account_id, lot_id, uuid: `of ${lot_id}` })));
    const behind = () =>
      store.reader
        .selectFrom('webhooks')
        .innerJoin('journal_heads', 'journal_heads.account_id', 'webhooks.account_id')
        .select('webhooks.id')
        .whereRef('webhooks.cursor', '<', 'journal_heads.seq')
        .execute();
    await waitUntil('the webhooks to hear of all', async () => (await behind()).length === 0);
  };
  const lotsOfAdmin = (lot_ids: number[]) => world.patch(`/v2/account-users/${world.admin}`, { lot_ids });

  it('hears of the lots that its maker had and still has, also after its maker is gone', async () => {
    const { north, south } = world.site;
    const id = await made('/v2/webhooks', { url }, ADMIN_TOKEN);
    await lotsOfAdmin([north, south]);
    await happen(north, south);
    expect(await heard(id)).toEqual([north]);
    await world.remove(`/v2/account-users/${world.admin}`);
    await happen(north, south);
    expect(await heard(id)).toEqual([north]);
  });

  it('hears of no lot that its maker lost', async () => {
    const { north, south } = world.site;
    const id = await made('/v2/webhooks', { url }, ADMIN_TOKEN);
    await lotsOfAdmin([south]);
    await happen(north, south);
    expect(await heard(id)).toEqual([]);
  });

  it('hears of each lot that the user of a Super Admin has or gets, and of an unlimited API token of the account', async () => {
    const { north, south } = world.site;
    const ofOwner = await made('/v2/webhooks', { url });
    const ofToken = await made('/v2/webhooks', { url }, API_TOKEN);
    const east = await made('/v2/lots', { name: 'East' });
    await happen(north, south, east);
    expect([await heard(ofOwner), await heard(ofToken)]).toEqual([
      [north, south, east],
      [north, south, east],
    ]);
    await world.patch(`/v2/account-users/${world.site.owner}`, { lot_ids: [north] });
    const last = await made('/v2/webhooks', { url });
    await happen(north, south);
    expect(await heard(last)).toEqual([north]);
  });

  it('is changed by who has its lots, and its address is shown to nobody else', async () => {
    const { id } = await world.post('/v2/webhooks', { url });
    const path = `/v2/webhooks/${Number(id)}`;
    expect(await world.refused('PATCH', path, { url: 'https://mine.example' }, ADMIN_TOKEN)).toEqual([404, '6']);
    expect(await world.refused('POST', `${path}/rotate-secret`, {}, ADMIN_TOKEN)).toEqual([404, '6']);
    expect(await world.get(path, OWNER_TOKEN)).toMatchObject({ url });
    expect(await world.get(path, ADMIN_TOKEN)).toMatchObject({ url: null });
    expect(await world.get(path, GUARD_TOKEN)).toMatchObject({ url: null });
    const own = await made('/v2/webhooks', { url }, ADMIN_TOKEN);
    await world.patch(`/v2/webhooks/${own}`, { url: 'https://mine.example' }, ADMIN_TOKEN);
  });

  it('is managed by tokens as far as they hear when a token made it, whatever the first Super Admin is assigned to', async () => {
    await made('/v2/lots', { name: 'Of the admin' }, ADMIN_TOKEN);
    const id = await made('/v2/webhooks', { url }, API_TOKEN);
    const path = `/v2/webhooks/${id}`;
    for (const token of [OWNER_TOKEN, ADMIN_TOKEN]) {
      expect(await world.refused('PATCH', path, { is_active: 0 }, token)).toEqual([404, '6']);
    }
    expect(await world.patch(path, { is_active: 0 }, API_TOKEN)).toMatchObject({ is_active: 0 });
    expect(await world.post(`${path}/rotate-secret`, {}, API_TOKEN)).toMatchObject({ id });
    expect((await world.cloud.ask('DELETE', path, { token: API_TOKEN })).status).toBe(200);
  });
});

describe('the audit log', () => {
  it('shows the entries of the own lots and of the account itself', async () => {
    const { zone, southZone } = world.site;
    await world.patch(`/v2/zones/${zone}`, { description: 'north' });
    await world.patch(`/v2/zones/${southZone}`, { description: 'south' });
    const place = await made('/v2/parking-places', { zone_id: southZone, name: 'S1' });
    await world.remove(`/v2/parking-places/${place}`);
    const session = await made('/v2/sessions', { zone_id: southZone, entry_license_plate: 'ZG 1' });
    const tariff = await made('/v2/tariffs', { name: 'Day', currency: 'EUR', price: 1 });
    const targets = async (token: string) =>
      (await world.get<{ target: string }[]>('/v2/audit-log?size=100', token)).map(({ target }) => target);
    const ofSouth = [`zone ${southZone}`, `parking place ${place}`, `session ${session}`];
    expect(await targets(OWNER_TOKEN)).toEqual(
      expect.arrayContaining([...ofSouth, `zone ${zone}`, `tariff ${tariff}`]),
    );
    const shown = await targets(ADMIN_TOKEN);
    expect(shown).toEqual(expect.arrayContaining([`zone ${zone}`, `tariff ${tariff}`]));
    expect(shown.filter((target) => ofSouth.includes(target))).toEqual([]);
  });
});
