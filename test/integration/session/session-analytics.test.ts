import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchChecked } from '../../contract/checked-fetch.js';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, RIVAL_TOKEN } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { readCsv } from './read-csv.js';
import { endedAt, seedSessionSite, type SessionSite, sessionRow } from './session-site.js';
import { readingRow } from './reading-rows.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (text: string) => Date.parse(text);

interface Analytics {
  timezone: string;
  currency: string | null;
  amounts: { currency: string; amount_paid: number }[];
  totals: { sessions_count: number; open_count: number; average_duration: number | null; amount_paid: number | null };
  series: {
    period_start: string;
    entries_count: number;
    exits_count: number;
    occupied_count: number;
    average_duration: number | null;
    amount_paid: number | null;
  }[];
}

let cloud: CloudWorld;
let site: SessionSite;

async function startWorld(): Promise<void> {
  cloud = await startCloudWorld();
  site = await seedSessionSite(cloud);
}

const seed = (rows: NewRow<'sessions'>[]) =>
  cloud.store.change(async (tx) => {
    await tx.insertInto('sessions').values(rows).execute();
  });
const ask = (path: string, token = OWNER_TOKEN) => cloud.ask('GET', `/v2/sessions/${path}`, { token });
const analytics = async (query: string, token?: string) => {
  const { status, body } = await ask(`analytics?${query}`, token);
  expect([query, status, body.errors]).toEqual([query, 200, undefined]);
  return body.data as Analytics;
};
const vehicles = async (query: string, token?: string) => {
  const { status, body } = await ask(`vehicle-analytics?${query}`, token);
  expect([query, status, body.errors]).toEqual([query, 200, undefined]);
  return body.data as { plate: string; visits_count: number }[];
};

