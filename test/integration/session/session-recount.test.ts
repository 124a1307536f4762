/**
 * Thousands of sessions over both changes of the clocks, priced and counted a second time: from the raw rows, step by step and
 * one by one, with local time as the time zone database tells it.
 */
import * as fc from '../../property.js';
import { SEED } from '../../seed.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchChecked } from '../../contract/checked-fetch.js';
import { type Period, PERIODS } from '../../../shared/periods.js';
import { settlePrices } from '../../../cloud/traffic/session/session-price-queries.js';
import type { Row } from '../../../cloud/kernel/store/schema.js';
import type { TariffWindow } from '../../../cloud/traffic/tariff/price-stay.js';
import { countedPrice } from '../../unit/tariff/counted-price.js';
import { localOffset, localTime } from '../../unit/tariff/local-time.js';
import { runs } from '../../depth.js';
import { OWNER_TOKEN } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { readCsv } from './read-csv.js';
import { endedAt, insertTariff, seedSessionSite, type SessionSite, sessionRow, tariffRow } from './session-site.js';

const SESSIONS = runs(3_000, 5);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FROM = Date.UTC(2026, 2, 10);
const TO = Date.UTC(2026, 10, 10);
const SPRING = Date.UTC(2026, 2, 29, 1);
const AUTUMN = Date.UTC(2026, 9, 25, 1);
/** New York changes its clocks on other days. */
const ZONES = { north: 'Europe/Zagreb', south: 'America/New_York' };

const WINDOWS: TariffWindow[] = [
  { days: [1, 2, 3, 4, 5], start: '07:00', end: '19:30', price: 120, step_minutes: 45 },
  { days: [5, 6], start: '22:00', end: '03:30', price: 300, step_minutes: 30 },
  { days: [6, 7], start: '00:00', end: '24:00', price: 50, step_minutes: 90 },
];

const anySession = fc.record({
  isSouth: fc.boolean(),
  began: fc.oneof(
    fc.integer({ min: SPRING - 3 * DAY, max: SPRING + DAY }),
    fc.integer({ min: AUTUMN - 3 * DAY, max: AUTUMN + DAY }),
    fc.integer({ min: FROM, max: TO }),
  ),
  lasted: fc.oneof(fc.integer({ min: 0, max: 8 * HOUR }), fc.integer({ min: 0, max: 4 * DAY })),
  isOpen: fc.nat(400).map((chance) => chance === 0),
  discount: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: -1, max: 180 }) },
  ),
  paid: fc.oneof(fc.constant(0), fc.nat(3_000)),
  plate: fc.nat(3_000).map((number) => `ZG${number}`),
});

let cloud: CloudWorld;
let site: SessionSite;
let sessions: Row<'sessions'>[];
let tariffs: Map<number, Row<'tariffs'>>;

beforeAll(async () => {
  cloud = await startCloudWorld();
  cloud.clock.jumpWall(TO + DAY - cloud.clock.now());
  site = await seedSessionSite(cloud);
  const [euro, yen] = await cloud.store.change(async (tx) => {
    await tx.updateTable('lots').set({ timezone: ZONES.south }).where('id', '=', site.south).execute();
    const windows = JSON.stringify(WINDOWS);
    return [
      await insertTariff(tx, tariffRow({ account_id: site.harbour, windows, daily_max_minor: 2_500 })),
      await insertTariff(tx, tariffRow({ account_id: site.harbour, windows, currency: 'JPY', daily_max_minor: null })),
    ];
  });
  const rows = fc.sample(anySession, { numRuns: SESSIONS }).map((session) => {
    const lot = session.isSouth
      ? { lot_id: site.south, zone_id: site.southZone, tariff_id: yen }
      : { lot_id: site.north, zone_id: site.zone, tariff_id: euro };
    return sessionRow(site, {
      ...lot,
      created_at: session.began,
      plate_normalised: session.plate,
      discount_time: session.discount,
      amount_paid_minor: session.paid,
      ...(session.isOpen ? {} : endedAt(session.began + session.lasted)),
    });
  });
  await cloud.store.change(async (tx) => {
    for (let start = 0; start < rows.length; start += 500) {
      await tx
        .insertInto('sessions')
        .values(rows.slice(start, start + 500))
        .execute();
    }
  });
  sessions = await cloud.store.reader.selectFrom('sessions').selectAll().execute();
  const ids = sessions.map(({ id }) => id);
  await cloud.store.change(async (tx) => {
    for (let start = 0; start < ids.length; start += 500) await settlePrices(tx, ids.slice(start, start + 500));
  });
  tariffs = new Map((await cloud.store.reader.selectFrom('tariffs').selectAll().execute()).map((row) => [row.id, row]));
});
afterAll(() => cloud.close());

