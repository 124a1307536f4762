/** Many members at once: changed, put into groups, deleted, each for itself; and found by group, state and any text. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, RIVAL_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

interface Outcome {
  success: boolean;
  id: number;
  errors: { code: number; field?: string }[];
}
interface Member {
  id: number;
  blocked_at: string | null;
  blocked_reason: string | null;
  valid_until: string | null;
  groups: { id: number }[];
}

let world: RestWorld;
let group: number;
let other: number;
beforeEach(async () => {
  world = await startRestWorld();
  ({ id: group } = await world.post<{ id: number }>('/v2/groups', { name: 'Season', zone_ids: [world.site.zone] }));
  ({ id: other } = await world.post<{ id: number }>('/v2/groups', { name: 'Staff', zone_ids: [] }));
});
afterEach(() => world.cloud.close());

const add = async (name: string, more: object = {}) => (await world.post<Member>('/v2/members', { name, ...more })).id;
const one = (id: number) => world.get<Member>(`/v2/members/${id}`);
const bulk = (body: object, token?: string) => world.patch<Outcome[]>('/v2/members', body, token);
const found = (...filters: string[]) =>
  world.ids(`/v2/members?sort=id:asc&${filters.map((each) => `filter=${encodeURIComponent(each)}`).join('&')}`);

describe('several members', () => {
  it('are blocked with a reason, and let in again, those that are there', async () => {
    const [ana, ivo] = [await add('Ana'), await add('Ivo')];
    world.notified();
    const outcomes = await bulk({ ids: [ivo, 999, ana, ivo], blocked_reason: 'unpaid' });
    expect(outcomes.map(({ id, success, errors }) => [id, success, errors.map(({ code }) => code)])).toEqual([
      [ivo, true, []],
      [999, false, [6]],
      [ana, true, []],
      [ivo, true, []],
    ]);
    expect(await one(ana)).toMatchObject({ blocked_reason: 'unpaid', blocked_at: expect.any(String) });
    expect(world.notified()).toContain(world.site.north);
    await bulk({ ids: [ana, ivo], blocked_at: null });
    expect(await one(ivo)).toMatchObject({ blocked_reason: null, blocked_at: null });
  });

  it('get an end, but for those of whom it would come before the beginning', async () => {
    const late = await add('Late', { valid_from: '2030-01-01T00:00:00.000Z' });
    const free = await add('Free');
    const outcomes = await bulk({ ids: [late, free], valid_until: '2029-01-01T00:00:00.000Z', add_group_ids: [other] });
    expect(outcomes).toMatchObject([
      { success: false, errors: [{ code: 23, field: 'valid_until' }] },
      { success: true, errors: [] },
    ]);
    expect(await one(free)).toMatchObject({ valid_until: '2029-01-01T00:00:00.000Z', groups: [{ id: other }] });
    expect(await one(late)).toMatchObject({ valid_until: null, groups: [] });
  });

  it('join groups and leave groups, and stay in the others', async () => {
    const id = await add('Ana', { group_ids: [group] });
    await bulk({ ids: [id], add_group_ids: [other] });
    expect((await one(id)).groups.map((each) => each.id)).toEqual([group, other]);
    await bulk({ ids: [id], remove_group_ids: [group] });
    expect((await one(id)).groups.map((each) => each.id)).toEqual([other]);
  });

  it('are deleted, with an account of each', async () => {
    const [ana, ivo] = [await add('Ana'), await add('Ivo')];
    expect(await world.post<Outcome[]>('/v2/members/delete', { ids: [ana, 999, ivo] })).toMatchObject([
      { success: true },
      { success: false, errors: [{ code: 6 }] },
      { success: true },
    ]);
    expect(await found('search:like:a')).toEqual([]);
  });

  it('refuse what is wrong for all of them, and those of another account', async () => {
    const id = await add('Ana');
    const refused = (body: object, token?: string) => world.refused('PATCH', '/v2/members', body, token);
    expect(await refused({ ids: [] })).toEqual([422, '23 ids']);
    expect(await refused({ ids: Array.from({ length: 1_001 }, (_, at) => at + 1) })).toEqual([422, '23 ids']);
    expect(await refused({ ids: [id], name: 'X' })).toEqual([422, '23 name']);
    expect(await refused({ ids: [id], add_group_ids: [999] })).toEqual([422, '23 add_group_ids.0']);
    const both = { add_group_ids: [group], remove_group_ids: [group] };
    expect(await refused({ ids: [id], ...both })).toEqual([422, '23 remove_group_ids']);
    expect(await bulk({ ids: [id], blocked_reason: 'theirs' }, RIVAL_TOKEN)).toMatchObject([{ success: false }]);
    expect((await one(id)).blocked_at).toBeNull();
  });

  it('leave a group alone that acts on a lot which is not the caller’s', async () => {
    const south = await world.post<{ id: number }>('/v2/groups', { name: 'South', zone_ids: [world.site.southZone] });
    const id = await add('Ana');
    expect(await world.refused('PATCH', '/v2/members', { ids: [id], add_group_ids: [south.id] }, ADMIN_TOKEN)).toEqual([
      422,
      '23 add_group_ids',
    ]);
    await bulk({ ids: [id], add_group_ids: [south.id] });
    expect(await bulk({ ids: [id], blocked_reason: 'no' }, ADMIN_TOKEN)).toMatchObject([{ success: false }]);
  });
});

describe('members are found', () => {
  it('by their group, or by being in none', async () => {
    const [ana, ivo] = [await add('Ana', { group_ids: [group] }), await add('Ivo')];
    expect(await found(`group_id:eq:${group}`)).toEqual([ana]);
    expect(await found('group_id:isnull')).toEqual([ivo]);
    expect(await found(`group_id:neq:${group}`)).toEqual([ivo]);
  });

  it('by whether they may enter at a moment', async () => {
    const now = new Date(world.cloud.clock.now()).toISOString();
    const past = '2001-01-01T00:00:00.000Z';
    const in2100 = '2100-01-01T00:00:00.000Z';
    const free = await add('Free');
    const blocked = await add('Blocked', { blocked_reason: 'unpaid' });
    const over = await add('Over', { valid_until: past });
    const later = await add('Later', { valid_from: in2100 });
    expect(await found(`admitted_at:eq:${now}`)).toEqual([free]);
    expect(await found('blocked_at:isnotnull')).toEqual([blocked]);
    expect(await found(`valid_until:lte:${now}`)).toEqual([over]);
    expect(await found(`valid_from:gt:${now}`)).toEqual([later]);
  });

  it('by a part of name, mail or plate, in one search', async () => {
    const ana = await add('Ana', { email: 'a@north.example', plates: ['ZG 1', 'ST 77-X'] });
    const ivo = await add('Ivo North');
    expect(await found('search:like:NORTH')).toEqual([ana, ivo]);
    expect(await found('search:like:st77')).toEqual([ana]);
    expect(await found('search:like:%')).toEqual([]);
    expect(await world.refused('GET', '/v2/members?filter=search:eq:Ana')).toEqual([422, '23 filter']);
  });

  it('in the order of plates and times', async () => {
    const [ana, ivo] = [
      await add('Ana', { plates: ['ZG 1'], valid_until: '2030-01-01T00:00:00.000Z' }),
      await add('Ivo', { plates: ['KA 1'], valid_until: '2029-01-01T00:00:00.000Z' }),
    ];
    expect(await world.ids('/v2/members?sort=license_plate:asc')).toEqual([ivo, ana]);
    expect(await world.ids('/v2/members?sort=valid_until:desc')).toEqual([ana, ivo]);
  });
});
