/** Signing in and out, the end of user tokens, and what is kept of sign-ins that fail. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../../cloud/kernel/audit/audit-chain-queries.js';
import {
  AUDITED_NETWORKS_MAX,
  countFailedSignIn,
  endFailedSignIns,
} from '../../../cloud/site/user-token/failed-sign-in-queries.js';
import { startSignInUpkeep } from '../../../cloud/site/user-token/sign-in-upkeep.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, PASSWORD, seedSite, type Site } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld, USER_TOKEN_DAYS } from '../http/http-world.js';
import { madeUpAddress } from '../../attack/made-up-sign-ins.js';
import { connectRealtime } from '../realtime/listening-client.js';
import { DAY_MS, HOUR_MS } from '../../../shared/durations.js';

/** How often the callers of open sockets are looked up. */
const CALLERS_CHECK_MS = 5_000;
const LIFE_MS = USER_TOKEN_DAYS * DAY_MS;
const GUARD = 'guard@harbour.example';

let cloud: CloudWorld;
let site: Site;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  cloud = await startCloudWorld({ trustedProxies: ['127.0.0.1'] });
  site = await seedSite(cloud.store);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await cloud.close();
});

const logIn = (email = GUARD, password = PASSWORD, from = '192.0.2.7') =>
  cloud.ask('POST', '/v2/auth/login', { json: { email, password }, headers: { 'x-forwarded-for': from } });
const tokenOf = async (...given: Parameters<typeof logIn>) =>
  ((await logIn(...given)).body.data as { token: string }).token;
const statusWith = async (token: string) => (await cloud.ask('GET', '/v2/lots', { token })).status;
const listen = (token: string) =>
  connectRealtime(cloud.base, { client: { headers: { authorization: `Bearer ${token}` } } });

function startUpkeep(lifeMs = LIFE_MS) {
  const { store, revocations, clock } = cloud;
  const logger = { debug() {}, info() {}, warn() {}, error: (fields: unknown) => expect(fields).toBeUndefined() };
  const upkeep = startSignInUpkeep({ store, revocations, clock, logger, lifeMs });
  closing.push(() => upkeep.close());
}

const endsOfTokens = async () => {
  const rows = await cloud.store.reader.selectFrom('user_tokens').select('expires_at').orderBy('id').execute();
  return rows.map(({ expires_at }) => expires_at);
};

describe('a user token', () => {
  it('ends so long after its last use, and is used anew by each sign-in', async () => {
    const token = await tokenOf();
    cloud.clock.jumpWall(LIFE_MS - 1);
    expect(await statusWith(token)).toBe(200);
    await expect.poll(endsOfTokens).toContain(cloud.clock.now() + LIFE_MS);
    cloud.clock.jumpWall(LIFE_MS - 1);
    expect(await statusWith(token)).toBe(200);
    await expect.poll(endsOfTokens).toContain(cloud.clock.now() + LIFE_MS);
    cloud.clock.jumpWall(LIFE_MS);
    expect(await statusWith(token)).toBe(401);
    expect(await statusWith(await tokenOf())).toBe(200);
  });

  it('has its uses written once an hour at most', async () => {
    const token = await tokenOf();
    const made = cloud.clock.now();
    for (let minute = 0; minute < 59; minute++) {
      cloud.clock.jumpWall(60_000);
      expect(await statusWith(token)).toBe(200);
    }
    expect(await endsOfTokens()).toContain(made + LIFE_MS);
    cloud.clock.jumpWall(60_000);
    await statusWith(token);
    await expect.poll(endsOfTokens).toContain(made + HOUR_MS + LIFE_MS);
  });

  it('closes its sockets when it ends', async () => {
    const client = await listen(await tokenOf());
    // An open socket is no use of the token: somebody may have left the page open.
    cloud.clock.jumpWall(LIFE_MS - CALLERS_CHECK_MS);
    let closed: number | undefined;
    void client.closed.then((code) => (closed = code));
    // The look at the database takes time of its own, and what it sets goes off with the next move of the clock.
    await cloud.clock.advance(CALLERS_CHECK_MS);
    await expect.poll(() => cloud.clock.advance(1).then(() => closed)).toBe(4401);
  });

  it('is removed within an hour of its end; one whose end is later than it may be ends sooner', async () => {
    const before = cloud.clock.now();
    await tokenOf('owner@harbour.example');
    expect(await endsOfTokens()).toEqual([Number.MAX_SAFE_INTEGER, before + LIFE_MS]);
    cloud.clock.jumpWall(DAY_MS);
    startUpkeep();
    await expect.poll(endsOfTokens).toEqual([before + DAY_MS + LIFE_MS, before + LIFE_MS]);
    cloud.clock.jumpWall(LIFE_MS - DAY_MS - HOUR_MS);
    await cloud.clock.advance(HOUR_MS);
    await expect.poll(endsOfTokens).toEqual([before + DAY_MS + LIFE_MS]);
  });

  it('lives shorter from the start on which says so', async () => {
    await tokenOf('owner@harbour.example');
    startUpkeep(DAY_MS);
    const end = cloud.clock.now() + DAY_MS;
    await expect.poll(endsOfTokens).toEqual([end, end]);
  });
});

