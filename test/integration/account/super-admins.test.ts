/** Who may write account users, and that every account keeps a Super Admin. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT_USER_ANSWER } from '../../../cloud/site/account/account-user-resource.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, PASSWORD, seedSite, type Site } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';

let cloud: CloudWorld;
let site: Site;

beforeEach(async () => {
  cloud = await startCloudWorld();
  site = await seedSite(cloud.store);
});
afterEach(() => cloud.close());

const asked = async (method: string, path: string, token: string, json?: unknown) => {
  const { status, body } = await cloud.ask(method, path, { token, ...(json === undefined ? {} : { json }) });
  return [status, ...(body.errors ?? []).map(({ code, field }) => (field === undefined ? code : `${code} ${field}`))];
};
const ofUser = (id: number) => `/v2/account-users/${id}`;
const newUser = (keys: object = {}) => ({
  email: 'second@harbour.example',
  name: 'Second',
  password: PASSWORD,
  role_id: 1,
  ...keys,
});
const createUser = async (keys: object = {}): Promise<number> => {
  const { body } = await cloud.ask('POST', '/v2/account-users', { token: OWNER_TOKEN, json: newUser(keys) });
  return ACCOUNT_USER_ANSWER.schema.parse(body.data).id;
};
const login = async (email: string, password = PASSWORD): Promise<string> => {
  const { body } = await cloud.ask('POST', '/v2/auth/login', { json: { email, password } });
  return (body.data as { token: string }).token;
};

describe('an API token', () => {
  it('reads account users and writes none, whatever the body or the id', async () => {
    expect(await asked('GET', '/v2/account-users', API_TOKEN)).toEqual([200]);
    expect(await asked('GET', ofUser(site.guard), API_TOKEN)).toEqual([200]);
    expect(await asked('POST', '/v2/account-users', API_TOKEN, newUser())).toEqual([403, 4]);
    expect(await asked('PATCH', ofUser(site.guard), API_TOKEN, { password: 'its own pass phrase' })).toEqual([403, 4]);
    expect(await asked('PATCH', ofUser(999_999), API_TOKEN, { colour: 'red' })).toEqual([403, 4]);
    expect(await asked('DELETE', ofUser(site.guard), API_TOKEN)).toEqual([403, 4]);
    expect(await asked('PATCH', '/v2/account-users/profile', API_TOKEN, { name: 'Another' })).toEqual([403, 4]);
    expect(await asked('GET', ofUser(site.guard), GUARD_TOKEN)).toEqual([403, 4]);
  });
});

describe('the last Super Admin of an account', () => {
  it('is neither deleted nor given another role', async () => {
    const owner = ofUser(site.owner);
    expect(await asked('DELETE', owner, OWNER_TOKEN)).toEqual([422, '23 id']);
    expect(await asked('PATCH', owner, OWNER_TOKEN, { role_id: 2 })).toEqual([422, '23 role_id']);
    // What the body says wrongly comes first.
    expect(await asked('PATCH', owner, OWNER_TOKEN, { role_id: 2, lot_ids: [999_999] })).toEqual([422, '23 lot_ids.0']);
    expect(await asked('PATCH', owner, OWNER_TOKEN, { role_id: 1, name: 'Olga' })).toEqual([200]);
    expect(await asked('DELETE', ofUser(site.guard), OWNER_TOKEN)).toEqual([200]);
  });

  it('is the last one only as long as there is no other', async () => {
    await createUser();
    expect(await asked('PATCH', ofUser(site.owner), OWNER_TOKEN, { role_id: 2 })).toEqual([200]);
    const second = await login('second@harbour.example');
    expect(await asked('DELETE', ofUser(site.owner), second)).toEqual([200]);
  });

  it.each([
    ['delete', 'DELETE', undefined, '23 id'],
    ['demote', 'PATCH', { role_id: 3 }, '23 role_id'],
  ])('stays when two %s each other at once', async (_what, method, json, refusal) => {
    const other = await createUser();
    const otherToken = await login('second@harbour.example');
    // Both callers are known before either is asked, as with two requests that arrive together.
    const both = await Promise.all([
      asked(method, ofUser(other), OWNER_TOKEN, json),
      asked(method, ofUser(site.owner), otherToken, json),
    ]);
    const lost = both.find(([status]) => status !== 200);
    expect(both.filter(([status]) => status === 200)).toHaveLength(1);
    // The slower one may already be somebody who has no right, or no token, any more.
    expect([
      [422, refusal],
      [403, 4],
      [401, 1],
    ]).toContainEqual(lost);
    const { total } = await cloud.store.reader
      .selectFrom('account_users')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('account_id', '=', site.harbour)
      .where('account_user_role_id', '=', 1)
      .executeTakeFirstOrThrow();
    expect(Number(total)).toBe(1);
  });
});

describe("one's own password", () => {
  it('takes the old one by the id, too, and keeps the token of the request', async () => {
    const own = ofUser(site.owner);
    const password = 'a new pass phrase';
    expect(await asked('PATCH', own, OWNER_TOKEN, { password })).toEqual([422, '23 old_password']);
    expect(await asked('PATCH', own, OWNER_TOKEN, { password, old_password: 'guess' })).toEqual([
      422,
      '23 old_password',
    ]);
    expect(await asked('PATCH', own, OWNER_TOKEN, { password, old_password: PASSWORD, name: 'Olga' })).toEqual([200]);
    expect(await asked('GET', own, OWNER_TOKEN)).toEqual([200]);
    expect(await login('owner@harbour.example', password)).toMatch(/./);
  });

  it("is not asked for another's", async () => {
    const password = 'a new pass phrase';
    expect(await asked('PATCH', ofUser(site.guard), OWNER_TOKEN, { password })).toEqual([200]);
    expect(await login('guard@harbour.example', password)).toMatch(/./);
  });

  it('counts guesses by the id and of the profile together', async () => {
    const wrong = { password: 'never used', old_password: 'guess' };
    const answers = [];
    for (let guess = 0; guess < 6; guess += 1) {
      const path = guess % 2 === 0 ? ofUser(site.owner) : '/v2/account-users/profile';
      answers.push((await asked('PATCH', path, OWNER_TOKEN, wrong)).join(' '));
    }
    expect(answers.at(-1)).toBe('429 429');
  });
});
