import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalServer, startLocalServer } from '../../../agent/console/local-server.js';
import { type ConsolePassword, consoleHeaders, createPageDoor } from '../../../agent/console/page-door.js';
import { verifierOf } from '../../../shared/node/console-password.js';
import type { PasswordVerifier } from '../../../shared/gateway-config.js';
import { FakeClock } from '../../world/fake-clock.js';

const PASSWORD = '7Q4M-0ZKD-1ABC-V3WX';
const HOUR_MS = 3_600_000;

let verifiers: { first: PasswordVerifier; renewed: PasswordVerifier };
let present: ConsolePassword;
let clock: FakeClock;
let server: LocalServer;
let done: string[];

beforeAll(async () => {
  verifiers = { first: await verifierOf(PASSWORD), renewed: await verifierOf(PASSWORD) };
});

beforeEach(async () => {
  clock = new FakeClock();
  done = [];
  present = { is: 'set', verifier: verifiers.first };
  const deviceNames = () => ({ addresses: ['127.0.0.1'], hostName: 'gate-1' });
  const door = createPageDoor({ password: () => present, deviceNames, clock });
  const app = new Hono();
  app.use('/api/*', consoleHeaders);
  app.route('/', door.routes);
  app.get('/api/view', door.signedIn, (context) => context.json({ seen: true }));
  app.post('/api/release', door.signedIn, (context) => {
    done.push('release');
    return context.json({});
  });
  // Nobody asked for a door here: the one before all of them holds.
  app.post('/api/forgotten', (context) => {
    done.push('forgotten');
    return context.json({});
  });
  server = await startLocalServer({ app, host: '127.0.0.1', port: 0 });
});
afterEach(() => server.close());

interface Answer {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

function ask(method: string, path: string, options: { headers?: Record<string, string>; body?: string } = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const sent = request({
      port: server.port,
      method,
      path,
      headers: { ...(method === 'GET' ? {} : { 'content-type': 'application/json' }), ...options.headers },
      agent: false,
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      const { statusCode: status, headers } = response;
      void text(response).then((body) => resolve({ status, headers, body }), reject);
    });
    sent.end(options.body);
  });
}

const signIn = (password: string, headers: Record<string, string> = {}) =>
  ask('POST', '/api/session', { headers, body: JSON.stringify({ password }) });

/** Signs in, and returns the header by which the session is known. */
async function session(): Promise<{ cookie: string }> {
  const { status, headers } = await signIn(PASSWORD);
  expect(status).toBe(204);
  // The pause behind a check.
  await clock.advance(1_000);
  return { cookie: (headers['set-cookie']?.[0] ?? '').split(';')[0] ?? '' };
}

const statusOf = async (answer: Promise<Answer>) => (await answer).status;

