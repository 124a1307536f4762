import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { GUARD_TOKEN, RIVAL_TOKEN } from '../http/http-site.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';
import { readingRow } from '../session/reading-rows.js';
import { endedAt, sessionRow } from '../session/session-site.js';

const HOUR = 3_600_000;
let world: RestWorld;
let now: number;
let entry: number;
let exit: number;
let inner: number;
let product: number;
beforeEach(async () => {
  world = await startRestWorld();
  now = world.cloud.clock.now();
  const { zone } = world.site;
  product = await made('/v2/products', {
    zone_id: zone,
    device_id: 'a4c138000001',
    name: 'Barrier',
    product_type_id: 1,
  });
  const camera = (device_id: string, more: object) =>
    made('/v2/lpr-cameras', { zone_id: zone, device_id, name: device_id, driver: 'hikvision', ...more });
  entry = await camera('cam-in', { lpr_position: 'in', product_id: product });
  exit = await camera('cam-out', { lpr_position: 'out' });
  inner = await camera('cam-inner', {});
});
afterEach(() => world.cloud.close());

const made = async (path: string, body: object) => Number((await world.post(path, body)).id);
const path = (query: Record<string, string | number>) =>
  `/v2/lots/${world.site.north}/would-admit?${new URLSearchParams(query as Record<string, string>).toString()}`;
const isoOf = (ms: number) => new Date(ms).toISOString();

interface Admission {
  access_decision: string | null;
  access_decision_reason: string | null;
  rules: { rule: string; outcome: string; facts: Record<string, unknown> }[];
}

async function reasonFor(plate: string, camera: number, at?: number): Promise<string | null> {
  const asked = { plate, lpr_camera_id: camera, ...(at === undefined ? {} : { at: isoOf(at) }) };
  return (await world.get<Admission>(path(asked))).access_decision_reason;
}

const insertSession = (changed: Partial<NewRow<'sessions'>> & { created_at: number }) =>
  world.cloud.store.change((tx) => tx.insertInto('sessions').values(sessionRow(world.site, changed)).execute());

