/** What people and programs send to the session endpoints that no vehicle does; and plates of every script, which some do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchChecked } from '../../contract/checked-fetch.js';
import { generatePublicId } from '../../../cloud/traffic/session/public-id.js';
import { type Session, sessionSchema } from '../../../cloud/traffic/session/session-rest-payload.js';
import { OWNER_TOKEN } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { readCsv } from './read-csv.js';
import { endedAt, seedSessionSite, sessionRow, type SessionSite } from './session-site.js';

let cloud: CloudWorld;
let site: SessionSite;
let open: number;
let ended: number;

beforeAll(async () => {
  cloud = await startCloudWorld();
  site = await seedSessionSite(cloud);
  const created_at = cloud.clock.now() - 3_600_000;
  [open, ended] = await cloud.store.change(async (tx) => {
    const insert = (changed: object) =>
      tx
        .insertInto('sessions')
        .values(sessionRow(site, { created_at, ...changed }))
        .returning('id')
        .executeTakeFirstOrThrow();
    return [(await insert({})).id, (await insert(endedAt(created_at + 1_000))).id] as const;
  });
});
afterAll(() => cloud.close());

const ask = (method: string, path: string, json?: unknown) =>
  cloud.ask(method, path, { token: OWNER_TOKEN, ...(json === undefined ? {} : { json }) });

async function refusal(method: string, path: string, json?: unknown) {
  const { status, body } = await ask(method, path, json);
  return [status, body.errors?.map(({ code, field }) => [code, field])];
}

/** All that a session is made of, in the database. */
async function rows() {
  const db = cloud.store.reader;
  return {
    sessions: await db.selectFrom('sessions').selectAll().execute(),
    payments: await db.selectFrom('session_payments').selectAll().execute(),
    readings: await db.selectFrom('plate_readings').selectAll().execute(),
    events: await db.selectFrom('events').select('id').execute(),
  };
}

const IMPOSSIBLE_TIMES = [
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-01-15T25:00:00Z',
  '2026-01-15T10:60:00Z',
  '2026-01-15T10:00:00',
  '2026-01-15T10:00:00+99:00',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '0000-01-01T00:00:00Z',
  '1e3',
  '١٥-٠١-٢٠٢٦',
  '',
  null,
  0,
  true,
  [],
  {},
];

describe('a time that is none, or was before there were cars, or is still to come', () => {
  it.each(IMPOSSIBLE_TIMES)('%j is refused, and nothing changes', async (time) => {
    const before = await rows();
    const begin = { zone_id: site.zone, created_at: time };
    expect(await refusal('POST', '/v2/sessions', begin)).toEqual([422, [[23, 'created_at']]]);
    expect(await refusal('POST', `/v2/sessions/${open}/close`, { ended_at: time })).toEqual([422, [[23, 'ended_at']]]);
    expect(await rows()).toEqual(before);
  });

  it.each(IMPOSSIBLE_TIMES.slice(0, 8))('%j is refused in a query', async (time) => {
    const text = encodeURIComponent(String(time));
    const quote = `/v2/tariffs/${site.tariff}/quote?start=${text}&end=2026-01-15T12:00:00Z`;
    expect(await refusal('GET', quote)).toEqual([422, [[23, 'start']]]);
    expect(await refusal('GET', `/v2/sessions/analytics?date_from=${text}`)).toEqual([422, [[23, 'date_from']]]);
    for (const path of ['', '/export', '/vehicle-analytics', '/vehicle-analytics/export']) {
      const list = `/v2/sessions${path}?filter=date_to:eq:${text}`;
      expect(await refusal('GET', list)).toEqual([422, [[23, 'filter']]]);
    }
  });

  it('takes no longer than another when it lies ten thousand years off', async () => {
    const years = 'start=0001-01-01&end=9999-12-31';
    expect(await refusal('GET', `/v2/tariffs/${site.tariff}/quote?${years}`)).toEqual([422, [[23, 'end']]]);
    const far = 'date_from=0001-01-01&date_to=9999-12-31&group_by=month';
    expect(await refusal('GET', `/v2/sessions/analytics?${far}`)).toEqual([422, [[23, 'group_by']]]);
  });
});