describe('POST /api/session', () => {
  it('signs in by the password, as people type it, with a cookie that no script and no other page has', async () => {
    for (const typed of [PASSWORD, '7q4m0zkd1abcv3wx', ' 7Q4M OZKD LABC V3WX ']) {
      const { status, headers } = await signIn(typed);
      expect([typed, status]).toEqual([typed, 204]);
      expect(headers['set-cookie']?.[0]).toMatch(
        /^gateway_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
      );
      await clock.advance(1_000);
    }
  });

  it('refuses another one, at the field', async () => {
    const { status, headers, body } = await signIn('7Q4M-0ZKD-1ABC-V3WY');
    expect([status, headers['set-cookie']]).toEqual([401, undefined]);
    expect(JSON.parse(body)).toEqual({
      errors: [{ message: 'This is not the password of the device', field: 'password' }],
    });
  });

  it('limits guesses, and says when to try again', async () => {
    const statuses: (number | undefined)[] = [];
    for (let time = 0; time < 6; time++) {
      const answer = await signIn('wrong');
      statuses.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      await clock.advance(500);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect(await statusOf(signIn(PASSWORD))).toBe(429);
    await clock.advance(12_000);
    expect(await statusOf(signIn(PASSWORD))).toBe(204);
  });

  it.each([
    ['no JSON', '{', 422, 'The body must be JSON'],
    ['nothing', '', 422, 'The body must be JSON'],
    ['no object', '[]', 422, 'expected object'],
    ['no password', '{}', 422, 'expected string'],
    ['an empty password', '{"password":""}', 422, 'The password is missing'],
    ['a number', '{"password":1}', 422, 'expected string'],
    ['a long password', JSON.stringify({ password: 'x'.repeat(129) }), 422, 'at most 128 characters'],
    ['more than it takes', JSON.stringify({ password: 'x'.repeat(5_000) }), 413, 'at most 4096 bytes'],
    ['another key', '{"password":"x","admin":true}', 422, 'admin'],
  ])('refuses a body with %s', async (_what, body, status, message) => {
    const answer = await ask('POST', '/api/session', { body });
    expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(message)]);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('says what to do where nobody can sign in', async () => {
    present = { is: 'unclaimed' };
    expect(await signIn(PASSWORD)).toMatchObject({ status: 409, body: expect.stringContaining('claim it') });
    expect(await ask('GET', '/api/view')).toMatchObject({ status: 409, body: expect.stringContaining('claim it') });
    present = { is: 'missing' };
    const message = expect.stringContaining('New device password');
    expect(await signIn(PASSWORD)).toMatchObject({ status: 409, body: message });
  });

  it('cannot be told a verifier that fits everything', async () => {
    present = { is: 'set', verifier: { salt: 'AAAA', hash: 'A' } };
    expect(await statusOf(signIn(PASSWORD))).toBe(401);
  });
});

describe('a session', () => {
  it('lets through what only who is signed in may do', async () => {
    expect(await statusOf(ask('GET', '/api/view'))).toBe(401);
    expect(await statusOf(ask('GET', '/api/view', { headers: { cookie: 'gateway_session=made-up' } }))).toBe(401);
    const headers = await session();
    expect(await ask('GET', '/api/view', { headers })).toMatchObject({ status: 200, body: '{"seen":true}' });
    expect(await statusOf(ask('POST', '/api/release', { headers }))).toBe(200);
    expect(done).toEqual(['release']);
  });

  it('ends when its person signs out', async () => {
    const headers = await session();
    const out = await ask('DELETE', '/api/session', { headers });
    expect(out.status).toBe(204);
    expect(out.headers['set-cookie']?.[0]).toMatch(/^gateway_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await statusOf(ask('GET', '/api/view', { headers }))).toBe(401);
  });

  it('ends after half an hour without a request, and after twelve hours with some', async () => {
    const headers = await session();
    for (let half = 0; half < 24; half++) {
      await clock.advance(HOUR_MS / 2 - 2_000);
      expect(await statusOf(ask('GET', '/api/view', { headers }))).toBe(200);
    }
    await clock.advance(100_000);
    expect(await statusOf(ask('GET', '/api/view', { headers }))).toBe(401);
    const other = await session();
    await clock.advance(HOUR_MS / 2);
    expect(await statusOf(ask('GET', '/api/view', { headers: other }))).toBe(401);
  });

  it('ends with its password: when that is renewed, and when the gateway is taken from its cloud', async () => {
    const headers = await session();
    present = { is: 'set', verifier: verifiers.renewed };
    expect(await statusOf(ask('GET', '/api/view', { headers }))).toBe(401);
    present = { is: 'set', verifier: verifiers.first };
    expect(await statusOf(ask('GET', '/api/view', { headers }))).toBe(401);
    const other = await session();
    present = { is: 'unclaimed' };
    expect(await statusOf(ask('POST', '/api/release', { headers: other }))).toBe(409);
    expect(done).toEqual([]);
  });

  it('makes room for others when there are many: the one that was idle longest ends', async () => {
    const first = await session();
    const second = await session();
    for (let more = 0; more < 31; more++) {
      await session();
      // It is in use.
      expect(await statusOf(ask('GET', '/api/view', { headers: second }))).toBe(200);
    }
    expect(await statusOf(ask('GET', '/api/view', { headers: first }))).toBe(401);
    expect(await statusOf(ask('GET', '/api/view', { headers: second }))).toBe(200);
  });
});

describe('a hostile page', () => {
  const own = () => `127.0.0.1:${server.port}`;

  it.each([
    ['a form', { 'content-type': 'text/plain' }],
    ['a form of its own origin', { 'content-type': 'text/plain', origin: 'null' }],
    ['a fetch', { origin: 'http://evil.example' }],
    ['a fetch from another port', { origin: 'http://127.0.0.1:1' }],
    ['a fetch of a frame without origin', { origin: 'null' }],
    ['a name that was made to lead here', { host: 'evil.example', origin: 'http://evil.example' }],
    ['a proxy', { 'x-forwarded-for': '10.0.0.1' }],
  ])('gets nothing done by %s, even with a session', async (_what, given) => {
    const headers: Record<string, string> = { ...(await session()), ...given };
    for (const path of ['/api/release', '/api/forgotten', '/api/session']) {
      expect([path, await statusOf(ask('POST', path, { headers, body: '{}' }))]).toEqual([path, 403]);
    }
    expect(done).toEqual([]);
  });

  it('names this host in the address and another one in its header', async () => {
    const headers = { ...(await session()), host: 'evil.example' };
    expect(await statusOf(ask('POST', `http://${own()}/api/release`, { headers }))).toBe(400);
    expect(done).toEqual([]);
  });

  it('reads nothing', async () => {
    const headers = { ...(await session()), origin: 'http://evil.example' };
    const answer = await ask('GET', '/api/view', { headers });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    expect(await statusOf(ask('OPTIONS', '/api/release', { headers }))).toBe(403);
  });

  it('is no page that was loaded from here', async () => {
    const headers = { ...(await session()), host: own(), origin: `http://${own()}`, 'sec-fetch-site': 'same-origin' };
    expect(await statusOf(ask('POST', '/api/release', { headers }))).toBe(200);
  });
});

it('sends every answer with headers that keep it to its page', async () => {
  for (const answer of [await ask('GET', '/api/view'), await ask('GET', '/api/view', { headers: await session() })]) {
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
    expect(answer.headers['content-security-policy']).not.toContain('unsafe');
  }
});
