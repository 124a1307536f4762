import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchChecked } from '../../contract/checked-fetch.js';
import { ACCOUNT_USER_ANSWER } from '../../../cloud/site/account/account-user-resource.js';
import { API_TOKEN_ANSWER, newApiTokenSchema } from '../../../cloud/site/api-token/api-token-resource.js';
import { verifyAudit } from '../../../cloud/kernel/audit/audit-chain-queries.js';
import type { TokenReference } from '../../../cloud/kernel/auth/caller.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, PASSWORD, RIVAL_TOKEN, seedSite, type Site } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';

const outcome = async (asked: ReturnType<CloudWorld['ask']>) => {
  const { status, body } = await asked;
  return [status, ...(body.errors ?? []).map(({ code, field }) => (field === undefined ? code : `${code} ${field}`))];
};

describe('API tokens and account users', () => {
  let cloud: CloudWorld;
  let site: Site;
  const revoked: TokenReference[] = [];

  beforeAll(async () => {
    cloud = await startCloudWorld({ loginFailuresPerMin: 3 });
    site = await seedSite(cloud.store);
    cloud.revocations.onRevoked((tokens) => revoked.push(...tokens));
  });
  afterAll(() => cloud.close());

  const login = async (email: string, password = PASSWORD) => {
    const { body } = await cloud.ask('POST', '/v2/auth/login', { json: { email, password } });
    return (body.data as { token: string }).token;
  };
  const createUser = async (email: string, keys: Record<string, unknown> = {}) => {
    const json = { email, name: 'A user', password: PASSWORD, role_id: 3, ...keys };
    const { status, body } = await cloud.ask('POST', '/v2/account-users', { token: OWNER_TOKEN, json });
    expect(status).toBe(200);
    return ACCOUNT_USER_ANSWER.schema.parse(body.data);
  };

  it('shows the value of an API token once, and revokes it with its connections', async () => {
    const { body } = await cloud.ask('POST', '/v2/api-tokens', { token: OWNER_TOKEN, json: { name: 'console' } });
    const { token, ...made } = newApiTokenSchema.parse(body.data);
    expect(made).toMatchObject({ name: 'console', account_id: site.harbour });
    expect((await cloud.ask('GET', '/v2/sessions', { token: token ?? '' })).status).toBe(200);

    const list = await cloud.ask('GET', '/v2/api-tokens', { token: OWNER_TOKEN });
    expect(API_TOKEN_ANSWER.schema.array().parse(list.body.data)[0]).toEqual(made);
    expect(JSON.stringify(list.body)).not.toContain(token);

    const gone = await cloud.ask('DELETE', `/v2/api-tokens/${made.id}`, { token: OWNER_TOKEN });
    expect(gone.body).toEqual({ success: true, data: made });
    expect(revoked).toContainEqual({ kind: 'api', token_id: made.id });
    expect(await outcome(cloud.ask('GET', '/v2/sessions', { token: token ?? '' }))).toEqual([401, 1]);
    expect(await outcome(cloud.ask('DELETE', `/v2/api-tokens/${made.id}`, { token: OWNER_TOKEN }))).toEqual([404, 6]);
  });

  it.each([
    ['POST', '/v2/api-tokens'],
    ['GET', '/v2/api-tokens'],
    ['DELETE', '/v2/api-tokens/1'],
  ])('lets no API token and no lower role %s %s', async (method, path) => {
    for (const token of [API_TOKEN, GUARD_TOKEN]) {
      expect(await outcome(cloud.ask(method, path, { token }))).toEqual([403, 4]);
    }
  });

  it("does not find another account's API token", async () => {
    const { body } = await cloud.ask('GET', '/v2/api-tokens', { token: await login('owner@rival.example') });
    const [foreign] = API_TOKEN_ANSWER.schema.array().parse(body.data);
    expect(await outcome(cloud.ask('DELETE', `/v2/api-tokens/${foreign?.id}`, { token: OWNER_TOKEN }))).toEqual([
      404, 6,
    ]);
    expect((await cloud.ask('GET', '/v2/account-users', { token: RIVAL_TOKEN })).status).toBe(200);
  });

  it('makes a user who can log in, with lots of the account', async () => {
    const user = await createUser('  Clerk@Harbour.example ', { lot_ids: [site.south], phone: '+385 1' });
    expect(user).toMatchObject({
      email: 'clerk@harbour.example',
      account_user_role: { id: 3, name: 'Attendant' },
      account: { id: site.harbour, account_role: { name: 'Owner' }, authorities: [] },
      lots: [{ id: site.south, name: 'South' }],
    });
    expect(await login('clerk@harbour.example')).toMatch(/^[\w-]{43}$/);
    const shown = await cloud.ask('GET', `/v2/account-users/${user.id}`, { token: OWNER_TOKEN });
    expect(shown.body.data).toEqual(user);
    expect(JSON.stringify(shown.body)).not.toContain('argon2');
  });

  it('refuses a taken email, foreign lots, a short password and unknown keys, naming each', async () => {
    const make = (keys: object) =>
      outcome(
        cloud.ask('POST', '/v2/account-users', {
          token: OWNER_TOKEN,
          json: { email: 'x@harbour.example', name: 'x', password: PASSWORD, role_id: 2, ...keys },
        }),
      );
    expect(await make({ email: 'Guard@harbour.example' })).toEqual([422, '23 email']);
    expect(await make({ lot_ids: [site.north, site.rivalLot, 99_999] })).toEqual([422, '23 lot_ids.1', '23 lot_ids.2']);
    expect(await make({ email: 'x', lot_ids: [99_999] })).toEqual([422, '23 email', '23 lot_ids.0']);
    expect(await make({ password: 'short', role_id: 4, admin: true })).toEqual([
      422,
      '23 password',
      '23 role_id',
      '23 admin',
    ]);
  });

  it('changes role, lots and password; a new password ends the tokens of the user', async () => {
    const user = await createUser('shift@harbour.example', { lot_ids: [site.north] });
    const token = await login('shift@harbour.example');
    const change = (json: object) => cloud.ask('PATCH', `/v2/account-users/${user.id}`, { token: OWNER_TOKEN, json });
    expect((await change({ role_id: 2, lot_ids: [] })).body.data).toMatchObject({
      account_user_role: { name: 'Admin' },
      lots: [],
    });
    expect((await change({ name: 'Renamed' })).body.data).toMatchObject({ name: 'Renamed', phone: '' });
    expect((await cloud.ask('GET', '/v2/account-users', { token })).status).toBe(200);
    expect(await outcome(cloud.ask('POST', '/v2/account-users', { token, json: {} }))).toEqual([403, 4]);
    await change({ password: 'another pass phrase' });
    expect(await outcome(cloud.ask('GET', '/v2/account-users', { token }))).toEqual([401, 1]);
    expect(await login('shift@harbour.example', 'another pass phrase')).toMatch(/./);
  });

  it('deletes a user with its tokens', async () => {
    const user = await createUser('leaver@harbour.example');
    const token = await login('leaver@harbour.example');
    expect((await cloud.ask('DELETE', `/v2/account-users/${user.id}`, { token: OWNER_TOKEN })).body.data).toEqual(user);
    expect(await outcome(cloud.ask('GET', '/v2/sessions', { token }))).toEqual([401, 1]);
    expect(await outcome(cloud.ask('GET', `/v2/account-users/${user.id}`, { token: OWNER_TOKEN }))).toEqual([404, 6]);
  });

  it('tells the audit log who made and ended what, in a whole chain', async () => {
    const user = await createUser('audited@harbour.example');
    await cloud.ask('DELETE', `/v2/account-users/${user.id}`, { token: OWNER_TOKEN });
    const { body } = await cloud.ask('GET', '/v2/audit-log?size=2', { token: OWNER_TOKEN });
    const target = `account user ${user.id}`;
    expect(body.data).toMatchObject([
      { action: 'account_user.delete', target, actor_type: 'user', actor_id: site.owner },
      { action: 'account_user.create', target, actor_type: 'user', actor_id: site.owner },
    ]);
    expect(await verifyAudit(cloud.store.reader, cloud.secrets.derive('audit_log'))).toMatchObject({ broken: null });
    const others = (await cloud.ask('GET', '/v2/audit-log', { token: RIVAL_TOKEN })).body.data;
    expect((others as { account_id: number }[]).filter(({ account_id }) => account_id !== site.rival)).toEqual([]);
  });

  it("shows Attendants no users, and nobody another account's", async () => {
    expect(await outcome(cloud.ask('GET', '/v2/account-users', { token: GUARD_TOKEN }))).toEqual([403, 4]);
    const rival = await login('owner@rival.example');
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const asked = cloud.ask(method, `/v2/account-users/${site.owner}`, { token: rival });
      expect([method, await outcome(asked)]).toEqual([method, [404, 6]]);
    }
  });

  it('lets everybody change the own profile; a password needs the old one and ends the other tokens', async () => {
    const user = await createUser('own@harbour.example');
    const token = await login('own@harbour.example');
    const profile = (json: object) => cloud.ask('PATCH', '/v2/account-users/profile', { token, json });
    expect((await profile({ name: 'Own', phone: '1' })).body.data).toMatchObject({ id: user.id, name: 'Own' });
    expect(await outcome(profile({ role_id: 1 }))).toEqual([422, '23 role_id']);
    expect(await outcome(profile({ password: 'a new pass phrase' }))).toEqual([422, '23 old_password']);
    expect(await outcome(profile({ password: 'OWN@harbour.example', old_password: PASSWORD }))).toEqual([
      422,
      '23 password',
    ]);

    await cloud.store.change(async (tx) => {
      const row = {
        account_user_id: user.id,
        type: 'other',
        token_hash: 'of another program',
        created_at: 1,
        expires_at: Number.MAX_SAFE_INTEGER,
      };
      await tx.insertInto('user_tokens').values(row).execute();
    });
    const before = revoked.length;
    expect((await profile({ password: 'a new pass phrase', old_password: PASSWORD })).status).toBe(200);
    expect(revoked.slice(before)).toHaveLength(1);
    expect((await profile({ phone: '2' })).status).toBe(200);

    const wrong = { password: 'never', old_password: 'guess' };
    const guesses = [];
    for (let guess = 0; guess < 4; guess += 1) {
      guesses.push((await outcome(profile({ ...wrong, password: 'never used' }))).join(' '));
    }
    expect(guesses.at(-1)).toBe('429 429');
    expect(guesses[0]).toBe('422 23 old_password');
  });
});

