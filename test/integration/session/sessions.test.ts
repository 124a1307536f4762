import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Session,
  sessionSchema,
  sessionWithReadingsSchema,
} from '../../../cloud/traffic/session/session-rest-payload.js';
import type { JournalEvent } from '../../../cloud/kernel/store/cloud-store.js';
import { EVENT_SCHEMAS } from '../../../shared/events/event-schemas.js';
import { uidSchema } from '../../../shared/ids.js';
import { addMember } from '../gateway/link-site.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, RIVAL_TOKEN } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { seedSessionSite, sessionRow, type SessionSite } from './session-site.js';
import { onPostgres } from '../../world/postgres-databases.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const iso = (ms: number) => new Date(ms).toISOString();

let cloud: CloudWorld;
let site: SessionSite;
let now: number;
let journaled: JournalEvent[];

beforeAll(async () => {
  cloud = await startCloudWorld();
  site = await seedSessionSite(cloud);
  cloud.store.onEvents((pushed) => journaled.push(...pushed));
});
afterAll(() => cloud.close());

/** Every test begins without sessions, and counts from 1. */
beforeEach(async () => {
  now = cloud.clock.now();
  journaled = [];
  cloud.changedLots.length = 0;
  await cloud.store.change(async (tx) => {
    for (const table of ['sessions', 'plate_readings', 'session_payments'] as const) {
      await tx.deleteFrom(table).execute();
      if (onPostgres()) await sql`alter table ${sql.table(table)} alter column id restart`.execute(tx);
      else await sql`delete from sqlite_sequence where name = ${table}`.execute(tx);
    }
  });
});

const ask = (method: string, path: string, json?: unknown, token = OWNER_TOKEN) =>
  cloud.ask(method, path, { token, ...(json === undefined ? {} : { json }) });

async function session(method: string, path: string, json?: unknown, token = OWNER_TOKEN): Promise<Session> {
  const { status, body } = await ask(method, path, json, token);
  expect([status, body.errors]).toEqual([200, undefined]);
  return sessionSchema.parse(body.data);
}

async function refusal(method: string, path: string, json?: unknown, token = OWNER_TOKEN) {
  const { status, body } = await ask(method, path, json, token);
  return [status, body.errors?.map(({ code, field }) => (field === undefined ? code : [code, field]))];
}

const begin = (json: object = {}, token = OWNER_TOKEN) =>
  session('POST', '/v2/sessions', { zone_id: site.zone, ...json }, token);
const details = async (id: number) =>
  sessionWithReadingsSchema.parse((await ask('GET', `/v2/sessions/${id}`)).body.data);

/** The events since the last look: their names, and their payloads as the specification has them. */
function occupied() {
  const events = journaled.splice(0);
  for (const { event, payload } of events) expect(EVENT_SCHEMAS[event].safeParse(payload).error).toBeUndefined();
  return events.map(({ event, lot_id, payload }) => ({ event, lot_id, payload }));
}

async function seed(changed: Parameters<typeof sessionRow>[1]): Promise<number> {
  return cloud.store.change(async (tx) => {
    const row = sessionRow(site, changed);
    const { id } = await tx.insertInto('sessions').values(row).returning('id').executeTakeFirstOrThrow();
    return id;
  });
}