describe('signing out', () => {
  it('ends the token that asks, and its sockets', async () => {
    const token = await tokenOf();
    const client = await listen(token);
    const { status, body } = await cloud.ask('POST', '/v2/auth/logout', { token });
    expect([status, body.data]).toEqual([200, { success: true }]);
    expect(await client.closed).toBe(4401);
    expect(await statusWith(token)).toBe(401);
    expect(await statusWith(OWNER_TOKEN)).toBe(200);
    expect((await cloud.ask('POST', '/v2/auth/logout', { token })).status).toBe(401);
    const log = (await cloud.ask('GET', '/v2/audit-log', { token: OWNER_TOKEN })).body.data as object[];
    expect(log[0]).toMatchObject({
      action: 'auth.logout',
      actor_type: 'user',
      actor_id: site.guard,
      target: `account user ${site.guard}`,
    });
  });

  it('is for people', async () => {
    const { status, body } = await cloud.ask('POST', '/v2/auth/logout', { token: API_TOKEN });
    expect([status, body.errors?.[0]?.code]).toEqual([403, 4]);
    expect(await statusWith(API_TOKEN)).toBe(200);
    expect((await cloud.ask('POST', '/v2/auth/logout')).status).toBe(401);
    expect((await cloud.ask('POST', '/v2/auth/logout', { token: GUARD_TOKEN, json: { all: 1 } })).status).toBe(422);
  });
});

describe('a failed sign-in', () => {
  const failures = async () => {
    const rows = await cloud.store.reader
      .selectFrom('audit_log')
      .selectAll()
      .where('action', '=', 'auth.login_failed')
      .orderBy('id')
      .execute();
    return rows.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details) as Record<string, unknown> }));
  };
  const countOfGuard = async () => {
    const row = await cloud.store.reader.selectFrom('sign_in_failures').select('failures_count').executeTakeFirst();
    return row?.failures_count;
  };

  it('is in the audit log of the account, with the address and without the password', async () => {
    expect((await logIn(GUARD, 'a wrong pass phrase', '203.0.113.9')).status).toBe(403);
    await expect.poll(failures).toHaveLength(1);
    const [entry] = await failures();
    expect(entry).toMatchObject({
      account_id: site.harbour,
      actor_type: 'public',
      actor_id: null,
      target: `account user ${site.guard}`,
      details: { address: '203.0.113.9', failures_count: 1 },
    });
    expect(JSON.stringify(entry)).not.toContain('phrase');
    expect((await logIn('new@harbour.example')).status).toBe(403);
    await expect.poll(failures).toHaveLength(2);
    const log = (await cloud.ask('GET', '/v2/audit-log', { token: OWNER_TOKEN })).body.data as object[];
    expect(log.slice(0, 2)).toMatchObject([{ action: 'auth.login_failed' }, { action: 'auth.login_failed' }]);
  });

  /** As many as there may be of one user, who is guessed at faster than the sign-in lets anybody. */
  const fail = async (addresses: readonly string[]) => {
    const failed = { account_user_id: site.guard, account_id: site.harbour, now: cloud.clock.now() };
    for (const address of addresses) await cloud.store.change((tx) => countFailedSignIn(tx, { ...failed, address }));
  };
  const notified = async () => (await failures()).map(({ details }) => [details.failures_count, details.address]);

  it('has an entry of its own, of the first ten within an hour, and of the first from each further network', async () => {
    startUpkeep();
    for (let count = 1; count <= 23; count++) {
      expect((await logIn(GUARD, 'wrong', `192.0.2.${count}`)).status).toBe(count <= 21 ? 403 : 429);
    }
    await expect.poll(countOfGuard).toBe(21);
    expect(await notified()).toEqual(Array.from({ length: 21 }, (_, at) => [at + 1, `192.0.2.${at + 1}`]));
    await fail([...Array.from({ length: 10 }, () => '192.0.2.1'), '198.51.100.1', '198.51.100.1']);
    expect((await notified()).slice(21)).toEqual([[32, '198.51.100.1']]);
    // At the end of the hour the rest is summed up, and it begins anew.
    await cloud.clock.advance(HOUR_MS);
    await expect.poll(countOfGuard).toBeUndefined();
    expect((await notified()).slice(22)).toEqual([[33, '198.51.100.1']]);
    await fail(['192.0.2.1', '192.0.2.1']);
    expect((await notified()).slice(23)).toEqual([
      [1, '192.0.2.1'],
      [2, '192.0.2.1'],
    ]);
    expect(await verifyAudit(cloud.store.reader, cloud.secrets.derive('audit_log'))).toMatchObject({ broken: null });
  });

  it('has few entries however many there are, from however many networks', async () => {
    await fail(Array.from({ length: 1_100 }, (_, at) => madeUpAddress(at)));
    const counts = (await notified()).map(([count]) => count);
    expect(counts).toEqual([...Array.from({ length: AUDITED_NETWORKS_MAX }, (_, at) => at + 1), 100, 1_000]);
    // From one network there are fewer still; addresses of one IPv6 network are one.
    await cloud.store.change((tx) => endFailedSignIns(tx, { before: cloud.clock.now(), now: cloud.clock.now() }));
    const before = (await notified()).length;
    await fail(Array.from({ length: 120 }, (_, at) => `2001:db8:0:1::${at + 1}`));
    expect((await notified()).slice(before).map(([count]) => count)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100]);
  });

  it('with a mail that nobody has is logged, without the mail, once a minute', async () => {
    for (let count = 0; count < 8; count++) await logIn(`nobody-${count}@harbour.example`);
    const lines = () => cloud.log.filter(({ message }) => message.startsWith('sign-ins failed'));
    expect(lines().map(({ fields }) => fields)).toEqual([{ address: '192.0.2.7', failures_count: 1 }]);
    await cloud.clock.advance(60_000);
    await logIn('nobody-9@harbour.example');
    expect(lines().map(({ fields }) => fields.failures_count)).toEqual([1, 8]);
    expect(await failures()).toEqual([]);
  });
});
