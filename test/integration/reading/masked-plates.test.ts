/** Plates that a console masks: who settles it, and who asked for which. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_TOKEN, GUARD_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';
import { readingRow } from '../session/reading-rows.js';

interface Entry {
  action: string;
  target: string;
  actor_type: string;
  actor_id: number | null;
  details: { values?: Record<string, unknown> };
}

describe('masked plates', () => {
  let world: RestWorld;
  beforeAll(async () => {
    world = await startRestWorld();
  });
  afterAll(() => world.cloud.close());

  const newest = async (count: number): Promise<Entry[]> => world.get(`/v2/audit-log?size=${count}`);
  const readingIn = (lot: 'north' | 'south') =>
    world.cloud.store.change(async (tx) => {
      const { harbour, zone, southZone } = world.site;
      const row = readingRow({
        account_id: harbour,
        lot_id: world.site[lot],
        zone_id: lot === 'north' ? zone : southZone,
        plate: 'ZG 2',
        plate_normalised: 'ZG2',
        at: world.cloud.clock.now(),
      });
      return (await tx.insertInto('plate_readings').values(row).returning('id').executeTakeFirstOrThrow()).id;
    });

  it('are settled by a Super Admin who signed in, for the whole account, and for no other', async () => {
    const { harbour } = world.site;
    const before = await world.get('/v2/account');
    expect(before).toMatchObject({ id: harbour, name: expect.any(String), mask_plates: 0, attendant_money: 'all' });
    expect(await world.patch('/v2/account', { mask_plates: true })).toEqual({ ...before, mask_plates: 1 });
    for (const token of [OWNER_TOKEN, ADMIN_TOKEN, GUARD_TOKEN, API_TOKEN])
      expect(await world.get('/v2/account', token)).toEqual({ ...before, mask_plates: 1 });
    expect(await world.get('/v2/account', RIVAL_TOKEN)).toMatchObject({ mask_plates: 0 });
    expect(await newest(1)).toMatchObject([{ action: 'account.update', details: { values: { mask_plates: 1 } } }]);

    for (const token of [ADMIN_TOKEN, GUARD_TOKEN, API_TOKEN])
      expect((await world.refused('PATCH', '/v2/account', { mask_plates: 0 }, token))[0]).toBe(403);
    for (const wrong of [2, 'yes', null])
      expect(await world.refused('PATCH', '/v2/account', { mask_plates: wrong })).toEqual([422, '23 mask_plates']);
    expect(await world.refused('PATCH', '/v2/account', { name: 'Ours' })).toEqual([422, '23 name']);
    expect(await world.patch('/v2/account', {})).toMatchObject({ mask_plates: 1 });
  });

  it('are asked for by whoever sees them, each time with an entry in the audit log', async () => {
    const member = await world.post<{ id: number }>('/v2/members', { name: 'Mia', license_plate: 'ZG 1' });
    const reading = await readingIn('north');
    for (const [path, target, token, actor_type] of [
      [`/v2/plate-readings/${reading}`, `plate reading ${reading}`, GUARD_TOKEN, 'user'],
      [`/v2/members/${member.id}`, `member ${member.id}`, ADMIN_TOKEN, 'user'],
      [`/v2/lots/${world.site.north}`, `lot ${world.site.north}`, API_TOKEN, 'api_token'],
    ] as const) {
      await world.post(`${path}/reveal`, undefined, token);
      await world.post(`${path}/reveal`, undefined, token);
      const [second, first] = await newest(2);
      for (const entry of [first, second]) expect(entry).toMatchObject({ actor_type, target });
      expect(first?.action).toMatch(/^(plate_reading|member|lot)\.reveal$/);
    }
  });

  it('are not there for who does not see them, and nothing is noted then', async () => {
    const reading = await readingIn('south');
    const member = await world.post<{ id: number }>('/v2/members', { name: 'Mira' });
    const [last] = await newest(1);
    expect(await world.refused('POST', `/v2/members/${member.id}/reveal`, undefined, RIVAL_TOKEN)).toEqual([404, '6']);
    const own = [`/v2/plate-readings/${reading}/reveal`, `/v2/lots/${world.site.south}/reveal`];
    for (const path of own) {
      expect(await world.refused('POST', path, undefined, GUARD_TOKEN)).toEqual([404, '6']);
      expect(await world.refused('POST', path, undefined, RIVAL_TOKEN)).toEqual([404, '6']);
    }
    for (const list of ['plate-readings', 'sessions', 'members', 'license-plate-alerts', 'key-logs', 'lots'])
      expect(await world.refused('POST', `/v2/${list}/999999/reveal`)).toEqual([404, '6']);
    expect(await newest(1)).toEqual([last]);
  });
});