describe('POST /v2/sessions', () => {
  it('starts a session with its reading and its event, and has the gateways told', async () => {
    const created_at = iso(now - 90 * MINUTE);
    const begun = await begin({ entry_license_plate: 'zg 1234-ab', discount_time: 15, created_at });
    expect(begun).toMatchObject({
      id: 1,
      public_id: expect.stringMatching(/^[A-Z0-9]{10}$/),
      ended_at: null,
      duration: 90 * 60,
      discount_time: 15,
      amount_paid: 0,
      possibly_exited: null,
      exit_allowed: true,
      entry_license_plate: { id: 1, plate: 'zg 1234-ab', image_url: null, cropped_image_url: null },
      created_at,
      entry: { id: site.owner, type: 'attendant' },
      exit: null,
      zone_id: site.zone,
      lot_id: site.north,
      tariff_id: site.tariff,
      currency: 'EUR',
      amount_due: 3,
      exit_license_plate: null,
      updated_at: iso(now),
    });
    expect(occupied()).toEqual([
      {
        event: 'session_create',
        lot_id: site.north,
        payload: {
          id: 1,
          public_id: begun.public_id,
          duration: 90 * 60,
          discount_time: 15,
          amount_paid: 0,
          exit_allowed: true,
          entry_license_plate: begun.entry_license_plate,
          created_at,
          entry: begun.entry,
          zone_id: site.zone,
        },
      },
    ]);
    expect(cloud.changedLots).toEqual([site.north]);
    const { plate_readings } = await details(1);
    expect(plate_readings).toEqual([
      expect.objectContaining({
        id: 1,
        plate: 'zg 1234-ab',
        direction: 'in',
        session_id: 1,
        lpr_camera_id: null,
        plate_side: null,
        lpr_camera_direction: null,
        access_decision: null,
        confidence: null,
        created_at,
      }),
    ]);
    const row = await cloud.store.reader.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
    expect(row.plate_normalised).toBe('ZG1234AB');
    expect(uidSchema.safeParse(row.uid).success).toBe(true);
  });

  it('takes the clock of a client that is up to five seconds ahead', async () => {
    const created_at = iso(now + 5_000);
    const begun = await begin({ created_at, entry_license_plate: 'ZG5' });
    expect(begun).toMatchObject({ created_at, duration: 0, amount_due: 0 });
    expect(await refusal('POST', '/v2/sessions', { zone_id: site.zone, created_at: iso(now + 5_001) })).toEqual([
      422,
      [[23, 'created_at']],
    ]);
    expect(await session('POST', `/v2/sessions/${begun.id}/close`)).toMatchObject({
      ended_at: created_at,
      duration: 0,
    });
  });

  it('needs a zone only: without a plate there is no reading, and there may be several', async () => {
    const first = await begin();
    await begin();
    expect(first).toMatchObject({
      entry_license_plate: null,
      discount_time: null,
      created_at: iso(now),
      duration: 0,
      amount_due: 0,
    });
    expect((await details(first.id)).plate_readings).toEqual([]);
    expect(occupied().map(({ event }) => event)).toEqual(['session_create', 'session_create']);
  });

  it('is by the account when an API token asks, by the attendant when a user does', async () => {
    expect((await begin({}, API_TOKEN)).entry).toEqual({ id: site.harbour, type: 'account' });
    expect((await begin({}, GUARD_TOKEN)).entry).toEqual({ id: site.guard, type: 'attendant' });
  });

  it('takes the tariff of the zone, none where there is none, the group’s for its members', async () => {
    await cloud.store.change(async (tx) => {
      const times = { created_at: now, updated_at: now };
      const owner = { account_id: site.harbour, name: 'Mia', description: '', ...times };
      await tx
        .insertInto('groups')
        .values({ ...owner, id: 1 })
        .execute();
      await tx.insertInto('group_zones').values({ group_id: 1, zone_id: site.zone }).execute();
      await tx.insertInto('group_tariffs').values({ group_id: 1, tariff_id: site.yen, position: 0 }).execute();
      for (const plate of ['ZGMIA1', '']) await addMember(tx, { account_id: site.harbour, group_id: 1, plate });
    });
    expect(await begin({ entry_license_plate: 'zg-mia-1' })).toMatchObject({ tariff_id: site.yen, currency: 'JPY' });
    expect(await begin()).toMatchObject({ tariff_id: site.tariff });
    expect(await begin({ zone_id: site.freeZone })).toMatchObject({ tariff_id: null, currency: null, amount_due: 0 });
  });

  it('has one open session for a plate in a lot, however it is written', async () => {
    await begin({ entry_license_plate: 'ZG1234AB' });
    const again = { zone_id: site.freeZone, entry_license_plate: 'zg-1234 ab' };
    expect(await refusal('POST', '/v2/sessions', again)).toEqual([422, [[23, 'entry_license_plate']]]);
    await begin({ zone_id: site.southZone, entry_license_plate: 'ZG1234AB' });
    await session('POST', '/v2/sessions/1/close');
    await begin({ entry_license_plate: 'ZG1234AB' });
  });

  it('has one open session for a plate when a hundred ask at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        ask('POST', '/v2/sessions', { zone_id: site.zone, entry_license_plate: index % 2 === 0 ? 'ZG1' : 'zg-1' }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect([
      statuses.filter((status) => status === 200).length,
      statuses.filter((status) => status === 422).length,
    ]).toEqual([1, 99]);
    const fields = new Set(
      answers.flatMap(({ body }) => body.errors ?? []).map(({ code, field }) => `${code} ${field}`),
    );
    expect([...fields]).toEqual(['23 entry_license_plate']);
    expect(occupied()).toHaveLength(1);
    const readings = await cloud.store.reader.selectFrom('plate_readings').select('id').execute();
    expect(readings).toHaveLength(1);
  });

  it.each([
    [{}, ['zone_id']],
    [{ zone_id: '1' }, ['zone_id']],
    [{ zone_id: 999 }, ['zone_id']],
    [{ zone_id: 1, entry_license_plate: '' }, ['entry_license_plate']],
    [{ zone_id: 1, entry_license_plate: ' - ' }, ['entry_license_plate']],
    [{ zone_id: 1, entry_license_plate: 'A\u0000B' }, ['entry_license_plate']],
    [{ zone_id: 1, entry_license_plate: 'A'.repeat(65) }, ['entry_license_plate']],
    [{ zone_id: 1, entry_license_plate: 12 }, ['entry_license_plate']],
    [{ zone_id: 1, discount_time: -2 }, ['discount_time']],
    [{ zone_id: 1, discount_time: 1.5 }, ['discount_time']],
    [{ zone_id: 1, discount_time: '10' }, ['discount_time']],
    [{ zone_id: 1, created_at: '2026-01-16T12:00:00.001Z' }, ['created_at']],
    [{ zone_id: 1, created_at: 'yesterday' }, ['created_at']],
    [{ zone_id: 1, created_at: '1969-12-31T23:59:59Z' }, ['created_at']],
    [{ zone_id: 1, created_at: 1_768_000_000_000 }, ['created_at']],
    [{ zone_id: 999, created_at: '2027-01-15T12:00:00Z' }, ['created_at', 'zone_id']],
    [{ zone_id: 1, plate: 'ZG1', lot_id: 1 }, ['plate', 'lot_id']],
  ])('refuses %j', async (json, fields) => {
    expect(await refusal('POST', '/v2/sessions', json)).toEqual([422, fields.map((field) => [23, field])]);
    expect(occupied()).toEqual([]);
  });

  it('knows no zone of another account or of a lot that is not assigned', async () => {
    const expected = [422, [[23, 'zone_id']]];
    expect(await refusal('POST', '/v2/sessions', { zone_id: site.rivalZone })).toEqual(expected);
    expect(await refusal('POST', '/v2/sessions', { zone_id: site.southZone }, GUARD_TOKEN)).toEqual(expected);
    expect(await refusal('POST', '/v2/sessions', { zone_id: site.zone }, RIVAL_TOKEN)).toEqual(expected);
  });
});