describe('GET /v2/lots/{id}/would-admit', () => {
  it('answers the decision with its rules, and stores nothing', async () => {
    const answer = await world.get(path({ plate: 'zg 1234-ab', lpr_camera_id: entry }), GUARD_TOKEN);
    expect(answer).toMatchObject({
      plate: 'zg 1234-ab',
      lpr_camera_id: entry,
      at: isoOf(now),
      access_decision: 'triggered',
      access_decision_reason: 'tariff',
    });
    const { rules } = answer as unknown as Admission;
    expect(rules[0]).toEqual({ rule: 'plate', outcome: 'passed', facts: { plate: 'ZG1234AB' } });
    expect(rules.at(-1)).toMatchObject({ rule: 'tariff', outcome: 'admitted' });
    for (const table of ['plate_readings', 'sessions', 'events'] as const) {
      expect(await world.cloud.store.reader.selectFrom(table).select('id').execute()).toEqual([]);
    }
  });

  it('knows members, bound licenses and keys, these at the time that is asked', async () => {
    const group_id = await made('/v2/groups', { name: 'Residents', zone_ids: [world.site.zone] });
    await made('/v2/members', { name: 'Mia', license_plate: 'ZG MIA', group_ids: [group_id] });
    await made(`/v2/products/${product}/bound-licenses`, { license_plate: 'ZG777BB' });
    const times = { start_time: isoOf(now + HOUR), end_time: isoOf(now + 2 * HOUR) };
    await made('/v2/key-logs', {
      product_id: product,
      name: 'Plumber',
      receiver_identifier: 'ZG55',
      receiver_identifier_type: 'license_plate',
      ...times,
    });
    await world.patch(`/v2/zones/${world.site.zone}`, { tariff_ids: [] });
    expect(await reasonFor('ZGMIA', entry)).toBe('whitelist');
    expect(await reasonFor('zg777bb', entry)).toBe('whitelist');
    expect(await reasonFor('ZG777BB', inner)).toBeNull();
    expect(await reasonFor('ZG55', entry)).toBe('no_tariff');
    expect(await reasonFor('ZG55', entry, now + HOUR)).toBe('whitelist');
    expect(await reasonFor('ZG55', entry, now + 2 * HOUR)).toBe('no_tariff');
  });

  it('knows how full the zone is, and was', async () => {
    await world.patch(`/v2/zones/${world.site.zone}`, { spot_count: 1 });
    await insertSession({ created_at: now - HOUR });
    expect(await reasonFor('ZG1', entry)).toBe('max_capacity');
    expect(await reasonFor('ZG1', entry, now - 2 * HOUR)).toBe('tariff');
    expect(await reasonFor('ZG1', entry, now - HOUR / 2)).toBe('max_capacity');
  });

  it('knows the sessions of the lot, look-alikes too, as they were', async () => {
    await insertSession({ created_at: now - 3 * HOUR, plate_normalised: 'ZG1234AB' });
    expect(await reasonFor('ZG1234AB', exit)).toBe('session_exit');
    expect(await reasonFor('ZG1234A8', exit)).toBe('session_exit');
    expect(await reasonFor('ZG1234AB', exit, now - 4 * HOUR)).toBe('no_active_session');
    await insertSession({
      created_at: now - 3 * HOUR,
      plate_normalised: 'DU1',
      ...endedAt(now - 2 * HOUR),
      ended_by_look_alike: 1,
    });
    expect(await reasonFor('DU1', exit)).toBe('session_exit');
    expect(await reasonFor('DU1', exit, now + 23 * HOUR)).toBe('no_active_session');
    const { rules } = await world.get<Admission>(path({ plate: 'DU777', lpr_camera_id: exit }));
    expect(rules.at(-1)).toEqual({
      rule: 'offline_exit',
      outcome: 'denied',
      facts: { cut_off: 0, offline_exit: 'open' },
    });
  });

  it('knows the last read of the plate at the product', async () => {
    const { site } = world;
    const place = { account_id: site.harbour, lot_id: site.north, zone_id: site.zone, lpr_camera_id: entry };
    const seen = { ...place, plate: 'ZG1', plate_normalised: 'ZG1', at: now - 10_000 };
    await world.cloud.store.change((tx) => tx.insertInto('plate_readings').values(readingRow(seen)).execute());
    expect(await reasonFor('ZG1', entry)).toBe('debounce');
    expect(await reasonFor('ZG1', entry, now + 5_000)).toBe('tariff');
    expect(await reasonFor('ZG1', exit)).toBe('no_active_session');
    // It turned round since: the next entry is no repeat.
    const left = { ...seen, at: now - 5_000 };
    const turned = { ...readingRow(left), direction: 'out' as const };
    await world.cloud.store.change((tx) => tx.insertInto('plate_readings').values(turned).execute());
    expect(await reasonFor('ZG1', entry)).toBe('tariff');
    await world.cloud.store.change((tx) => tx.deleteFrom('plate_readings').where('direction', '=', 'out').execute());
    await world.cloud.store.change((tx) =>
      tx.updateTable('plate_readings').set({ opening_outcome: 'failed' }).execute(),
    );
    expect(await reasonFor('ZG1', entry)).toBe('tariff');
  });

  it('knows that a person let the vehicle out: it tries again, for ten minutes', async () => {
    const MINUTE = 60_000;
    const { harbour: account_id, north: lot_id, zone: zone_id } = world.site;
    const of = { account_id, lot_id, zone_id, lpr_camera_id: exit, plate: 'ZG1', plate_normalised: 'ZG1' };
    const refused = {
      direction: 'out',
      access_decision: 'denied',
      access_decision_reason: 'no_active_session',
    } as const;
    const seen = readingRow({ ...of, ...refused, at: now - 10_000 });
    await world.cloud.store.change((tx) => tx.insertInto('plate_readings').values(seen).execute());
    expect(await reasonFor('ZG1', exit)).toBe('debounce');
    const letIn = { handled_at: now - 5_000, handled_by: 'South', handled_how: 'let_in' } as const;
    await world.cloud.store.change((tx) => tx.updateTable('plate_readings').set(letIn).execute());
    const again = await world.get<Admission>(path({ plate: 'ZG1', lpr_camera_id: exit }));
    expect(again.access_decision_reason).toBe('session_exit');
    expect(again.rules.at(-1)).toMatchObject({ rule: 'session_exit', facts: { let_out: 1 } });
    expect(await reasonFor('ZG1', exit, now - 6_000)).toBe('debounce');
    expect(await reasonFor('ZG1', exit, now - 5_000 + 10 * MINUTE - 1)).toBe('session_exit');
    expect(await reasonFor('ZG1', exit, now - 5_000 + 10 * MINUTE)).toBe('no_active_session');
    expect(await reasonFor('ZG2', exit)).toBe('no_active_session');
    // Its stay has ended, and a next one is an entry like any other.
    expect(await reasonFor('ZG1', entry)).toBe('tariff');
  });

  it('decides nothing without a direction or a plate', async () => {
    const anywhere = await world.get<Admission>(path({ plate: 'ZG1', lpr_camera_id: inner }));
    expect(anywhere).toMatchObject({ access_decision: null, access_decision_reason: null });
    expect(anywhere.rules.at(-1)).toEqual({
      rule: 'direction',
      outcome: 'undecided',
      facts: { direction: 'undefined' },
    });
    const unread = await world.get<Admission>(path({ plate: 'noPlate', lpr_camera_id: entry }));
    expect(unread.rules).toEqual([{ rule: 'plate', outcome: 'undecided', facts: { plate: 'noPlate' } }]);
  });

  it('refuses what is not there', async () => {
    const asked = path({ plate: 'ZG1', lpr_camera_id: entry });
    expect(await world.refused('GET', asked, undefined, RIVAL_TOKEN)).toEqual([404, '6']);
    expect(await world.refused('GET', path({ plate: 'ZG1', lpr_camera_id: 999_999 }))).toEqual([
      422,
      '23 lpr_camera_id',
    ]);
    expect(await world.refused('GET', path({ lpr_camera_id: entry }))).toEqual([422, '23 plate']);
    expect(await world.refused('GET', path({ plate: 'ZG1', lpr_camera_id: 'x', at: 'soon' }))).toEqual([
      422,
      '23 lpr_camera_id',
      '23 at',
    ]);
  });
});