async function file(path: string, token = OWNER_TOKEN) {
  const response = await fetchChecked(`${cloud.base}/v2/sessions/${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { response, text: await response.text() };
}

describe('session analytics', () => {
  beforeAll(async () => {
    await startWorld();
    const south = { lot_id: site.south, zone_id: site.southZone, tariff_id: site.yen };
    await seed([
      // Open since before the range, and one that ended in it.
      sessionRow(site, { created_at: at('2026-01-01T08:00Z') }),
      sessionRow(site, {
        created_at: at('2026-01-09T08:00Z'),
        ...endedAt(at('2026-01-12T07:00Z')),
        amount_paid_minor: 900,
      }),
      // On Monday, local time: the first lasts one hour, the second two.
      sessionRow(site, {
        created_at: at('2026-01-11T23:00Z'),
        ...endedAt(at('2026-01-12T00:00Z')),
        amount_paid_minor: 150,
      }),
      sessionRow(site, {
        created_at: at('2026-01-12T10:00Z'),
        ...endedAt(at('2026-01-12T12:00Z')),
        amount_paid_minor: 305,
      }),
      // Overnight to Tuesday.
      sessionRow(site, {
        created_at: at('2026-01-12T20:00Z'),
        ...endedAt(at('2026-01-13T06:00Z')),
        zone_id: site.freeZone,
      }),
      sessionRow(site, { created_at: at('2026-01-14T09:00Z'), ...south, amount_paid_minor: 500 }),
    ]);
  });
  afterAll(() => cloud.close());

  const week = 'date_from=2026-01-11T23:00:00Z&date_to=2026-01-14T22:59:59.999Z';

  it('counts days as the lot has them, those without anything too', async () => {
    const answer = await analytics(`${week}&filter=lot_id:eq:${site.north}`);
    expect(answer).toEqual({
      timezone: 'Europe/Zagreb',
      currency: 'EUR',
      amounts: [{ currency: 'EUR', amount_paid: 4.55 }],
      totals: {
        sessions_count: 3,
        open_count: 0,
        average_duration: Math.round((1 + 2 + 10) * 1_200),
        amount_paid: 4.55,
      },
      series: [
        {
          period_start: '2026-01-11T23:00:00.000Z',
          entries_count: 3,
          exits_count: 3,
          occupied_count: 2,
          average_duration: 15_600,
          amount_paid: 4.55,
        },
        {
          period_start: '2026-01-12T23:00:00.000Z',
          entries_count: 0,
          exits_count: 1,
          occupied_count: 1,
          average_duration: null,
          amount_paid: 0,
        },
        {
          period_start: '2026-01-13T23:00:00.000Z',
          entries_count: 0,
          exits_count: 0,
          occupied_count: 1,
          average_duration: null,
          amount_paid: 0,
        },
      ],
    });
  });

  it('adds up no money of several currencies, and shows what was paid in each', async () => {
    const { currency, amounts, totals, series } = await analytics(week);
    expect(totals).toEqual({ sessions_count: 4, open_count: 1, average_duration: 15_600, amount_paid: null });
    expect(series.map(({ amount_paid }) => amount_paid)).toEqual([null, null, null]);
    expect(currency).toBeNull();
    expect(amounts).toEqual([
      { currency: 'EUR', amount_paid: 4.55 },
      { currency: 'JPY', amount_paid: 500 },
    ]);
  });

  it('has the currency of sessions for which nothing was paid, and none without a tariff', async () => {
    const monday = 'date_from=2026-01-12T20:00:00Z&date_to=2026-01-12T21:00:00Z';
    expect(await analytics(`${monday}&filter=zone_id:eq:${site.zone}`)).toMatchObject({
      currency: null,
      amounts: [],
      totals: { amount_paid: 0 },
    });
    expect(await analytics('date_to=2026-01-01T12:00:00Z')).toMatchObject({
      currency: 'EUR',
      amounts: [{ currency: 'EUR', amount_paid: 0 }],
      totals: { amount_paid: 0 },
    });
  });

  it('groups by hour, week and month', async () => {
    const hours = await analytics('date_from=2026-01-12T10:00:00Z&date_to=2026-01-12T11:30:00Z&group_by=hour');
    expect(hours.series.map(({ entries_count, exits_count }) => [entries_count, exits_count])).toEqual([
      [1, 0],
      [0, 0],
    ]);
    const weeks = await analytics(`${week}&group_by=week`);
    expect(weeks.series.map(({ period_start, entries_count }) => [period_start, entries_count])).toEqual([
      ['2026-01-11T23:00:00.000Z', 4],
    ]);
    const months = await analytics('date_from=2025-12-31T23:00:00Z&date_to=2026-01-15&group_by=month');
    expect(months.series).toMatchObject([
      { period_start: '2025-12-31T23:00:00.000Z', entries_count: 6, exits_count: 4 },
    ]);
  });

  it('takes the last 30 days, and the filters of the list', async () => {
    const { totals, series } = await analytics('');
    expect([totals.sessions_count, totals.open_count, series.length]).toEqual([6, 2, 31]);
    expect((await analytics(`filter=zone_id:eq:${site.freeZone}`)).totals.sessions_count).toBe(1);
    expect((await analytics('filter=status:eq:open')).totals).toMatchObject({ sessions_count: 2, open_count: 2 });
    const both = await analytics('filter=date_from:eq:2026-01-10&filter=date_to:eq:2026-01-13&date_to=2026-01-12');
    expect([both.totals.sessions_count, both.series.at(-1)?.period_start]).toEqual([3, '2026-01-11T23:00:00.000Z']);
  });

  it('counts only what the caller may see', async () => {
    expect((await analytics(week, GUARD_TOKEN)).totals.sessions_count).toBe(3);
    expect((await analytics(week, API_TOKEN)).totals.sessions_count).toBe(4);
    expect((await analytics(week, RIVAL_TOKEN)).totals).toEqual({
      sessions_count: 0,
      open_count: 0,
      average_duration: null,
      amount_paid: 0,
    });
    expect((await ask('analytics', 'wrong')).status).toBe(401);
  });

  it('cuts in UTC when the lots asked for are in several time zones', async () => {
    const setTimezone = (timezone: string) =>
      cloud.store.change(async (tx) => {
        await tx.updateTable('lots').set({ timezone }).where('id', '=', site.south).execute();
      });
    await setTimezone('America/New_York');
    expect((await analytics(week)).timezone).toBe('UTC');
    expect((await analytics(week, GUARD_TOKEN)).timezone).toBe('Europe/Zagreb');
    const south = await analytics(`${week}&filter=zone_id:eq:${site.southZone}`);
    expect([south.timezone, south.series[0]?.period_start]).toEqual(['America/New_York', '2026-01-11T05:00:00.000Z']);
    expect((await analytics(`${week}&filter=lot_id:neq:${site.north}`)).timezone).toBe('America/New_York');
    expect((await analytics(`${week}&filter=lot_id:eq:999`)).timezone).toBe('UTC');
    await setTimezone('Europe/Zagreb');
  });

  it.each([
    ['group_by=year', 'group_by'],
    ['group_by=hour&date_from=2020-01-01', 'group_by'],
    ['date_from=yesterday', 'date_from'],
    ['date_from=2026-01-12&date_to=2026-01-11', 'date_from'],
    ['date_from=2027-01-01', 'date_from'],
    ['date_to=2026-01-12&date_to=2026-01-13', 'date_to'],
    ['filter=plate', 'filter'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await ask(`analytics?${query}`);
    expect([status, body.errors?.map((error) => [error.code, error.field])]).toEqual([422, [[23, field]]]);
  });
});

describe('vehicle analytics', () => {
  beforeAll(async () => {
    await startWorld();
    const visit = (plate: string, day: number, hours: number | null, changed: Partial<NewRow<'sessions'>> = {}) => {
      const created_at = at('2026-01-01T08:00Z') + day * DAY;
      const ended = hours === null ? {} : endedAt(created_at + hours * HOUR);
      return sessionRow(site, { plate_normalised: plate, created_at, ...ended, ...changed });
    };
    await seed([
      visit('ZG1', 0, 1, { amount_paid_minor: 150 }),
      visit('ZG1', 3, 3, { amount_paid_minor: 450 }),
      visit('ZG1', 5, null),
      visit('KA2', 1, 30, { zone_id: site.freeZone, tariff_id: null }),
      visit('KA2', 4, 2, { lot_id: site.south, zone_id: site.southZone, tariff_id: site.yen, amount_paid_minor: 700 }),
      visit('ST3', 2, null),
      visit('', 2, 1),
    ]);
    await cloud.store.change(async (tx) => {
      const seen = { type: 'car', make: 'Skoda', color: 'blue', model: null, country_code: 'HR' } as const;
      const reading = (day: number, plate: string, camera: number | null): NewRow<'plate_readings'> =>
        readingRow({
          account_id: site.harbour,
          lot_id: site.north,
          zone_id: site.zone,
          lpr_camera_id: camera,
          plate,
          plate_normalised: 'ZG1',
          ...(camera === null ? {} : seen),
          session_id: 1,
          at: at('2026-01-01T08:00Z') + day * DAY,
          updated_at: 0,
        });
      const denied = { ...reading(9, 'zg/1', 7), session_id: null };
      const elsewhere = { ...reading(9, 'zg=1', 7), account_id: site.rival, lot_id: site.rivalLot };
      await tx
        .insertInto('plate_readings')
        .values([reading(0, 'ZG1', 7), reading(3, 'zg-1', null), denied, elsewhere])
        .execute();
    });
  });
  afterAll(() => cloud.close());

  it('shows the visits of each plate, the most frequent first', async () => {
    const { body } = await ask('vehicle-analytics');
    const [zg, ka, st] = body.data as unknown[];
    expect(zg).toEqual({
      plate: 'zg-1',
      country_code: 'HR',
      type: 'car',
      make: 'Skoda',
      color: 'blue',
      model: null,
      visits_count: 3,
      total_duration: 4 * 3_600,
      average_duration: 2 * 3_600,
      amount_paid: 6,
      first_seen_at: '2026-01-01T08:00:00.000Z',
      last_seen_at: '2026-01-06T08:00:00.000Z',
    });
    expect(ka).toMatchObject({
      plate: 'KA2',
      make: null,
      visits_count: 2,
      total_duration: 32 * 3_600,
      amount_paid: 700,
    });
    expect(st).toMatchObject({ plate: 'ST3', visits_count: 1, total_duration: 0, average_duration: null });
    expect(body).toMatchObject({ meta: { total: 3, last_page: 1 } });
  });

  it.each([
    ['', ['zg-1', 'KA2', 'ST3']],
    ['sort=visits_count:asc', ['ST3', 'KA2', 'zg-1']],
    ['sort=total_duration:desc', ['KA2', 'zg-1', 'ST3']],
    ['sort=last_seen_at:asc', ['ST3', 'KA2', 'zg-1']],
    ['sort=plate:desc', ['zg-1', 'ST3', 'KA2']],
    ['sort=visits_count:asc&filter=date_from:eq:2026-01-05', ['KA2', 'zg-1']],
    ['sort=visits_count:desc&filter=date_from:eq:2026-01-05', ['zg-1', 'KA2']],
    ['filter=status:eq:open&sort=plate:asc', ['ST3', 'zg-1']],
    ['filter=plate:like:z', ['zg-1']],
    ['size=1&page=2', ['KA2']],
    ['size=2&page=3', []],
  ])('%s', async (query, plates) => {
    expect((await vehicles(query)).map(({ plate }) => plate)).toEqual(plates);
  });

  it('knows how many there are beyond the end', async () => {
    expect((await ask('vehicle-analytics?size=2&page=3')).body).toMatchObject({ meta: { total: 3, last_page: 2 } });
  });

  it('shows what the caller may see', async () => {
    const seen = await vehicles('', GUARD_TOKEN);
    expect(seen.map(({ plate, visits_count }) => `${plate} ${visits_count}`)).toEqual(['zg-1 3', 'ST3 1', 'KA2 1']);
    expect(await vehicles('', RIVAL_TOKEN)).toEqual([]);
  });

  it.each([
    ['sort=id:desc', 'sort'],
    ['sort=amount_paid:desc', 'sort'],
    ['size=301', 'size'],
    ['filter=make:eq:Skoda', 'filter'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await ask(`vehicle-analytics?${query}`);
    expect([status, body.errors?.map((error) => error.field)]).toEqual([422, [field]]);
  });

  it('is a CSV file too, with the list’s filters', async () => {
    const { response, text } = await file('vehicle-analytics/export?filter=status:eq:ended');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="vehicle-analytics.csv"');
    expect(readCsv(text)).toEqual([
      {
        plate: 'KA2',
        country_code: '',
        type: '',
        make: '',
        color: '',
        model: '',
        visits_count: '2',
        total_duration: String(32 * 3_600),
        average_duration: String(16 * 3_600),
        amount_paid: '700',
        first_seen_at: '2026-01-02T08:00:00.000Z',
        last_seen_at: '2026-01-05T10:00:00.000Z',
      },
      expect.objectContaining({ plate: 'zg-1', make: 'Skoda', visits_count: '2', amount_paid: '6' }),
    ]);
  });
});

describe('the export of sessions', () => {
  beforeAll(startWorld);
  afterAll(() => cloud.close());

  it('is a CSV file of every session, the newest first, formulas disarmed', async () => {
    const created_at = cloud.clock.now() - 2 * HOUR;
    const plates = ['=1+1', '+49 1', '-2', '@x', 'ZG "1", 2', "'quoted", '\tTAB', 'ČK-1'];
    await cloud.store.change(async (tx) => {
      for (const plate of plates) {
        const reading = { plate, created_at, raw_plate: plate };
        const session = sessionRow(site, { created_at, discount_time: -1 });
        const { id } = await tx.insertInto('sessions').values(session).returning('id').executeTakeFirstOrThrow();
        await tx
          .insertInto('plate_readings')
          .values({
            ...reading,
            id,
            account_id: site.harbour,
            lot_id: site.north,
            zone_id: site.zone,
            plate_normalised: '',
            direction: 'in',
            retransmission: 0,
            time_estimated: 0,
            updated_at: created_at,
          } as NewRow<'plate_readings'>)
          .execute();
        await tx.updateTable('sessions').set({ entry_reading_id: id }).where('id', '=', id).execute();
      }
    });
    const { response, text } = await file('export');
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('content-disposition'),
    ]).toEqual([200, 'text/csv; charset=utf-8', 'attachment; filename="sessions.csv"']);
    const lines = readCsv(text);
    expect(lines.map(({ entry_license_plate }) => entry_license_plate)).toEqual(
      ["'=1+1", "'+49 1", "'-2", "'@x", 'ZG "1", 2', "'quoted", "'\tTAB", 'ČK-1'].toReversed(),
    );
    expect(lines[0]).toMatchObject({
      id: '8',
      public_id: expect.any(String),
      lot_id: String(site.north),
      zone_id: String(site.zone),
      entry_license_plate: 'ČK-1',
      exit_license_plate: '',
      created_at: new Date(created_at).toISOString(),
      ended_at: '',
      duration: '7200',
      discount_time: '-1',
      amount_paid: '0',
      amount_due: '0',
      currency: 'EUR',
      tariff_id: String(site.tariff),
      entry_type: 'lpr_camera' as const,
      entry_id: '7',
      exit_type: '',
      exit_id: '',
      possibly_exited: '',
      exit_allowed: 'true',
      updated_at: new Date(created_at).toISOString(),
    });
  });

  it('has its header alone when nothing matches, and is of the caller’s own', async () => {
    const { text } = await file('export?filter=status:eq:ended');
    expect(text).toMatch(/^id,public_id,[^\r\n]*,updated_at,lot_name,[^\r\n]*\r\n$/);
    expect(readCsv((await file('export', RIVAL_TOKEN)).text)).toEqual([]);
    expect((await file('export', 'wrong')).response.status).toBe(401);
  });

  it.each(['export?filter=id', 'vehicle-analytics/export?filter=plate:is:x'])('refuses %s', async (path) => {
    const { response, text } = await file(path);
    expect([response.status, JSON.parse(text)]).toMatchObject([422, { errors: [{ code: 23, field: 'filter' }] }]);
  });

  it('goes over the pieces it is read in', async () => {
    const created_at = cloud.clock.now() - HOUR;
    for (let part = 0; part < 5; part++) {
      await seed(Array.from({ length: 500 }, () => sessionRow(site, { created_at, zone_id: site.freeZone })));
    }
    const lines = readCsv((await file(`export?filter=zone_id:eq:${site.freeZone}`)).text);
    const ids = lines.map(({ id }) => Number(id));
    expect(ids).toEqual(Array.from({ length: 2_500 }, (_, index) => (ids[0] ?? 0) - index));
    const plates = readCsv((await file(`vehicle-analytics/export?filter=zone_id:eq:${site.freeZone}`)).text);
    expect(plates.map(({ plate }) => plate)).toEqual(plates.map(({ plate }) => plate).toSorted());
    expect(new Set(plates.map(({ plate }) => plate)).size).toBe(2_500);
  });

  it('stops reading when the client goes away', async () => {
    const controller = new AbortController();
    const response = await fetch(`${cloud.base}/v2/sessions/export`, {
      headers: { authorization: `Bearer ${OWNER_TOKEN}` },
      signal: controller.signal,
    });
    await response.body?.getReader().read();
    controller.abort();
    expect((await ask('analytics')).status).toBe(200);
    expect(cloud.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