describe('an amount', () => {
  it.each([-1, -0.01, 0, 0.001, 1e6 + 0.01, -1e6 - 0.01, 1e9, 1e300, '1', '', null, true, [1], {}])(
    '%j is refused',
    async (amount) => {
      const before = await rows();
      const path = `/v2/sessions/${open}/payments`;
      expect(await refusal('POST', path, { amount })).toEqual([422, [[23, 'amount']]]);
      expect(await rows()).toEqual(before);
    },
  );

  it('is refused when JSON can say it and a number cannot hold it', async () => {
    for (const amount of ['1e400', '-1e400', '1e-400']) {
      const { status, body } = await cloud.ask('POST', `/v2/sessions/${open}/payments`, {
        token: OWNER_TOKEN,
        body: `{"amount":${amount}}`,
        headers: { 'content-type': 'application/json' },
      });
      expect([status, body.errors?.[0]?.code, body.errors?.[0]?.field]).toEqual([422, 23, 'amount']);
    }
  });

  it('is counted to the cent when it is a million', async () => {
    const path = `/v2/sessions/${ended}/payments`;
    await ask('POST', path, { amount: 1e6, overpays: 1 });
    const { body } = await ask('POST', path, { amount: 0.01, overpays: 1 });
    expect(sessionSchema.parse(body.data)).toMatchObject({ amount_paid: 1_000_000.01, amount_due: 0 });
  });
});

describe('a discount', () => {
  it.each([-2, 1.5, 1e9, 1e300, '5', true, []])('is refused when it is %j', async (discount_time) => {
    const expected = [422, [[23, 'discount_time']]];
    expect(await refusal('POST', '/v2/sessions', { zone_id: site.zone, discount_time })).toEqual(expected);
    expect(await refusal('PATCH', `/v2/sessions/${open}`, { discount_time })).toEqual(expected);
  });
});

describe('a zone', () => {
  it.each([0, -1, 1.5, 999_999, 2 ** 53, 1e300, '1', null, true, [1], {}])('%j is not there', async (zone_id) => {
    expect(await refusal('POST', '/v2/sessions', { zone_id })).toEqual([422, [[23, 'zone_id']]]);
  });
});

describe('the id of a session', () => {
  it.each(['0', '-1', '1.5', '1e3', '9007199254740993', '%00', 'one', '1%3B--'])('%s is not there', async (id) => {
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/close'],
      ['POST', '/payments'],
    ] as const) {
      const { status, body } = await ask(method, `/v2/sessions/${id}${path}`, method === 'GET' ? undefined : {});
      expect([status, body.errors?.[0]?.code]).toEqual([404, 6]);
    }
  });
});