/** Each request has its own connection: while a slow machine recounts, the cloud closes idle ones. */
const fetched = (path: string) =>
  fetchChecked(`${cloud.base}/v2/sessions/${path}`, {
    headers: { authorization: `Bearer ${OWNER_TOKEN}`, connection: 'close' },
  });

const secondsOf = (row: Row<'sessions'>) => Math.floor(((row.ended_at ?? 0) - row.created_at) / 1_000);
const currencyOf = (row: Row<'sessions'>) => tariffs.get(row.tariff_id ?? 0)?.currency ?? '';
const MINOR_UNITS: Record<string, number> = { EUR: 100, JPY: 1 };

interface Sums {
  begun: number;
  ended: number;
  seconds: number;
  /** What was paid; null: in several currencies. */
  paid: number | null;
}

function sumsOf(rows: readonly Row<'sessions'>[]): Sums {
  const ended = rows.filter(({ ended_at }) => ended_at !== null);
  return {
    begun: rows.length,
    ended: ended.length,
    seconds: ended.reduce((sum, row) => sum + secondsOf(row), 0),
    paid: paidFor(rows),
  };
}

function paidFor(rows: readonly Row<'sessions'>[]): number | null {
  const [currency = '', ...others] = new Set(rows.map(currencyOf));
  if (others.length > 0) return null;
  return rows.reduce((sum, row) => sum + row.amount_paid_minor, 0) / (MINOR_UNITS[currency] ?? 1);
}

const shown = ({ ended, seconds, paid }: Sums) => ({
  average_duration: ended === 0 ? null : Math.round(seconds / ended),
  amount_paid: paid,
});

/** What people call the period that a moment lies in; an hour that comes twice by the offset it has. */
function nameOf(ms: number, period: Period, timezone: string): string {
  const { year, month, day, hour, dayOfWeek } = localTime(ms, timezone);
  const date = (number: number) => new Date(Date.UTC(year, month - 1, number)).toISOString().slice(0, 10);
  if (period === 'hour') return `${date(day)} ${hour} ${localOffset(ms, timezone)}`;
  if (period === 'day') return date(day);
  return period === 'week' ? date(day - dayOfWeek + 1) : date(1);
}

