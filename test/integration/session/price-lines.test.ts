/** The lines of a price over REST: they are what a stay costs, an ended one keeps them, and files for people have names and local time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../../cloud/traffic/session/session-rest-payload.js';
import { fetchChecked } from '../../contract/checked-fetch.js';
import { GUARD_TOKEN } from '../http/http-site.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { readCsv } from './read-csv.js';

const HOUR = 3_600_000;

let world: RestWorld;
let tariff: number;
let zone: number;

beforeAll(async () => {
  world = await startRestWorld();
  const windows = [{ start: '18:00', end: '08:00', price: 0.5 }];
  const terms = { name: 'Nights', currency: 'EUR', vat: '25', price: 2, free_minutes: 15, windows };
  ({ id: tariff } = await world.post<{ id: number }>('/v2/tariffs', terms));
  ({ id: zone } = await world.post<{ id: number }>('/v2/zones', {
    lot_id: world.site.north,
    name: 'Roof',
    tariff_ids: [tariff],
  }));
});
afterAll(() => world.cloud.close());

const iso = (ms: number) => new Date(ms).toISOString();
const begin = (hoursAgo: number) =>
  world.post<Session>('/v2/sessions', {
    zone_id: zone,
    entry_license_plate: `ZG0${Math.round(hoursAgo * 60)}`,
    created_at: iso(world.cloud.clock.now() - hoursAgo * HOUR),
  });
const cost = ({ amount_due, amount_paid, overpaid }: Session) => amount_due + amount_paid - overpaid;
const sum = ({ price_lines }: Session) => price_lines.reduce((total, { amount }) => total + amount, 0);
const csv = async (path: string, token = OWNER_TOKEN) => {
  const answer = await fetchChecked(`${world.cloud.base}${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  return readCsv(await answer.text());
};

describe('the lines of a price', () => {
  it('sum up to the cost of an open stay, of one that was overpaid, and of an ended one, which keeps them', async () => {
    const { id } = await begin(5);
    const path = `/v2/sessions/${id}`;
    const open = await world.get<Session>(path);
    // From 08:00 to 13:00 by the clocks of Zagreb.
    expect(open.price_lines).toEqual([
      {
        from: open.created_at,
        to: iso(world.cloud.clock.now()),
        minutes: 300,
        amount: 10,
        text: '5 × 1 h at 2.00 EUR',
      },
    ]);
    expect([open.tariff_name, open.vat]).toEqual(['Nights', '25']);
    await world.patch(path, { discount_time: 90 });
    const paid = await world.post<Session>(`${path}/payments`, { amount: 12.5, overpays: true });
    expect(paid).toMatchObject({ amount_due: 0, overpaid: 4.5 });
    expect([sum(paid), cost(paid)]).toEqual([8, 8]);
    const ended = await world.post<Session>(`${path}/close`, {});
    expect(ended.price_lines.map(({ minutes, amount, text }) => [minutes, amount, text])).toEqual([
      [210, 8, '4 × 1 h at 2.00 EUR'],
      [90, 0, '90 min granted free'],
    ]);
    await world.patch(`/v2/tariffs/${tariff}`, { price: 3, vat: '13' });
    await world.patch(`/v2/lots/${world.site.north}`, { timezone: 'Pacific/Auckland' });
    await world.cloud.clock.advance(HOUR);
    const { plate_readings: _, ...later } = await world.get<Session & { plate_readings: unknown }>(path);
    expect(later).toEqual(ended);
    expect(await world.get(`/v2/sessions?filter=zone_id:eq:${zone}`)).toEqual([ended]);
    await world.patch(`/v2/tariffs/${tariff}`, { price: 2, vat: '25' });
    await world.patch(`/v2/lots/${world.site.north}`, { timezone: 'Europe/Zagreb' });
  });

  it('are one where a stay ended before they were kept', async () => {
    const { id } = await begin(6);
    await world.post(`/v2/sessions/${id}/close`, {});
    const forget = { price_lines: null };
    await world.cloud.store.change((tx) => tx.updateTable('sessions').set(forget).where('id', '=', id).execute());
    const shown = await world.get<Session>(`/v2/sessions/${id}`);
    expect(shown.price_lines).toMatchObject([{ minutes: 360, text: 'The stay as it was priced when it ended' }]);
    expect(sum(shown)).toBe(cost(shown));
  });

  it('have the name of the tariff as it is called now, and of a deleted one as it was called last', async () => {
    const other = await world.post<{ id: number }>('/v2/tariffs', { name: 'Early', currency: 'EUR', price: 1 });
    await world.patch(`/v2/zones/${zone}`, { tariff_ids: [other.id] });
    const { id } = await begin(7);
    await world.patch(`/v2/tariffs/${other.id}`, { name: 'Early bird' });
    expect(await world.get(`/v2/sessions/${id}`)).toMatchObject({ tariff_name: 'Early bird', vat: '' });
    await world.patch(`/v2/zones/${zone}`, { tariff_ids: [tariff] });
    await world.remove(`/v2/tariffs/${other.id}`);
    expect(await world.get(`/v2/sessions/${id}`)).toMatchObject({ tariff_id: other.id, tariff_name: 'Early bird' });
  });
});

describe('exports', () => {
  it('have names, local time and the offset of the lot; the columns of before come first', async () => {
    const { id } = await begin(8);
    const rows = await csv(`/v2/sessions/export?filter=id:eq:${id}`);
    expect(rows).toMatchObject([
      { lot_name: 'North', zone_name: 'Roof', tariff_name: 'Nights', vat: '25', overpaid: '0', left_at_local: '' },
    ]);
    const local = new Date(world.cloud.clock.now() - 7 * HOUR).toISOString().slice(0, 19).replace('T', ' ');
    expect(rows[0]).toMatchObject({ entered_at_local: local, entered_at_offset: 'UTC+01:00' });
    const { data } = (await world.cloud.ask('GET', `/v2/account-users/${world.site.owner}`, { token: OWNER_TOKEN }))
      .body;
    expect(rows[0]).toMatchObject({ entry_name: (data as { name: string }).name, exit_name: '' });
    expect(
      Object.keys(rows[0] ?? {})
        .slice(0, 21)
        .at(-1),
    ).toBe('updated_at');
  });

  it('have day, tax, person and reason of each payment, for the lots of whoever asks', async () => {
    const { id, public_id } = await begin(9);
    const path = `/v2/sessions/${id}/payments`;
    await world.post(path, { amount: 10, reference: 'till 4' }, GUARD_TOKEN);
    await world.post(path, { amount: -2.5, reason: 'the barrier was broken' });
    const rows = await csv(`/v2/payments/export?filter=session_id:eq:${id}`, GUARD_TOKEN);
    const now = world.cloud.clock.now();
    const local = new Date(now + HOUR).toISOString().slice(0, 19).replace('T', ' ');
    const shared = {
      day: local.slice(0, 10),
      paid_at_local: local,
      paid_at_offset: 'UTC+01:00',
      created_at: iso(now),
      currency: 'EUR',
      vat: '25',
      license_plate: 'ZG0540',
      public_id,
      session_id: String(id),
      lot_name: 'North',
      zone_name: 'Roof',
      tariff_name: 'Nights',
    };
    const refund = { kind: 'refund', amount: '-2.5', tax: '-0.5', reason: 'the barrier was broken', reference: '' };
    const payment = { kind: 'payment', amount: '10', tax: '2', reason: '', reference: 'till 4' };
    expect(rows).toMatchObject([
      { ...shared, ...refund, created_by_name: 'owner@harbour.example', created_by: String(world.site.owner) },
      { ...shared, ...payment, created_by_name: 'guard@harbour.example', created_by: String(world.site.guard) },
    ]);
    const days = `filter=date_from:eq:${shared.day}&filter=date_to:eq:${shared.day}`;
    expect(await csv(`/v2/payments/export?filter=lot_id:eq:${world.site.south}&${days}`)).toEqual([]);
    expect((await csv(`/v2/payments/export?filter=lot_id:eq:${world.site.north}&${days}`)).length).toBeGreaterThan(1);
    expect(await world.refused('GET', '/v2/payments/export?filter=amount:eq:1')).toEqual([422, '23 filter']);
  });
});
