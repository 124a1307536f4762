/** What a stay costs does not change afterwards, whatever becomes of its tariff; and it costs what its quote said. */
import * as fc from '../../property.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../../cloud/traffic/session/session-rest-payload.js';
import { runs } from '../../depth.js';
import { fetchChecked } from '../../contract/checked-fetch.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { readCsv } from './read-csv.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const iso = (ms: number) => new Date(ms).toISOString();

let world: RestWorld;
let now: number;
let tariff: number;
let zone: number;

beforeAll(async () => {
  world = await startRestWorld();
});
afterAll(() => world.cloud.close());

let made = 0;

/** Every test has a zone and a tariff of its own: 2 EUR for each started hour. */
beforeEach(async () => {
  now = world.cloud.clock.now();
  made += 1;
  tariff = await makeTariff({ name: `Hourly ${made}` });
  zone = await makeZone(world.site.north, [tariff]);
});

const makeTariff = async (changed: object) =>
  (await world.post<{ id: number }>('/v2/tariffs', { name: 'Other', currency: 'EUR', price: 2, ...changed })).id;
const makeZone = async (lot_id: number, tariff_ids: number[]) =>
  (await world.post<{ id: number }>('/v2/zones', { lot_id, name: `Level ${made} ${lot_id}`, tariff_ids })).id;
const begin = (hoursAgo: number, changed: object = {}) =>
  world.post<Session>('/v2/sessions', { zone_id: zone, created_at: iso(now - hoursAgo * HOUR), ...changed });
const close = ({ id }: Session) => world.post<Session>(`/v2/sessions/${id}/close`, {});
const shown = ({ id }: Session) => world.get<Session>(`/v2/sessions/${id}`);
const money = ({ tariff_id, currency, amount_paid, amount_due }: Session) => ({
  tariff_id,
  currency,
  amount_paid,
  amount_due,
});

const EDITS: [string, (id: number) => Promise<unknown>][] = [
  ['its price is raised', (id) => world.patch(`/v2/tariffs/${id}`, { price: 6 })],
  ['it has another currency', (id) => world.patch(`/v2/tariffs/${id}`, { currency: 'JPY', price: 200 })],
  [
    'its steps, free time and windows change',
    (id) =>
      world.patch(`/v2/tariffs/${id}`, {
        free_minutes: 600,
        step_minutes: 5,
        daily_max: 1,
        windows: [{ days: [1, 2, 3, 4, 5, 6, 7], start: '00:00', end: '00:00', price: 9, step_minutes: 1 }],
      }),
  ],
  ['it is deleted', (id) => world.remove(`/v2/tariffs/${id}`)],
];

