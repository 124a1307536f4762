import * as fc from '../../property.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILTER_RULES } from '../../../cloud/rest/list/filter-parser.js';
import { sessionSchema } from '../../../cloud/traffic/session/session-rest-payload.js';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, RIVAL_TOKEN } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { endedAt, seedSessionSite, sessionRow, type SessionSite } from '../session/session-site.js';
import { runs } from '../../depth.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the list of sessions', () => {
  let cloud: CloudWorld;
  let site: SessionSite;
  let began: number;
  /** Short names of the seeded sessions by their id. */
  const names = new Map<number, string>();

  beforeAll(async () => {
    cloud = await startCloudWorld();
    site = await seedSessionSite(cloud);
    began = cloud.clock.now() - 6 * HOUR;
    const at = (minutes: number) => ({ created_at: began + minutes * MINUTE });
    const south = { lot_id: site.south, zone_id: site.southZone, tariff_id: site.yen };
    const seeded: Record<string, NewRow<'sessions'>> = {
      a: sessionRow(site, { ...at(0), plate_normalised: 'ZG1234AB', ...endedAt(began + 30 * MINUTE) }),
      b: sessionRow(site, { ...at(10), plate_normalised: 'ZG99', amount_paid_minor: 150 }),
      c: sessionRow(site, {
        ...at(20),
        plate_normalised: '',
        entry_type: 'attendant' as const,
        public_id: 'A_B%C00001',
      }),
      d: sessionRow(site, { ...at(20), ...south, plate_normalised: 'ČK1', amount_paid_minor: 100 }),
      e: sessionRow(site, {
        ...at(30),
        plate_normalised: 'KA5',
        zone_id: site.freeZone,
        tariff_id: null,
        ...endedAt(began + 60 * MINUTE),
      }),
      f: sessionRow(site, {
        ...at(30),
        plate_normalised: 'KA6',
        zone_id: site.freeZone,
        tariff_id: null,
        ...endedAt(began + 60 * MINUTE + 5),
      }),
      rival: sessionRow(site, {
        ...at(5),
        account_id: site.rival,
        lot_id: site.rivalLot,
        zone_id: site.rivalZone,
        tariff_id: null,
      }),
    };
    await cloud.store.change(async (tx) => {
      for (const [name, row] of Object.entries(seeded)) {
        const { id } = await tx.insertInto('sessions').values(row).returning('id').executeTakeFirstOrThrow();
        names.set(id, name);
      }
    });
  });
  afterAll(() => cloud.close());

  const ask = (query: string, token = OWNER_TOKEN) => cloud.ask('GET', `/v2/sessions${query}`, { token });
  const items = async (query: string, token = OWNER_TOKEN) => {
    const { status, body } = await ask(query, token);
    expect([query, status]).toEqual([query, 200]);
    return sessionSchema.array().parse(body.data);
  };
  /** The names of the sessions in the answer, in its order. */
  const found = async (query: string, token = OWNER_TOKEN) =>
    (await items(query, token)).map(({ id }) => names.get(id)).join('');
  const filtered = (...filters: string[]) =>
    found(`?sort=id:asc&${filters.map((filter) => `filter=${encodeURIComponent(filter)}`).join('&')}`);
  const refused = async (query: string) => {
    const { status, body } = await ask(query);
    return [status, body.errors?.map(({ code, field }) => [code, field])];
  };

  it('shows the newest first, with every key and no plate readings', async () => {
    expect(await found('')).toBe('fedcba');
    const [first] = await items('?filter=public_id:eq:A_B%25C00001');
    expect(first).toMatchObject({ exit: null, entry_license_plate: null, lot_id: site.north, currency: 'EUR' });
    expect(first).not.toHaveProperty('plate_readings');
  });

  it('shows each caller what is of its account and in its lots', async () => {
    expect(await found('', API_TOKEN)).toBe('fedcba');
    expect(await found('', GUARD_TOKEN)).toBe('fecba');
    expect(await found('', RIVAL_TOKEN)).toBe('rival');
    expect(await found(`?filter=lot_id:eq:${site.rivalLot}`)).toBe('');
    expect(await found(`?filter=account_id:eq:${site.rival}`)).toBe('');
    expect(await found(`?filter=account_id:eq:${site.harbour}`, GUARD_TOKEN)).toBe('fecba');
    expect((await cloud.ask('GET', '/v2/sessions')).status).toBe(401);
  });

  it('shows a caller without any lot nothing', async () => {
    await cloud.store.change(async (tx) => {
      await tx.deleteFrom('account_user_lots').where('account_user_id', '=', site.guard).execute();
    });
    const { body } = await ask('', GUARD_TOKEN);
    await cloud.store.change(async (tx) => {
      await tx.insertInto('account_user_lots').values({ account_user_id: site.guard, lot_id: site.north }).execute();
    });
    expect(body).toMatchObject({ data: [], meta: { total: 0, last_page: 1 } });
  });

  it.each([
    [['zone_id:eq:ZONE'], 'abc'],
    [['zone_id:neq:ZONE'], 'def'],
    [['zone_id:in:ZONE,SOUTH'], 'abcd'],
    [['zone_id:nin:ZONE,SOUTH'], 'ef'],
    [['zone_id:isnull'], ''],
    [['zone_id:isnotnull:'], 'abcdef'],
    [['plate:eq:zg 1234-ab'], 'a'],
    [['plate:like:zg'], 'ab'],
    [['plate:nlike:ZG', 'plate:isnotnull'], 'def'],
    [['plate:like:čk'], 'd'],
    [['plate:like:%'], ''],
    [['plate:eq:-'], ''],
    [['plate:isnull'], 'c'],
    [['plate:gt:ZG2', 'plate:lt:ZG9999'], 'b'],
    [['public_id:like:a_b%c'], 'c'],
    [['public_id:like:_'], 'c'],
    [['public_id:eq:a_b%c00001'], ''],
    [['status:eq:open'], 'bcd'],
    [['status:neq:open'], 'aef'],
    [['status:in:open,ended'], 'abcdef'],
    [['status:nin:open,ended'], ''],
    [['entry_type:eq:attendant'], 'c'],
    [['entry_type:in:attendant,account'], 'c'],
    [['exit_type:isnull'], 'bcd'],
    [['exit_type:neq:lpr_camera'], 'bcd'],
    [['exit_type:nin:account'], 'abcdef'],
    [['date_from:eq:T20'], 'cdef'],
    [['date_to:eq:T20'], 'abcd'],
    [['date_from:eq:T20', 'date_to:eq:T20'], 'cd'],
    [['status:eq:open', 'zone_id:eq:ZONE', 'plate:like:9'], 'b'],
  ])('filters by %j', async (filters, expected) => {
    const written = filters.map((filter) =>
      filter
        .replace('ZONE', String(site.zone))
        .replace('SOUTH', String(site.southZone))
        .replace('T20', new Date(began + 20 * MINUTE).toISOString()),
    );
    expect(await filtered(...written)).toBe(expected);
  });

  it.each([
    ['id:asc', 'abcdef'],
    ['id:desc', 'fedcba'],
    ['created_at:asc', 'abcdef'],
    ['created_at:desc', 'fedcba'],
    ['ended_at:asc', 'bcdaef'],
    ['ended_at:desc', 'feadcb'],
    ['duration:asc', 'aefcdb'],
    ['duration:desc', 'bdcfea'],
    ['amount_paid:asc', 'acefbd'],
    ['amount_paid:desc', 'dbfeca'],
  ])('sorts by %s, ties by id in the same direction', async (sort, expected) => {
    expect(await found(`?sort=${sort}`)).toBe(expected);
  });

  it('shows money in the major unit of each currency', async () => {
    const [d, b] = await items('?sort=amount_paid:desc&size=2');
    expect([d?.amount_paid, d?.currency, b?.amount_paid, b?.currency]).toEqual([100, 'JPY', 1.5, 'EUR']);
  });

  it('cuts pages and tells the way to the others', async () => {
    const { body } = await ask(`?filter=status:eq:open&size=2&page=2&sort=id:asc`);
    expect(body).toMatchObject({
      meta: {
        total: 3,
        per_page: 2,
        current_page: 2,
        last_page: 2,
        first_page: 1,
        first_page_url: '/v2/sessions?filter=status:eq:open&size=2&sort=id:asc&page=1',
        last_page_url: '/v2/sessions?filter=status:eq:open&size=2&sort=id:asc&page=2',
        next_page_url: null,
        previous_page_url: '/v2/sessions?filter=status:eq:open&size=2&sort=id:asc&page=1',
      },
    });
    expect(await found('?size=4&page=2')).toBe('ba');
    expect(await found('?size=6&page=2')).toBe('');
    const beyond = await ask('?page=999999999999');
    expect(beyond.body).toMatchObject({ data: [], meta: { total: 6, current_page: 999_999_999_999, last_page: 1 } });
    expect((await ask('?size=300')).body).toMatchObject({ meta: { per_page: 300, total: 6 } });
  });

  it.each([
    ['?size=301', ['size']],
    ['?size=0', ['size']],
    ['?size=-1', ['size']],
    ['?size=ten', ['size']],
    ['?size=', ['size']],
    ['?size=1.5', ['size']],
    ['?size=10&size=10', ['size']],
    ['?page=0', ['page']],
    ['?page=one', ['page']],
    ['?page=9999999999999999999999', ['page']],
    ['?page=1&page=2', ['page']],
    ['?sort=plate:asc', ['sort']],
    ['?sort=id', ['sort']],
    ['?sort=id:up', ['sort']],
    ['?sort=', ['sort']],
    ['?sort=id:asc&sort=id:asc', ['sort']],
    ['?filter=colour:eq:red', ['filter']],
    ['?filter=id:eq:one', ['filter']],
    ['?colour=red', ['colour']],
    ['?filter=zone_id:is:1', ['filter']],
    ['?filter=zone_id:eq:one', ['filter']],
    ['?filter=', ['filter']],
    ['?filter=status:eq:open&filter=status:eq:shut', ['filter']],
    [`?${'filter=zone_id:eq:1&'.repeat(51)}`, ['filter']],
    ['?page=0&size=0&sort=x&filter=y', ['page', 'size', 'filter', 'sort']],
  ])('refuses %s', async (query, fields) => {
    expect(await refused(query)).toEqual([422, fields.map((field) => [23, field])]);
  });

  it('leaves the parameters in the addresses of pages as they were written', async () => {
    expect((await ask('?filter[]=id:gt:0&size=6')).body).toMatchObject({
      meta: { first_page_url: '/v2/sessions?filter[]=id:gt:0&size=6&page=1' },
    });
  });

  it('answers whatever it is asked with 200 or 422', async () => {
    const fields = ['account_id', 'zone_id', 'public_id', 'plate', 'status', 'exit_type', 'date_from', 'date_to', 'id'];
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.anyCharacter }),
      fc.constantFrom('%', "'", '"; drop table sessions; --', '\\', '-', '1', 'open', '2026-01-15T12:00:00Z', '٣'),
    );
    const filter = fc
      .tuple(
        fc.oneof(fc.constantFrom(...fields), text),
        fc.oneof(fc.constantFrom(...FILTER_RULES), text),
        fc.oneof(fc.integer().map(String), text),
      )
      .map((parts) => parts.join(':'));
    const parameter = fc.oneof(
      filter.map((value) => ['filter', value]),
      fc.tuple(fc.constantFrom('page', 'size'), fc.oneof(fc.integer().map(String), fc.double().map(String), text)),
      fc
        .tuple(fc.constantFrom('id', 'duration', 'amount_paid', 'plate'), fc.constantFrom('asc', 'desc', ''))
        .map((parts) => ['sort', parts.join(':')]),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(parameter, { maxLength: 5 }), async (parameters) => {
        const query = parameters
          .map(([name = '', value = '']) => `${name}=${encodeURIComponent(Buffer.from(value).toString())}`)
          .join('&');
        const { status, body } = await ask(`?${query}`);
        if (status === 200) expect(body).toMatchObject({ success: true, meta: { first_page: 1 } });
        else expect([status, body.errors?.every(({ code }) => code === 23)]).toEqual([422, true]);
      }),
      { numRuns: runs(100, 9) },
    );
    expect(cloud.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('takes queries that are no proper text', async () => {
    for (const query of ['?filter=%E0%A4%A', '?%', '?&&=&', '?size=%00', '?filter=public_id:like:%00', '?sort=%ff']) {
      expect([query, [200, 422].includes((await ask(query)).status)]).toEqual([query, true]);
    }
  });
});
