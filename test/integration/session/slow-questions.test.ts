/** One account asks what takes long, and never reads it; another one is answered meanwhile. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askSlowLists, slowListPath } from '../../attack/slow-lists.js';
import { askAndNotRead } from '../../attack/unread-answers.js';
import { runs, runsTimeoutMs } from '../../depth.js';
import { OWNER_TOKEN, RIVAL_TOKEN } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { settle } from '../../world/fake-clock.js';
import { seedSessionSite, sessionRow } from './session-site.js';

/** Much more than the buffers of a connection hold, as CSV. */
const SESSIONS = 50_000;
const EXPORT = '/v2/sessions/export';

let cloud: CloudWorld;
let harbour: number;

beforeAll(async () => {
  cloud = await startCloudWorld();
  const site = await seedSessionSite(cloud);
  harbour = site.harbour;
  await cloud.store.change(async (tx) => {
    const created_at = cloud.clock.now() - 3_600_000;
    await tx
      .insertInto('sessions')
      .values(sessionRow(site, { created_at, ended_at: created_at + 1 }))
      .execute();
    const columns = Object.keys(await tx.selectFrom('sessions').selectAll().executeTakeFirstOrThrow());
    const own = new Set(['id', 'uid', 'public_id', 'plate_normalised']);
    const same = sql.join(columns.filter((column) => !own.has(column)).map((column) => sql.ref(column)));
    await sql`
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${SESSIONS})
      insert into sessions (uid, public_id, plate_normalised, ${same})
      select 'many-' || n, 'M' || n, 'ZG' || n, ${same} from numbers, (select * from sessions limit 1) as one`.execute(
      tx,
    );
  });
});
afterAll(() => cloud.close());

/** What is quick, for another account and for everybody. */
const QUICK = [
  '/v2/sessions',
  '/v2/lots',
  '/v2/tariffs',
  '/v2/events',
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
];

describe('while an account asks what takes long', () => {
  it('another one is answered before it, and so is everybody', async () => {
    const { base, server } = cloud;
    const answered: string[] = [];
    const attacker = { base, token: OWNER_TOKEN };
    const unread = await askAndNotRead({ port: server.port, path: EXPORT, token: OWNER_TOKEN, count: 10 });
    const vehicles = cloud.ask('GET', '/v2/sessions/vehicle-analytics?size=300', { token: OWNER_TOKEN });
    const slow = [...askSlowLists({ ...attacker, count: runs(4) }), vehicles.then(({ status }) => status)];
    for (const answer of slow) void answer.then(() => answered.push('slow'));
    const quick = QUICK.map((path) => cloud.ask('GET', path, { token: RIVAL_TOKEN }));
    for (const answer of quick) void answer.then(() => answered.push('quick'));
    for (const answer of await Promise.all(quick)) expect(answer.status).toBe(200);
    const before = answered.filter((who) => who === 'slow').length;
    expect(await Promise.all(slow)).toEqual(slow.map(() => 200));
    expect(before).toBeLessThan(slow.length / 2);
    await unread.close();
  });

  it('its third export waits until one of the others ends, and one of another account does not', async () => {
    const unread = await askAndNotRead({ port: cloud.server.port, path: EXPORT, token: OWNER_TOKEN, count: 2 });
    let isAnswered = false;
    const third = cloud.ask('GET', EXPORT, { token: OWNER_TOKEN }).finally(() => (isAnswered = true));
    expect((await cloud.ask('GET', EXPORT, { token: RIVAL_TOKEN })).status).toBe(200);
    expect(isAnswered).toBe(false);
    await unread.close();
    const { status, text } = await third;
    expect(status).toBe(200);
    expect(text.split('\r\n')).toHaveLength(1 + 1 + SESSIONS + 1);
  });

  it.each([
    ['page', '/v2/sessions'],
    ['page', '/v2/events'],
    ['sum', '/v2/sessions/analytics'],
    ['sum', '/v2/sessions/vehicle-analytics'],
    ['sum', EXPORT],
  ] as const)('a %s that waits for 30 s is 503 with the seconds to wait: %s', async (kind, path) => {
    const leaving = new AbortController();
    let begun = (): void => {};
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    const held = new Promise<void>((resolve) => leaving.signal.addEventListener('abort', () => resolve()));
    const holding = cloud.store.report({ account_id: harbour, kind, signal: leaving.signal }, () => {
      begun();
      return held;
    });
    await isBegun;
    const timers = cloud.clock.pending;
    const asked = cloud.ask('GET', path, { token: OWNER_TOKEN });
    while (cloud.clock.pending === timers) await settle();
    expect((await cloud.ask('GET', path, { token: RIVAL_TOKEN })).status).toBe(200);
    await cloud.clock.advance(30_000);
    const { status, headers, body } = await asked;
    expect({ status, code: body.errors?.[0]?.code }).toEqual({ status: 503, code: 500 });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    // A refusal is no line in the log: there would be as many as anybody cares to ask.
    expect(cloud.log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    leaving.abort();
    await holding;
  });

  it(
    'many exports that nobody reads leave nothing behind',
    async () => {
      const count = runs(100, 12);
      const unread = await askAndNotRead({ port: cloud.server.port, path: EXPORT, token: OWNER_TOKEN, count });
      expect((await cloud.ask('GET', EXPORT, { token: RIVAL_TOKEN })).status).toBe(200);
      await unread.close();
      expect((await cloud.ask('GET', `${EXPORT}?filter=plate:eq:ZG7`, { token: OWNER_TOKEN })).status).toBe(200);
      expect(cloud.log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
    },
    runsTimeoutMs(30_000),
  );

  it('HEAD of an export holds no turn', async () => {
    for (let time = 0; time < 3; time++) {
      // The document does not name HEAD, so that the answer is not held against it.
      const headers = { authorization: `Bearer ${OWNER_TOKEN}` };
      expect((await fetch(`${cloud.base}${EXPORT}`, { method: 'HEAD', headers })).status).toBe(200);
    }
  });

  it('a client that goes away takes what it waits for with it', async () => {
    const path = slowListPath(0);
    const unread = await askAndNotRead({ port: cloud.server.port, path, token: OWNER_TOKEN, count: 20 });
    await unread.close();
    expect((await cloud.ask('GET', '/v2/sessions', { token: OWNER_TOKEN })).status).toBe(200);
  });
});