describe('PATCH /v2/sessions/{id}', () => {
  it('changes the discount, with an event', async () => {
    const { id } = await begin({ created_at: iso(now - 3 * HOUR) });
    occupied();
    const free = await session('PATCH', `/v2/sessions/${id}`, { discount_time: -1 });
    expect(free).toMatchObject({ discount_time: -1, amount_due: 0 });
    expect(occupied()).toMatchObject([{ event: 'session_update', payload: { id, discount_time: -1 } }]);
    expect(await session('PATCH', `/v2/sessions/${id}`, { discount_time: 61 })).toMatchObject({ amount_due: 3 });
    expect(await session('PATCH', `/v2/sessions/${id}`, { discount_time: null })).toMatchObject({ amount_due: 4.5 });
    expect(occupied()[1]?.payload).not.toHaveProperty('discount_time');
    expect(cloud.changedLots).toHaveLength(1);
  });

  it('corrects the entry plate, whose first reading stays known', async () => {
    const { id } = await begin({ entry_license_plate: 'ZG1234A8' });
    occupied();
    await cloud.clock.advance(1_000);
    const corrected = await session('PATCH', `/v2/sessions/${id}`, { entry_license_plate: 'ZG 1234-AB' });
    expect(corrected.entry_license_plate).toMatchObject({ id: 1, plate: 'ZG 1234-AB' });
    expect(occupied()).toMatchObject([
      { event: 'session_update', payload: { entry_license_plate: { id: 1, plate: 'ZG 1234-AB' } } },
    ]);
    expect((await details(id)).plate_readings).toEqual([
      expect.objectContaining({
        plate: 'ZG 1234-AB',
        original_plate: 'ZG1234A8',
        corrected_by: site.owner,
        corrected_at: iso(now + 1_000),
      }),
    ]);
    expect(cloud.changedLots).toHaveLength(2);
    await session('PATCH', `/v2/sessions/${id}`, { entry_license_plate: 'ZG5' });
    expect((await details(id)).plate_readings[0]).toMatchObject({ plate: 'ZG5', original_plate: 'ZG1234A8' });
    await begin({ entry_license_plate: 'ZG1234AB' });
  });

  it('gives a plate to a session that began without one', async () => {
    const { id } = await begin({ created_at: iso(now - HOUR) });
    const changed = await session('PATCH', `/v2/sessions/${id}`, { entry_license_plate: 'ZG7' });
    expect(changed.entry_license_plate).toMatchObject({ plate: 'ZG7' });
    expect((await details(id)).plate_readings).toMatchObject([
      { plate: 'ZG7', direction: 'in', session_id: id, created_at: iso(now - HOUR), original_plate: null },
    ]);
  });

  it('keeps one open session for a plate', async () => {
    await begin({ entry_license_plate: 'ZG1' });
    const { id } = await begin({ entry_license_plate: 'ZG2' });
    const asked = { entry_license_plate: 'zg-1', discount_time: 5 };
    expect(await refusal('PATCH', `/v2/sessions/${id}`, asked)).toEqual([422, [[23, 'entry_license_plate']]]);
    expect(await details(id)).toMatchObject({ discount_time: null, entry_license_plate: { plate: 'ZG2' } });
    await session('PATCH', `/v2/sessions/${id}`, { entry_license_plate: 'zg 2' });
  });

  it('changes nothing and tells nothing when the body is empty', async () => {
    const begun = await begin();
    occupied();
    await cloud.clock.advance(1);
    expect(await session('PATCH', `/v2/sessions/${begun.id}`, {})).toEqual(begun);
    expect(occupied()).toEqual([]);
  });

  it('refuses an ended session, after the faults of the body', async () => {
    const { id } = await begin();
    await session('POST', `/v2/sessions/${id}/close`);
    for (const json of [{}, { discount_time: 5 }, { entry_license_plate: 'ZG1' }]) {
      expect(await refusal('PATCH', `/v2/sessions/${id}`, json)).toEqual([422, [[23, 'ended_at']]]);
    }
    expect(await refusal('PATCH', `/v2/sessions/${id}`, { discount_time: -5, zone_id: 1 })).toEqual([
      422,
      [
        [23, 'discount_time'],
        [23, 'zone_id'],
      ],
    ]);
  });
});