describe.each(EDITS)('after a tariff was used, when %s', (_, edit) => {
  it('an ended stay keeps its amounts and its currency, everywhere', async () => {
    const begun = await begin(2, { entry_license_plate: `ZG${made}A` });
    await world.post(`/v2/sessions/${begun.id}/payments`, { amount: 1 });
    const closed = await close(begun);
    const expected = { tariff_id: tariff, currency: 'EUR', amount_paid: 1, amount_due: 3 };
    expect(money(closed)).toEqual(expected);
    await edit(tariff);

    expect(money(await shown(begun))).toEqual(expected);
    const [inList] = await world.get<Session[]>(`/v2/sessions?filter=zone_id:eq:${zone}&sort=amount_paid:asc`);
    expect(inList).toEqual(closed);
    const response = await fetchChecked(`${world.cloud.base}/v2/sessions/export?filter=zone_id:eq:${zone}`, {
      headers: { authorization: `Bearer ${OWNER_TOKEN}` },
    });
    expect(readCsv(await response.text())).toMatchObject([
      { tariff_id: String(tariff), currency: 'EUR', amount_paid: '1', amount_due: '3' },
    ]);
    const of = `filter=zone_id:eq:${zone}`;
    expect(await world.get(`/v2/sessions/analytics?${of}`)).toMatchObject({
      currency: 'EUR',
      amounts: [{ currency: 'EUR', amount_paid: 1 }],
      totals: { amount_paid: 1 },
    });
    expect(await world.get(`/v2/sessions/vehicle-analytics?${of}`)).toMatchObject([{ amount_paid: 1 }]);

    const paid = await world.post<Session>(`/v2/sessions/${begun.id}/payments`, { amount: 3 });
    expect(money(paid)).toEqual({ ...expected, amount_paid: 4, amount_due: 0 });
  });

  it('an open stay goes on by the tariff of its beginning, and a new one begins by what the tariff is now', async () => {
    const begun = await begin(2);
    await world.cloud.clock.advance(1_000);
    await edit(tariff);
    await world.cloud.clock.advance(HOUR);
    expect(money(await shown(begun))).toEqual({ tariff_id: tariff, currency: 'EUR', amount_paid: 0, amount_due: 8 });
    const paid = await world.post<Session>(`/v2/sessions/${begun.id}/payments`, { amount: 0.5 });
    expect(money(paid)).toMatchObject({ currency: 'EUR', amount_paid: 0.5, amount_due: 7.5 });
    expect(money(await close(begun))).toMatchObject({ currency: 'EUR', amount_due: 7.5 });
  });

  it('a stay that is entered later is priced by its beginning', async () => {
    await world.cloud.clock.advance(2 * HOUR);
    const other = await makeTariff({ name: `Kept ${made}` });
    await world.patch(`/v2/zones/${zone}`, { tariff_ids: [other] });
    await world.cloud.clock.advance(1_000);
    await world.patch(`/v2/tariffs/${other}`, { price: 7 });
    const before = await begin(0, { created_at: iso(now + 90 * MINUTE) });
    expect(money(before)).toMatchObject({ tariff_id: other, amount_due: 2 });
    const after = await begin(0, { created_at: iso(world.cloud.clock.now()) });
    await world.cloud.clock.advance(MINUTE);
    expect(money(await shown(after))).toMatchObject({ amount_due: 7 });
  });
});

it('a change of the name, of the zone’s tariffs or of nothing makes no stay dearer', async () => {
  const begun = await begin(2);
  const other = await makeTariff({ name: `Dear ${made}`, price: 50 });
  await world.patch(`/v2/tariffs/${tariff}`, { name: `Renamed ${made}` });
  await world.patch(`/v2/zones/${zone}`, { tariff_ids: [other] });
  expect(money(await shown(begun))).toMatchObject({ tariff_id: tariff, amount_due: 4 });
  const versions = await world.cloud.store.reader
    .selectFrom('tariff_versions')
    .select('id')
    .where('tariff_id', '=', tariff)
    .execute();
  expect(versions).toHaveLength(1);
});

it('a discount is part of the price of an ended stay, and a time zone that changes later is not', async () => {
  const windows = [{ days: [1, 2, 3, 4, 5, 6, 7], start: '00:00', end: '12:00', price: 0, step_minutes: 60 }];
  made += 1;
  tariff = await makeTariff({ name: `Afternoons ${made}`, windows });
  zone = await makeZone(world.site.north, [tariff]);
  const begun = await begin(0, { created_at: '2026-01-15T08:00:00Z' });
  await world.patch(`/v2/sessions/${begun.id}`, { discount_time: 60 });
  const ended_at = '2026-01-15T13:00:00.000Z';
  const cut = await world.post<Session>(`/v2/sessions/${begun.id}/close`, { ended_at });
  expect(cut.amount_due).toBe(2);
  await world.patch(`/v2/lots/${world.site.north}`, { timezone: 'Pacific/Auckland' });
  expect(await shown(begun)).toMatchObject({ amount_due: 2, ended_at });
  await world.patch(`/v2/lots/${world.site.north}`, { timezone: 'Europe/Zagreb' });
});