describe('GET /v2/lots/{id}/plate-collisions', () => {
  it('lists the pairs with their members, page by page', async () => {
    const { north, southZone, zone } = world.site;
    const group_id = await made('/v2/groups', { name: 'Residents', zone_ids: [zone] });
    const elsewhere = await made('/v2/groups', { name: 'Others', zone_ids: [southZone] });
    const member = (name: string, license_plate: string, id = group_id) =>
      made('/v2/members', { name, license_plate, group_ids: [id] });
    const mia = await member('Mia', 'ZG 1234-AB');
    const max = await member('Max', 'ZG1234A8');
    await member('Ida', 'ST999AA');
    await member('Far', 'ST999AB', elsewhere);
    await made(`/v2/products/${product}/bound-licenses`, { license_plate: 'ZG123AB' });
    const list = `/v2/lots/${north}/plate-collisions`;
    const pairs = [
      {
        kind: 'look_alike',
        plates: ['ZG1234A8', 'ZG1234AB'],
        members: [
          { id: max, name: 'Max' },
          { id: mia, name: 'Mia' },
        ],
      },
      { kind: 'one_edit', plates: ['ZG1234AB', 'ZG123AB'], members: [{ id: mia, name: 'Mia' }] },
    ];
    expect(await world.get(list, GUARD_TOKEN)).toEqual(pairs);
    const second = await world.cloud.ask('GET', `${list}?size=1&page=2`, { token: GUARD_TOKEN });
    expect(second.body).toMatchObject({ data: [pairs[1]], meta: { total: 2, current_page: 2, next_page_url: null } });
    expect(await world.get(`/v2/lots/${world.site.south}/plate-collisions`)).toEqual([]);
    expect(await world.refused('GET', list, undefined, RIVAL_TOKEN)).toEqual([404, '6']);
  });
});