describe('POST /v2/sessions/{id}/close', () => {
  it('ends the session now, without a body', async () => {
    const { id } = await begin({ entry_license_plate: 'ZG1', created_at: iso(now - 2 * HOUR) });
    occupied();
    const closed = await session('POST', `/v2/sessions/${id}/close`, undefined, API_TOKEN);
    expect(closed).toMatchObject({
      ended_at: iso(now),
      duration: 2 * 3_600,
      exit_allowed: false,
      possibly_exited: null,
      exit: { id: site.harbour, type: 'account' },
      exit_license_plate: null,
      amount_due: 3,
    });
    expect(occupied()).toMatchObject([
      {
        event: 'session_update',
        payload: { id, ended_at: iso(now), exit: closed.exit, exit_allowed: false, duration: 7_200 },
      },
    ]);
    expect(cloud.changedLots).toEqual([site.north, site.north]);
    await cloud.clock.advance(HOUR);
    expect(await details(id)).toMatchObject({ duration: 7_200, amount_due: 3 });
  });

  it('may say when, and with which plate', async () => {
    const { id } = await begin({ entry_license_plate: 'ZG1', created_at: iso(now - 2 * HOUR) });
    const asked = { ended_at: iso(now - HOUR), exit_license_plate: 'ZG 1' };
    const closed = await session('POST', `/v2/sessions/${id}/close`, asked, GUARD_TOKEN);
    expect(closed).toMatchObject({
      ended_at: iso(now - HOUR),
      duration: 3_600,
      exit: { id: site.guard, type: 'attendant' },
      exit_license_plate: { id: 2, plate: 'ZG 1' },
    });
    expect((await details(id)).plate_readings).toMatchObject([
      { id: 1, direction: 'in' },
      { id: 2, plate: 'ZG 1', direction: 'out', created_at: iso(now - HOUR), session_id: id },
    ]);
  });

  it.each([-2 * HOUR - 1, 1, HOUR])('refuses an end outside the session (%d ms from now)', async (offset) => {
    const { id } = await begin({ created_at: iso(now - 2 * HOUR) });
    const asked = { ended_at: iso(now + offset) };
    expect(await refusal('POST', `/v2/sessions/${id}/close`, asked)).toEqual([422, [[23, 'ended_at']]]);
  });

  it('takes the very beginning and now', async () => {
    for (const ended of [now - HOUR, now]) {
      const { id } = await begin({ created_at: iso(now - HOUR) });
      expect(await session('POST', `/v2/sessions/${id}/close`, { ended_at: iso(ended) })).toMatchObject({
        ended_at: iso(ended),
      });
    }
  });

  it('answers an ended session as it is, and tells nothing', async () => {
    const { id } = await begin({ created_at: iso(now - HOUR) });
    const closed = await session('POST', `/v2/sessions/${id}/close`);
    occupied();
    const asked = { ended_at: iso(now - 5 * HOUR), exit_license_plate: 'ZG9' };
    expect(await session('POST', `/v2/sessions/${id}/close`, asked)).toEqual(closed);
    expect(occupied()).toEqual([]);
    expect(cloud.changedLots).toHaveLength(2);
    expect(await refusal('POST', `/v2/sessions/${id}/close`, { ended_at: 'now' })).toEqual([422, [[23, 'ended_at']]]);
  });

  it('is done once when a hundred ask at once', async () => {
    const { id } = await begin({ entry_license_plate: 'ZG1' });
    occupied();
    const path = `/v2/sessions/${id}/close`;
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => session('POST', path, { exit_license_plate: 'ZG1' })),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(occupied()).toHaveLength(1);
    expect((await details(id)).plate_readings).toHaveLength(2);
  });
});