describe('limits, origins, measurements', () => {
  it('refuses the request after the last of the minute, per token, and says when to come again', async () => {
    const cloud = await startCloudWorld({ requestsPerMin: 3 });
    await seedSite(cloud.store);
    const ask = (token: string) => cloud.ask('GET', '/v2/sessions', { token });
    for (let count = 0; count < 3; count += 1) expect((await ask(OWNER_TOKEN)).status).toBe(200);
    await cloud.clock.advance(20_000);
    const refused = await ask(OWNER_TOKEN);
    expect([refused.status, refused.body.errors?.[0]?.code, refused.headers.get('retry-after')]).toEqual([
      429,
      429,
      '40',
    ]);
    expect((await ask(API_TOKEN)).status).toBe(200);
    await cloud.clock.advance(40_000);
    expect((await ask(OWNER_TOKEN)).status).toBe(200);
    await cloud.close();
  });

  it('answers pages of the configured origins only', async () => {
    const open = await startCloudWorld({ corsOrigins: ['https://console.example'] });
    const closed = await startCloudWorld();
    const preflight = async (cloud: CloudWorld, origin: string) => {
      const headers = { origin, 'access-control-request-method': 'PATCH' };
      const response = await fetch(`${cloud.base}/v2/sessions`, { method: 'OPTIONS', headers });
      return [response.status, response.headers.get('access-control-allow-origin')];
    };
    expect(await preflight(open, 'https://console.example')).toEqual([204, 'https://console.example']);
    expect((await preflight(open, 'https://evil.example'))[1]).toBeNull();
    expect(await preflight(closed, 'https://console.example')).toEqual([404, null]);
    const headers = { origin: 'https://console.example' };
    const refused = await open.ask('GET', '/v2/sessions', { headers });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, headers.origin]);
    await open.close();
    await closed.close();
  });

  it('tells its measurements to this machine, not to what a proxy forwards', async () => {
    const cloud = await startCloudWorld();
    await seedSite(cloud.store);
    await cloud.ask('GET', '/v2/products/7', { token: OWNER_TOKEN });
    await cloud.ask('GET', '/v2/nothing');
    const response = await fetchChecked(`${cloud.base}/metrics`);
    const text = await response.text();
    expect(response.headers.get('content-type')).toContain('text/plain');
    expect(text).toContain(
      'parking_http_request_duration_seconds_count{method="GET",route="/v2/products/{id}",status="404"} 1',
    );
    expect(text).toContain('{method="any",route="none",status="404"} 1');
    for (const header of ['X-Forwarded-For', 'Forwarded']) {
      expect(await outcome(cloud.ask('GET', '/metrics', { headers: { [header]: '203.0.113.7' } }))).toEqual([404, 6]);
    }
    await cloud.close();
    const shared = await startCloudWorld({ metricsPublic: true });
    const forwarded = await fetchChecked(`${shared.base}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect(forwarded.status).toBe(200);
    await shared.close();
  });
});
