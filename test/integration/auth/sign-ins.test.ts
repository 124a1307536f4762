/** Sign-ins on several devices: which stay, which end, and who sees them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_TOKEN, OWNER_TOKEN, PASSWORD, seedSite, type Site } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { connectRealtime } from '../realtime/listening-client.js';
import { HOUR_MS } from '../../../shared/durations.js';

const GUARD = 'guard@harbour.example';
const PATH = '/v2/auth/sign-ins';

interface SignIn {
  id: number;
  device: string | null;
  created_at: string;
  last_used_at: string;
  is_current: boolean;
}

let cloud: CloudWorld;
let site: Site;

beforeEach(async () => {
  cloud = await startCloudWorld();
  site = await seedSite(cloud.store);
});
afterEach(() => cloud.close());

const logIn = (given: object) =>
  cloud.ask('POST', '/v2/auth/login', { json: { email: GUARD, password: PASSWORD, ...given } });
const tokenOf = async (device?: string) => ((await logIn({ device })).body.data as { token: string }).token;
const signInsOf = async (token: string) => (await cloud.ask('GET', PATH, { token })).body.data as unknown as SignIn[];
const statusWith = async (token: string) => (await cloud.ask('GET', '/v2/lots', { token })).status;
const listen = (token: string) =>
  connectRealtime(cloud.base, { client: { headers: { authorization: `Bearer ${token}` } } });

describe('a sign-in that names its device', () => {
  it('leaves the others, and is listed by its name with its times', async () => {
    const desk = await tokenOf('Firefox on Windows');
    const begun = new Date(cloud.clock.now()).toISOString();
    cloud.clock.jumpWall(2 * HOUR_MS);
    const phone = await tokenOf('  Safari on iPhone ');
    expect([await statusWith(desk), await statusWith(phone)]).toEqual([200, 200]);
    const now = new Date(cloud.clock.now()).toISOString();
    await expect
      .poll(() => signInsOf(desk))
      .toMatchObject([
        { device: 'Safari on iPhone', created_at: now, last_used_at: now, is_current: false },
        { device: 'Firefox on Windows', created_at: begun, last_used_at: now, is_current: true },
        // The one of the site, from before.
        { device: null, is_current: false },
      ]);
  });

  it('ends the oldest beyond ten, with its sockets', async () => {
    const first = await tokenOf('0');
    const client = await listen(first);
    const tokens = [];
    for (let device = 1; device < 10; device++) tokens.push(await tokenOf(String(device)));
    expect(await statusWith(first)).toBe(200);
    tokens.push(await tokenOf('10'));
    expect(await client.closed).toBe(4401);
    expect(await statusWith(first)).toBe(401);
    for (const token of tokens) expect(await statusWith(token)).toBe(200);
    expect((await signInsOf(tokens[0] ?? '')).map(({ device }) => device)).toEqual([
      '10',
      '9',
      '8',
      '7',
      '6',
      '5',
      '4',
      '3',
      '2',
      '1',
    ]);
  });

  it.each(['', ' ', 'a'.repeat(101), 'two\nlines', 5])('has a name, and not %j', async (device) => {
    const { status, body } = await logIn({ device });
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'device']);
  });
});

describe('a sign-in without a device', () => {
  it('ends all others', async () => {
    const desk = await tokenOf('Firefox on Windows');
    const alone = await tokenOf();
    expect([await statusWith(desk), await statusWith(alone)]).toEqual([401, 200]);
    expect(await signInsOf(alone)).toMatchObject([{ device: null, is_current: true }]);
  });
});

describe('ending sign-ins', () => {
  it('ends one, with its sockets, and says so in the audit log', async () => {
    const desk = await tokenOf('desk');
    const phone = await tokenOf('phone');
    const client = await listen(phone);
    const [{ id } = { id: 0 }] = await signInsOf(desk);
    const { status, body } = await cloud.ask('DELETE', `${PATH}/${id}`, { token: desk });
    expect([status, body.data]).toMatchObject([200, { id, device: 'phone' }]);
    expect(await client.closed).toBe(4401);
    expect([await statusWith(phone), await statusWith(desk)]).toEqual([401, 200]);
    expect((await cloud.ask('DELETE', `${PATH}/${id}`, { token: desk })).status).toBe(404);
    const log = (await cloud.ask('GET', '/v2/audit-log', { token: OWNER_TOKEN })).body.data as object[];
    expect(log[0]).toMatchObject({
      action: 'auth.end_sign_in',
      actor_id: site.guard,
      target: `account user ${site.guard}`,
      details: { device: 'phone' },
    });
  });

  it('ends all but the one that asks', async () => {
    const tokens = [await tokenOf('desk'), await tokenOf('tablet')];
    const phone = await tokenOf('phone');
    const { body } = await cloud.ask('DELETE', PATH, { token: phone });
    // With the one of the site.
    expect(body.data).toEqual({ ended_count: 3 });
    for (const token of tokens) expect(await statusWith(token)).toBe(401);
    expect(await signInsOf(phone)).toMatchObject([{ device: 'phone', is_current: true }]);
    expect((await cloud.ask('DELETE', PATH, { token: phone })).body.data).toEqual({ ended_count: 0 });
  });

  it('ends nobody else’s, and is for people', async () => {
    const desk = await tokenOf('desk');
    const [{ id } = { id: 0 }] = await signInsOf(desk);
    expect((await cloud.ask('DELETE', `${PATH}/${id}`, { token: OWNER_TOKEN })).status).toBe(404);
    expect((await cloud.ask('DELETE', PATH, { token: API_TOKEN })).status).toBe(403);
    expect(await statusWith(desk)).toBe(200);
    const owner = await signInsOf(OWNER_TOKEN);
    expect(owner.map((each) => each.is_current)).toEqual([true]);
  });
});