describe('POST /v2/sessions/{id}/payments', () => {
  it('adds to what was paid, with an event', async () => {
    const { id } = await begin({ created_at: iso(now - 3 * HOUR) });
    occupied();
    expect(await session('POST', `/v2/sessions/${id}/payments`, { amount: 1.01, reference: 'till 4' })).toMatchObject({
      amount_paid: 1.01,
      amount_due: 3.49,
    });
    expect(occupied()).toMatchObject([{ event: 'session_update', payload: { id, amount_paid: 1.01 } }]);
    const more = { amount: 10, overpays: true };
    const paid = await session('POST', `/v2/sessions/${id}/payments`, more, API_TOKEN);
    expect(paid).toMatchObject({ amount_paid: 11.01, overpaid: 6.51 });
    const payments = await cloud.store.reader.selectFrom('session_payments').selectAll().execute();
    expect(payments).toMatchObject([
      { session_id: id, amount_minor: 101, reference: 'till 4', source_type: 'attendant', source_id: site.owner },
      { session_id: id, amount_minor: 1_000, reference: null, source_type: 'account', source_id: site.harbour },
    ]);
  });

  it('counts whole units of a currency that has no smaller ones', async () => {
    const id = await seed({
      created_at: now - 3 * HOUR,
      zone_id: site.southZone,
      lot_id: site.south,
      tariff_id: site.yen,
    });
    expect(await session('POST', `/v2/sessions/${id}/payments`, { amount: 100 })).toMatchObject({
      currency: 'JPY',
      amount_paid: 100,
      amount_due: 350,
    });
    expect(await refusal('POST', `/v2/sessions/${id}/payments`, { amount: 99.5 })).toEqual([422, [[23, 'amount']]]);
  });

  it('loses none of a hundred at once', async () => {
    const { id } = await begin();
    const pay = () => session('POST', `/v2/sessions/${id}/payments`, { amount: 0.1, overpays: true });
    await Promise.all(Array.from({ length: 100 }, pay));
    expect(await details(id)).toMatchObject({ amount_paid: 10 });
  });

  it('is taken of an ended session too, and of none without a tariff', async () => {
    const { id } = await begin({ created_at: iso(now - 2 * HOUR) });
    await session('POST', `/v2/sessions/${id}/close`);
    expect(await session('POST', `/v2/sessions/${id}/payments`, { amount: 3 })).toMatchObject({ amount_due: 0 });
    const free = await seed({ created_at: now, tariff_id: null });
    expect(await refusal('POST', `/v2/sessions/${free}/payments`, { amount: 1 })).toEqual([422, [[23, 'amount']]]);
  });

  it.each([
    [{}, 'amount'],
    [{ amount: 0 }, 'amount'],
    [{ amount: -1 }, 'amount'],
    [{ amount: '1' }, 'amount'],
    [{ amount: 1e10 }, 'amount'],
    [{ amount: 1, reference: 7 }, 'reference'],
    [{ amount: 1, currency: 'EUR' }, 'currency'],
  ])('refuses %j', async (json, field) => {
    const { id } = await begin();
    expect(await refusal('POST', `/v2/sessions/${id}/payments`, json)).toEqual([422, [[23, field]]]);
  });
});

