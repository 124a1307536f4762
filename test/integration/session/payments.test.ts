/** Payments and refunds of a session, one by one. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../../cloud/traffic/session/session-rest-payload.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, RIVAL_TOKEN } from '../http/http-site.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';

let world: RestWorld;
let path: string;
let id: number;

beforeAll(async () => {
  world = await startRestWorld();
});
afterAll(() => world.cloud.close());
beforeEach(async () => {
  const created_at = new Date(world.cloud.clock.now() - 3 * 3_600_000).toISOString();
  ({ id } = await world.post<Session>('/v2/sessions', { zone_id: world.site.zone, created_at }));
  path = `/v2/sessions/${id}/payments`;
});

const pay = (amount: number, reference?: string, token?: string) =>
  world.post<Session>(path, { amount, reference, overpays: true }, token);

describe('a payment', () => {
  it('beyond the cost of the stay is kept only when it says so', async () => {
    const refused = async (amount: number) => {
      const { status, body } = await world.cloud.ask('POST', path, { token: OWNER_TOKEN, json: { amount } });
      return [status, body.errors];
    };
    const beyond = (money: string) => {
      const message = `This is ${money} EUR more than the stay costs: to keep it, send overpays: true`;
      return [422, [{ code: 23, field: 'amount', message }]];
    };
    expect(await refused(4.6)).toEqual(beyond('0.10'));
    expect(await world.post(path, { amount: 4.5 })).toMatchObject({ amount_due: 0, overpaid: 0 });
    expect(await refused(0.01)).toEqual(beyond('0.01'));
    expect(await pay(0.25)).toMatchObject({ amount_due: 0, overpaid: 0.25, amount_paid: 4.75 });
    // The stay goes on: what was too much pays for it.
    await world.cloud.clock.advance(60_000);
    expect(await world.get(`/v2/sessions/${id}`)).toMatchObject({ amount_due: 1.25, overpaid: 0 });
  });

  it('where no tariff applies has two decimals and no currency', async () => {
    const stay = await world.post<Session>('/v2/sessions', { zone_id: world.site.freeZone });
    path = `/v2/sessions/${stay.id}/payments`;
    expect(await world.refused('POST', path, { amount: 1 })).toEqual([422, '23 amount']);
    expect(await world.refused('POST', path, { amount: 1.005, overpays: true })).toEqual([422, '23 amount']);
    const nothing = { currency: null, amount_due: 0, price_lines: [], tariff_name: null, vat: null };
    expect(await pay(1.05)).toMatchObject({ ...nothing, amount_paid: 1.05, overpaid: 1.05 });
    expect(await pay(-1.05)).toMatchObject({ ...nothing, amount_paid: 0, overpaid: 0 });
  });
});

describe('a refund', () => {
  it('is a negative amount; what was paid comes back to nothing, not below', async () => {
    await pay(1.01);
    expect(await world.refused('POST', path, { amount: -1.02 })).toEqual([422, '23 amount']);
    expect(await world.refused('POST', path, { amount: -1.005 })).toEqual([422, '23 amount']);
    expect(await pay(-1.01)).toMatchObject({ amount_paid: 0, amount_due: 4.5 });
    expect(await world.refused('POST', path, { amount: -0.01 })).toEqual([422, '23 amount']);
    expect(await pay(1_000_000)).toMatchObject({ amount_paid: 1_000_000, amount_due: 0 });
    expect(await pay(-1_000_000)).toMatchObject({ amount_paid: 0 });
    expect(await world.get<unknown[]>(path)).toHaveLength(4);
  });

  it('is paid back as often as there is money when a hundred are asked at once', async () => {
    await pay(5);
    const answers = await Promise.all(Array.from({ length: 100 }, () => world.refused('POST', path, { amount: -0.5 })));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(10);
    expect(answers.filter(([status]) => status === 422)).toHaveLength(90);
    expect(await world.get(`/v2/sessions/${id}`)).toMatchObject({ amount_paid: 0 });
  });

  it('leaves the currency that was paid in when it is of all that was paid', async () => {
    const of = { tariff_ids: [world.site.yen], zone_ids: [world.site.zone] };
    const { id: member } = await world.post<{ id: number }>('/v2/members', { name: 'Mia', license_plate: 'ZGMIA1' });
    await world.post('/v2/groups', { name: 'Yen', member_ids: [member], ...of });
    await pay(5);
    await pay(-5);
    const changed = await world.patch<Session>(`/v2/sessions/${id}`, { entry_license_plate: 'ZGMIA1' });
    expect(changed).toMatchObject({ currency: 'EUR', tariff_id: world.site.tariff });
  });
});

describe('GET /v2/sessions/{id}/payments', () => {
  it('lists them, the newest first, with who reported them', async () => {
    await pay(2.5, 'till 4');
    await world.cloud.clock.advance(1_000);
    await pay(1, undefined, API_TOKEN);
    await pay(-0.5, 'sorry', GUARD_TOKEN);
    const payments = await world.get<Record<string, unknown>[]>(path);
    const at = (ms: number) => new Date(world.cloud.clock.now() - ms).toISOString();
    const shared = { id: expect.any(Number), session_id: id, reason: null };
    const by = (created_by: number | null, created_by_name: string) => ({ created_by, created_by_name });
    const token = expect.any(String);
    expect(payments).toEqual([
      {
        ...shared,
        amount: -0.5,
        reference: 'sorry',
        ...by(world.site.guard, 'guard@harbour.example'),
        created_at: at(0),
      },
      { ...shared, amount: 1, reference: null, ...by(null, token), created_at: at(0) },
      {
        ...shared,
        amount: 2.5,
        reference: 'till 4',
        ...by(world.site.owner, 'owner@harbour.example'),
        created_at: at(1_000),
      },
    ]);
    const amounts = async (query: string) =>
      (await world.get<{ amount: number }[]>(`${path}?${query}`)).map(({ amount }) => amount);
    expect(await amounts('sort=created_at:asc&size=2')).toEqual([2.5, 1]);
    expect(await amounts('filter=reference:like:TILL')).toEqual([2.5]);
    expect(await amounts(`filter=id:lt:${payments[0]?.['id']}`)).toEqual([1, 2.5]);
    expect(await amounts(`filter=date_to:eq:${at(500)}`)).toEqual([2.5]);
  });

  it('is of a session that the caller sees', async () => {
    await pay(1);
    expect(await world.get(path, GUARD_TOKEN)).toHaveLength(1);
    expect(await world.refused('GET', path, undefined, RIVAL_TOKEN)).toEqual([404, '6']);
    expect(await world.refused('GET', '/v2/sessions/999999/payments')).toEqual([404, '6']);
    expect(await world.refused('GET', `${path}?sort=amount:asc`)).toEqual([422, '23 sort']);
  });
});