describe('a plate', () => {
  it.each(['🚗', '- - -', '\u200B', '\u202E', 'A\nB', 'A\u0000', '\u0301', 'A'.repeat(65), 7, true, []])(
    '%j is none',
    async (entry_license_plate) => {
      const expected = [422, [[23, 'entry_license_plate']]];
      expect(await refusal('POST', '/v2/sessions', { zone_id: site.zone, entry_license_plate })).toEqual(expected);
      expect(await refusal('PATCH', `/v2/sessions/${open}`, { entry_license_plate })).toEqual(expected);
      const exit = { exit_license_plate: entry_license_plate };
      expect(await refusal('POST', `/v2/sessions/${open}/close`, exit)).toEqual([422, [[23, 'exit_license_plate']]]);
    },
  );

  it.each([
    ['Latin', 'žg 12-34 čš', 'ŽG1234ČŠ'],
    ['Cyrillic', 'а 123 вс 77', 'А123ВС77'],
    ['Greek', 'ικζ-1234', 'ΙΚΖ1234'],
    ['Arabic', 'ن ط ج ٧٨٩', 'نطج789'],
    ['Hebrew', 'צ-12-345', 'צ12345'],
    ['Han', '京A·12345', '京A12345'],
    ['kana', '品川 500 さ 12-34', '品川500さ1234'],
    ['Hangul', '12가 3456', '12가3456'],
    ['Hangul, in pieces', '12\u1100\u1161 7777', '12가7777'],
    ['Thai', '1กข 4321', '1กข4321'],
    ['Devanagari', 'बा २ च ५६७८', 'ब2च5678'],
    ['Armenian', 'աբ 12-34', 'ԱԲ1234'],
    ['Georgian', 'აბ-123-გდ', 'ᲐᲑ123ᲒᲓ'],
    ['Ethiopic', 'አአ 3-12345', 'አአ312345'],
    ['fullwidth', 'ＺＧ１２３４', 'ZG1234'],
    ['beyond the first plane', '𝐙𝐆 𝟕𝟕', 'ZG77'],
  ])('%s: is kept as it is written and found however it is', async (_script, written, compared) => {
    const begun = await ask('POST', '/v2/sessions', { zone_id: site.zone, entry_license_plate: written });
    expect([begun.status, begun.body.errors]).toEqual([200, undefined]);
    const { id } = sessionSchema.parse(begun.body.data);
    const listed = await ask('GET', `/v2/sessions?filter=plate:eq:${encodeURIComponent(compared)}`);
    const [session, ...others] = listed.body.data as Session[];
    expect(others).toEqual([]);
    expect(session).toMatchObject({ id, entry_license_plate: { plate: written } });
    const row = await cloud.store.reader
      .selectFrom('sessions')
      .select('plate_normalised')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.plate_normalised).toBe(compared);

    const filter = `filter=plate:eq:${encodeURIComponent(written)}`;
    const headers = { authorization: `Bearer ${OWNER_TOKEN}` };
    const file = async (path: string) =>
      readCsv(await (await fetchChecked(`${cloud.base}/v2/sessions/${path}?${filter}`, { headers })).text());
    const inFile = written.startsWith('=') ? `'${written}` : written;
    expect(await file('export')).toMatchObject([{ id: String(id), entry_license_plate: inFile }]);
    expect(await file('vehicle-analytics/export')).toMatchObject([{ plate: inFile, visits_count: '1' }]);
    const again = { zone_id: site.zone, entry_license_plate: compared };
    expect(await refusal('POST', '/v2/sessions', again)).toEqual([422, [[23, 'entry_license_plate']]]);
    await ask('POST', `/v2/sessions/${id}/close`);
  });
});

describe('several wrong fields', () => {
  it('are told all at once, whichever of them the database knows of', async () => {
    const begin = { zone_id: 99_999, entry_license_plate: '-', discount_time: -2, created_at: '2099-01-01T00:00:00Z' };
    expect(await refusal('POST', '/v2/sessions', begin)).toEqual([
      422,
      ['entry_license_plate', 'discount_time', 'created_at', 'zone_id'].map((field) => [23, field]),
    ]);
    const close = { ended_at: '2099-01-01T00:00:00Z', exit_license_plate: '-' };
    expect(await refusal('POST', `/v2/sessions/${open}/close`, close)).toEqual([
      422,
      ['ended_at', 'exit_license_plate'].map((field) => [23, field]),
    ]);
  });
});

describe('a public_id', () => {
  it('is ten letters and digits, and of one session only', async () => {
    for (let tries = 0; tries < 200; tries++) expect(generatePublicId()).toMatch(/^[A-Z0-9]{10}$/);
    const { public_id } = await cloud.store.reader.selectFrom('sessions').select('public_id').executeTakeFirstOrThrow();
    const again = cloud.store.change(async (tx) => {
      await tx
        .insertInto('sessions')
        .values(sessionRow(site, { created_at: 1, public_id }))
        .execute();
    });
    await expect(again).rejects.toMatchObject({ code: 'unique' });
  });
});