function groupedBy(rows: readonly Row<'sessions'>[], nameOfRow: (row: Row<'sessions'>) => string) {
  const groups = new Map<string, Row<'sessions'>[]>();
  for (const row of rows) {
    const name = nameOfRow(row);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

describe(`${SESSIONS} sessions`, () => {
  it(`cost what counting their steps one by one gives (seed ${SEED})`, async () => {
    const lines = readCsv(await (await fetched('export')).text());
    expect(lines).toHaveLength(SESSIONS);
    const rows = new Map(sessions.map((row) => [String(row.id), row]));
    const now = cloud.clock.now();
    for (const line of lines) {
      const row = rows.get(line['id'] ?? '');
      const tariff = tariffs.get(row?.tariff_id ?? 0);
      if (row === undefined || tariff === undefined) throw new Error(`session ${line['id']} is not there`);
      const stay = { began_ms: row.created_at, ended_ms: row.ended_at ?? now, discount_minutes: row.discount_time };
      const timezone = row.lot_id === site.south ? ZONES.south : ZONES.north;
      const price = countedPrice({ ...tariff, windows: WINDOWS }, { ...stay, timezone });
      const due = Math.max(0, price - row.amount_paid_minor);
      expect([line['id'], line['amount_due']]).toEqual([
        line['id'],
        String(tariff.currency === 'JPY' ? due : due / 100),
      ]);
      expect(line['duration']).toBe(String(Math.floor((stay.ended_ms - stay.began_ms) / 1_000)));
    }
  });

  describe.each([
    ['all', ''],
    ['north', ZONES.north],
    ['south', ZONES.south],
  ])('in %s', (lot, zone) => {
    const timezone = zone === '' ? 'UTC' : zone;
    const lotId = () => (lot === 'north' ? site.north : site.south);
    const asked = () => (lot === 'all' ? sessions : sessions.filter(({ lot_id }) => lot_id === lotId()));

    it.each<[Period, number, number]>([
      ...PERIODS.filter((period) => period !== 'hour').map((period): [Period, number, number] => [period, FROM, TO]),
      ['hour', SPRING - 30 * HOUR + 1_234_567, SPRING + 30 * HOUR],
      ['hour', AUTUMN - 30 * HOUR, AUTUMN + 30 * HOUR + 1],
      ['day', SPRING - 4 * DAY + 1, SPRING + 2 * DAY],
    ])('are counted by %s from %d to %d', async (period, from, to) => {
      const filter = lot === 'all' ? '' : `&filter=lot_id:eq:${lotId()}`;
      const range = `date_from=${new Date(from).toISOString()}&date_to=${new Date(to).toISOString()}`;
      const response = await fetched(`analytics?group_by=${period}&${range}${filter}`);
      const { data } = (await response.json()) as {
        data: Record<string, unknown> & { series: Record<string, unknown>[] };
      };

      const isIn = (at: number | null) => at !== null && at >= from && at <= to;
      const begun = asked().filter(({ created_at }) => isIn(created_at));
      const entries = groupedBy(begun, ({ created_at }) => nameOf(created_at, period, timezone));
      const exits = groupedBy(
        asked().filter(({ ended_at }) => isIn(ended_at)),
        ({ ended_at }) => nameOf(ended_at ?? 0, period, timezone),
      );
      const currencies = [...new Set(begun.map(currencyOf))].toSorted();
      const isMixed = currencies.length > 1;
      const names = new Set<string>();
      for (let at = from; at <= to; at += 30 * 60_000) names.add(nameOf(at, period, timezone));
      names.add(nameOf(to, period, timezone));

      const starts = data.series.map((each) => Date.parse(String(each['period_start'])));
      const expected = [...names].map((name, index) => {
        const end = Math.min(starts[index + 1] ?? Number.POSITIVE_INFINITY, to + 1);
        const sums = sumsOf(entries.get(name) ?? []);
        return {
          name,
          entries_count: sums.begun,
          exits_count: exits.get(name)?.length ?? 0,
          occupied_count: asked().filter(
            (row) => row.created_at < end && (row.ended_at === null || row.ended_at >= end),
          ).length,
          ...shown(sums),
          ...(isMixed ? { amount_paid: null } : {}),
        };
      });
      const found = data.series.map((each, index) => ({
        ...each,
        name: nameOf(starts[index] ?? 0, period, timezone),
      }));
      expect(found).toEqual(expected.map((each) => ({ ...each, period_start: expect.any(String) })));
      // A period begins when its name is new.
      for (const start of starts) expect(nameOf(start - 1, period, timezone)).not.toBe(nameOf(start, period, timezone));
      const totals = sumsOf(begun);
      expect(data).toMatchObject({
        timezone,
        currency: isMixed ? null : (currencies[0] ?? null),
        amounts: currencies.map((currency) => ({
          currency,
          amount_paid: paidFor(begun.filter((row) => currencyOf(row) === currency)),
        })),
        totals: { sessions_count: totals.begun, open_count: totals.begun - totals.ended, ...shown(totals) },
      });
    });
  });

  it('are the visits of their vehicles', async () => {
    const lines = readCsv(await (await fetched('vehicle-analytics/export')).text());
    const iso = (ms: number) => new Date(ms).toISOString();
    const expected = [...groupedBy(sessions, ({ plate_normalised }) => plate_normalised)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([plate, visits]) => {
        const sums = sumsOf(visits);
        const { average_duration, amount_paid } = shown(sums);
        return {
          plate,
          visits_count: String(visits.length),
          total_duration: String(sums.seconds),
          average_duration: average_duration === null ? '' : String(average_duration),
          amount_paid: amount_paid === null ? '' : String(amount_paid),
          first_seen_at: iso(Math.min(...visits.map(({ created_at }) => created_at))),
          last_seen_at: iso(Math.max(...visits.map(({ created_at, ended_at }) => ended_at ?? created_at))),
        };
      });
    const unseen = { country_code: '', type: '', make: '', color: '', model: '' };
    expect(lines).toEqual(expected.map((vehicle) => ({ ...unseen, ...vehicle })));
    const page = (await (await fetched('vehicle-analytics?size=300&page=2&sort=total_duration:desc')).json()) as {
      meta: { total: number };
      data: { plate: string }[];
    };
    expect(page.meta.total).toBe(expected.length);
    const sorted = expected.toSorted(
      (a, b) => Number(b.total_duration) - Number(a.total_duration) || (a.plate < b.plate ? 1 : -1),
    );
    expect(page.data.map(({ plate }) => plate)).toEqual(sorted.slice(300, 600).map(({ plate }) => plate));
  });
});