describe('a session of somebody else', () => {
  it.each([
    ['PATCH', ''],
    ['POST', '/close'],
    ['POST', '/payments'],
  ])('%s %s: is not there, whatever the body', async (method, path) => {
    const south = await seed({ created_at: now, lot_id: site.south, zone_id: site.southZone });
    const json = { amount: 'wrong' };
    const missing = [404, [6]];
    expect(await refusal(method, `/v2/sessions/${south}${path}`, json, GUARD_TOKEN)).toEqual(missing);
    expect(await refusal(method, `/v2/sessions/${south}${path}`, json, RIVAL_TOKEN)).toEqual(missing);
    expect(await refusal(method, `/v2/sessions/999${path}`, json)).toEqual(missing);
    expect(await refusal(method, `/v2/sessions/one${path}`, json)).toEqual(missing);
    expect((await cloud.ask(method, `/v2/sessions/${south}${path}`)).status).toBe(401);
    expect((await refusal(method, `/v2/sessions/${south}${path}`, json))[0]).toBe(422);
  });
});

describe('GET /v2/tariffs/{id}/quote', () => {
  const quote = (query: string, token = OWNER_TOKEN) =>
    ask('GET', `/v2/tariffs/${site.tariff}/quote?${query}`, undefined, token);

  it('quotes what a stay would cost', async () => {
    const { body } = await quote('start=2026-01-15T12:00:00Z&end=2026-01-15T14:00:01.500Z');
    expect(body).toEqual({
      success: true,
      data: {
        tariff_id: site.tariff,
        zone_id: null,
        timezone: 'Europe/Zagreb',
        currency: 'EUR',
        amount: 4.5,
        duration: 7_201,
      },
    });
    expect((await quote('start=2026-01-15T12:00:00Z&end=2026-01-15T12:10:00Z')).body.data).toMatchObject({ amount: 0 });
    expect((await quote('start=2026-01-01&end=2026-01-03', GUARD_TOKEN)).body.data).toMatchObject({ amount: 36 });
  });

  it.each([
    ['', ['start', 'end']],
    ['start=2026-01-15T12:00:00Z', ['end']],
    ['start=noon&end=2026-01-15', ['start']],
    ['start=2026-01-15T12:00:00Z&end=2026-01-15T11:59:59Z', ['end']],
    ['start=1900-01-01&end=2026-01-15', ['end']],
    ['start=2026-01-15&start=2026-01-15&end=2026-01-16', ['start']],
  ])('refuses %j', async (query, fields) => {
    const { status, body } = await quote(query);
    expect([status, body.errors?.map(({ field }) => field)]).toEqual([422, fields]);
  });

  it('is of the own account only', async () => {
    expect((await quote('start=2026-01-15&end=2026-01-16', RIVAL_TOKEN)).status).toBe(404);
    expect(await refusal('GET', '/v2/tariffs/999/quote')).toEqual([404, [6]]);
  });
});
