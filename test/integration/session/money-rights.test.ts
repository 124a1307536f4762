/** What Attendants may do with money: a setting of the account. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../../cloud/traffic/session/session-rest-payload.js';
import { GUARD_TOKEN, RIVAL_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

let world: RestWorld;
let path: string;

beforeAll(async () => {
  world = await startRestWorld();
});
afterAll(() => world.cloud.close());
beforeEach(async () => {
  await allow('all');
  const created_at = new Date(world.cloud.clock.now() - 3 * 3_600_000).toISOString();
  const { id } = await world.post<Session>('/v2/sessions', { zone_id: world.site.zone, created_at });
  path = `/v2/sessions/${id}`;
});

const allow = (attendant_money: string) => world.patch('/v2/account', { attendant_money });
const status = async (method: string, asked: string, json: object, token = GUARD_TOKEN) =>
  (await world.refused(method, asked, json, token)).join(' ');

/** What an Attendant asks: paying, giving back, granting free minutes to a stay and to a new one, and what is no money. */
const asked = async (token?: string) => ({
  pays: await status('POST', `${path}/payments`, { amount: 1 }, token),
  givesBack: await status('POST', `${path}/payments`, { amount: -0.5 }, token),
  grants: await status('PATCH', path, { discount_time: 30 }, token),
  withdraws: await status('PATCH', path, { discount_time: null }, token),
  begins: await status('POST', '/v2/sessions', { zone_id: world.site.zone, discount_time: 30 }, token),
  beginsWithout: await status('POST', '/v2/sessions', { zone_id: world.site.zone, discount_time: null }, token),
  renames: await status('PATCH', path, { entry_license_plate: 'ZG1' }, token),
});
const YES = { pays: '200', givesBack: '200', grants: '200', withdraws: '200', begins: '200' };
const NO_MONEY = { beginsWithout: '200', renames: '200' };

describe('the money of Attendants', () => {
  it('is all theirs, unless a Super Admin says otherwise; the others may as ever', async () => {
    expect(await asked()).toEqual({ ...YES, ...NO_MONEY });
    await allow('payments');
    const no = '403 4';
    expect(await asked()).toEqual({ pays: '200', givesBack: no, grants: no, withdraws: no, begins: no, ...NO_MONEY });
    await allow('none');
    expect(await asked()).toEqual({ pays: no, givesBack: no, grants: no, withdraws: no, begins: no, ...NO_MONEY });
    expect(await asked(ADMIN_TOKEN)).toEqual({ ...YES, ...NO_MONEY });
    expect(await world.get('/v2/account', GUARD_TOKEN)).toMatchObject({ attendant_money: 'none' });
  });

  it('is judged by the role of an API token, too, and before a stay is looked for', async () => {
    const { token } = await world.post<{ token: string }>('/v2/api-tokens', { name: 'Till', role: 'Attendant' });
    await allow('none');
    expect(await status('POST', `${path}/payments`, { amount: 1 }, token)).toBe('403 4');
    expect(await status('POST', '/v2/sessions/999999/payments', { amount: 'wrong' })).toBe('403 4');
    await allow('payments');
    expect(await status('POST', `${path}/payments`, { amount: 1 }, token)).toBe('200');
    expect(await status('POST', '/v2/sessions/999999/payments', { amount: 'wrong' })).toBe('404 6');
  });

  it('is settled by a Super Admin for the own account, with an entry in the audit log', async () => {
    expect(await status('PATCH', '/v2/account', { attendant_money: 'some' }, 'owner-token')).toBe(
      '422 23 attendant_money',
    );
    for (const token of [GUARD_TOKEN, ADMIN_TOKEN]) {
      expect(await status('PATCH', '/v2/account', { attendant_money: 'all' }, token)).toBe('403 4');
    }
    await allow('payments');
    expect(await world.get('/v2/account', RIVAL_TOKEN)).toMatchObject({ attendant_money: 'all' });
    const [entry] = await world.get<object[]>('/v2/audit-log?filter=action:eq:account.update&size=1');
    expect(entry).toMatchObject({ details: { values: { attendant_money: 'payments' } } });
  });
});

describe('free minutes', () => {
  it('say why they were granted, by whom and when, as long as they hold', async () => {
    const now = () => new Date(world.cloud.clock.now()).toISOString();
    const shown = ({ discount_time, discount_reason, discount_granted_by, discount_granted_at }: Session) => ({
      discount_time,
      discount_reason,
      discount_granted_by,
      discount_granted_at,
    });
    const change = async (body: object, token?: string) => shown(await world.patch<Session>(path, body, token));
    const by = 'guard@harbour.example';
    const first = { discount_time: 30, discount_reason: 'queue at the exit' };
    const granted = { ...first, discount_granted_by: by, discount_granted_at: now() };
    expect(await change(first, GUARD_TOKEN)).toEqual(granted);
    await world.cloud.clock.advance(60_000);
    // Another plate leaves them as they are.
    expect(await change({ entry_license_plate: `ZG${path.split('/').at(-1)}` })).toEqual(granted);
    expect(await change({ discount_reason: 'the barrier was broken' }, GUARD_TOKEN)).toEqual({
      ...granted,
      discount_reason: 'the barrier was broken',
      discount_granted_at: now(),
    });
    expect(await change({ discount_time: 45 })).toEqual({
      discount_time: 45,
      discount_reason: null,
      discount_granted_by: 'owner@harbour.example',
      discount_granted_at: now(),
    });
    const none = { discount_time: null, discount_reason: null, discount_granted_by: null, discount_granted_at: null };
    expect(await change({ discount_time: null })).toEqual(none);
    expect(await status('PATCH', path, { discount_reason: 'of nothing' })).toBe('422 23 discount_reason');
    expect(await change({ discount_reason: null })).toEqual(none);
    expect(await status('PATCH', path, { discount_time: 5, discount_reason: 'x'.repeat(256) })).toBe(
      '422 23 discount_reason',
    );
  });
});
