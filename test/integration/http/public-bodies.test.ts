/** What costs who reads it, sent to every endpoint that asks for no token: little is read, little is answered, and others are served. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE_BODIES, sendHostileBody } from '../../attack/public-bodies.js';
import { fetchDocument, isPublic, type OpenApiDocument } from '../../contract/openapi-document.js';
import { OWNER_TOKEN, PASSWORD, seedSite } from './http-site.js';
import { type Answer, type CloudWorld, startCloudWorld } from './http-world.js';

/** An answer names at most 20 errors; the name of a key in it may be as long as the body may be. */
const ANSWER_BYTES_MAX = 12 * 1024;
/** A bearer counts here, and without one the products have to be open to everybody. */
const OPEN = '/v2/operation-keys';
const BAD_REQUESTS_MAX = 600;
const ATTACKER = '203.0.113.9';

let cloud: CloudWorld;
let document: OpenApiDocument;
beforeAll(async () => {
  cloud = await startCloudWorld({ trustedProxies: ['127.0.0.1'], requestsPerMin: 600 });
  await seedSite(cloud.store);
  document = await fetchDocument(cloud.base);
});
afterAll(() => cloud.close());

/** Public endpoints that accept a body. */
const targets = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => isPublic(operation) && operation.requestBody !== undefined)
      .map(([method]) => ({ base: cloud.base, method, path: path.replaceAll(/\{\w+\}/g, 'made-up-weblink') })),
  );

const logIn = (from: string) =>
  cloud.ask('POST', '/v2/auth/login', {
    json: { email: 'guard@harbour.example', password: PASSWORD },
    headers: { 'x-forwarded-for': from },
  });

describe('every public endpoint', () => {
  it.each(HOSTILE_BODIES)('refuses a body with $name, in few words', async (body) => {
    expect(targets().map(({ path }) => path)).toEqual(expect.arrayContaining(['/v2/auth/login', '/v2/gateways/claim']));
    for (const to of targets()) {
      const { status, text } = await sendHostileBody(to, body);
      // Where much is still on its way the connection may end before the answer is read.
      if (status === null) continue;
      const refusals = to.path === OPEN ? [401, 413, 415, 422, 429] : [413, 415, 422, 429];
      expect([to.path, body.name, refusals.includes(status)]).toEqual([to.path, body.name, true]);
      expect(text.length).toBeLessThan(ANSWER_BYTES_MAX);
      expect((JSON.parse(text) as { errors: unknown[] }).errors.length).toBeLessThanOrEqual(20);
    }
    expect(cloud.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('believes no bearer that says it may send more', async () => {
    const body = JSON.stringify({ email: 'x'.repeat(9 * 1024) });
    for (const token of ['made-up', OWNER_TOKEN]) {
      for (const { method, path } of targets().filter((to) => to.path !== OPEN)) {
        const { status } = await cloud.ask(method.toUpperCase(), path, { token, body });
        expect([path, [413, 429].includes(status)]).toEqual([path, true]);
      }
    }
  });
});

it('an address that sends nothing but malformed requests is refused unread, while others sign in', async () => {
  await cloud.clock.advance(60_000);
  const headers = { 'x-forwarded-for': ATTACKER };
  const malformed = () => cloud.ask('POST', '/v2/auth/login', { body: '{"email":', headers });
  const statusesOf = async (count: number, ask: () => Promise<Answer>) =>
    new Set((await Promise.all(Array.from({ length: count }, ask))).map(({ status }) => status));

  expect(await statusesOf(BAD_REQUESTS_MAX - 10, malformed)).toEqual(new Set([422]));
  // What somebody with a token asks wrongly does not count: test tools send much of that.
  const wrong = () => cloud.ask('POST', '/v2/sessions', { token: OWNER_TOKEN, json: {}, headers });
  expect(await statusesOf(50, wrong)).toEqual(new Set([422]));
  expect((await logIn(ATTACKER)).status).toBe(200);
  expect(await statusesOf(10, malformed)).toEqual(new Set([422]));

  const refused = await malformed();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect((await logIn(ATTACKER)).status).toBe(429);
  expect((await logIn('192.0.2.7')).status).toBe(200);
  expect(await statusesOf(10, wrong)).toEqual(new Set([422]));
  await cloud.clock.advance(60_000);
  expect((await logIn(ATTACKER)).status).toBe(200);
});

it('bodies that never come to their end hold up nobody', async () => {
  await cloud.clock.advance(60_000);
  const head =
    'POST /v2/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
  const sockets = Array.from({ length: 200 }, () => connect(cloud.server.port, '127.0.0.1'));
  await Promise.all(
    sockets.map(async (socket) => {
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(head);
    }),
  );
  expect((await logIn('192.0.2.7')).status).toBe(200);
  expect((await cloud.ask('GET', '/v2/lots', { token: OWNER_TOKEN })).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});