describe('GET /v2/tariffs/{id}/quote', () => {
  const start = '2026-01-15T19:00:00Z';
  const quote = (changed: Record<string, string | number> = {}) =>
    `/v2/tariffs/${tariff}/quote?${new URLSearchParams({ start, end: '2026-01-15T20:00:00Z', ...changed } as Record<string, string>)}`;

  it('says where its windows are meant', async () => {
    expect(await world.get(quote())).toEqual({
      tariff_id: tariff,
      zone_id: null,
      timezone: 'Europe/Zagreb',
      currency: 'EUR',
      amount: 2,
      duration: 3_600,
    });
    expect(await world.get(quote({ zone_id: zone }))).toMatchObject({ zone_id: zone, timezone: 'Europe/Zagreb' });
  });

  it('wants the zone of a tariff that is used in several time zones', async () => {
    const evenings = { windows: [{ days: [4], start: '20:00', end: '00:00', price: 5, step_minutes: 60 }] };
    await world.patch(`/v2/tariffs/${tariff}`, evenings);
    await world.patch(`/v2/lots/${world.site.south}`, { timezone: 'Europe/London' });
    const south = await makeZone(world.site.south, [tariff]);
    expect(await world.refused('GET', quote())).toEqual([422, '23 zone_id']);
    expect(await world.get(quote({ zone_id: zone }))).toMatchObject({ timezone: 'Europe/Zagreb', amount: 5 });
    expect(await world.get(quote({ zone_id: south }))).toMatchObject({ timezone: 'Europe/London', amount: 2 });
  });

  it('takes a zone that has another tariff, and means UTC for a tariff that is used nowhere', async () => {
    tariff = await makeTariff({ name: `Unused ${made}` });
    expect(await world.get(quote())).toMatchObject({ zone_id: null, timezone: 'UTC' });
    expect(await world.get(quote({ zone_id: zone }))).toMatchObject({ zone_id: zone, timezone: 'Europe/Zagreb' });
  });

  it('knows only zones that the caller sees', async () => {
    for (const zone_id of [0, 999_999, world.site.rivalZone, 'one', -1]) {
      expect([zone_id, await world.refused('GET', quote({ zone_id }))]).toEqual([zone_id, [422, '23 zone_id']]);
    }
    expect(await world.refused('GET', quote({ zone_id: world.site.southZone }), undefined, 'guard-token')).toEqual([
      422,
      '23 zone_id',
    ]);
  });
});

it('a stay costs what was quoted, whatever the tariff, the zone and the time', async () => {
  const clock = (minutes: number) => iso(minutes * MINUTE).slice(11, 16);
  const anyWindow = fc.record({
    days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }),
    start: fc.nat(1_439).map(clock),
    end: fc.nat(1_439).map(clock),
    price: fc.nat(900),
    step_minutes: fc.integer({ min: 1, max: 600 }),
  });
  const anyStay = fc.record({
    terms: fc.record({
      currency: fc.constantFrom('EUR', 'JPY', 'KWD'),
      price: fc.nat(900),
      step_minutes: fc.integer({ min: 1, max: 600 }),
      free_minutes: fc.nat(120),
      daily_max: fc.option(fc.nat(5_000)),
      windows: fc.array(anyWindow, { maxLength: 3 }),
    }),
    timezone: fc.constantFrom('Europe/Zagreb', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'),
    began: fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2025, 11, 1) }),
    lasted: fc.oneof(fc.nat(DAY), fc.nat(20 * DAY)),
  });
  await fc.assert(
    fc.asyncProperty(anyStay, async ({ terms, timezone, began, lasted }) => {
      await world.patch(`/v2/lots/${world.site.south}`, { timezone });
      made += 1;
      tariff = await makeTariff({ name: `Any ${made}`, ...terms });
      zone = await makeZone(world.site.south, [tariff]);
      const stay = { start: iso(began), end: iso(began + lasted) };
      const query = new URLSearchParams({ ...stay, zone_id: String(zone) });
      const quote = await world.get<{ amount: number }>(`/v2/tariffs/${tariff}/quote?${query}`);
      const begun = await begin(0, { created_at: stay.start });
      const closed = await world.post<Session>(`/v2/sessions/${begun.id}/close`, { ended_at: stay.end });
      expect(closed).toMatchObject({ amount_due: quote.amount, currency: terms.currency });
      expect(quote).toMatchObject({ timezone, zone_id: zone, duration: closed.duration });
    }),
    { numRuns: runs(40, 10) },
  );
});
