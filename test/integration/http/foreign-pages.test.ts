/** What a page of somebody else can have a browser send here: it takes nothing from the person whose browser it is. */
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublic, type OpenApiDocument } from '../../contract/openapi-document.js';
import { OWNER_TOKEN, PASSWORD, seedSite } from './http-site.js';
import { type AskOptions, type CloudWorld, startCloudWorld } from './http-world.js';

const ALLOWED = 'https://console.example';
const GUARD = { email: 'guard@harbour.example', password: PASSWORD };

let cloud: CloudWorld;
beforeAll(async () => {
  cloud = await startCloudWorld({ corsOrigins: [ALLOWED] });
  await seedSite(cloud.store);
});
afterAll(() => cloud.close());

/** `fetch` names the host itself. */
const logInAt = (host: string, origin: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { host, origin, 'content-type': 'application/json' };
    const asked = request(`${cloud.base}/v2/auth/login`, { method: 'POST', headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.once('error', reject);
    asked.end(JSON.stringify(GUARD));
  });

const logIn = (headers: Record<string, string>, json: object = GUARD) =>
  cloud.ask('POST', '/v2/auth/login', { json, headers });

describe('a body', () => {
  const refusal = { code: 23, field: 'body', message: 'Must be of the type application/json' };
  const streamed = (text: string) => new Blob([text]).stream();
  const create = (options: AskOptions) => cloud.ask('POST', '/v2/groups', { token: OWNER_TOKEN, ...options });

  it.each([
    'application/json',
    'application/json;charset=utf-8',
    'Application/JSON ; charset="UTF-8"',
    'application/merge-patch+json',
    'application/vnd.api+json; charset=utf-8',
  ])('is read when it is of the type %s', async (type) => {
    for (const wrap of [(text: string) => text, streamed]) {
      const body = wrap(JSON.stringify({ name: `Of ${type}` }));
      expect((await create({ body, headers: { 'content-type': type } })).status).toBe(200);
    }
  });

  it.each([
    'text/plain',
    'text/plain;charset=UTF-8',
    'text/plain, application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
    'application/jsonp',
    'application/jsonx; charset=utf-8',
    'text/json',
    '+json',
    '',
  ])('is 415 when it is of the type %j, whatever is in it', async (type) => {
    for (const wrap of [(text: string) => text, streamed]) {
      for (const text of ['{"name":"Never"}', '{']) {
        const answer = await create({ body: wrap(text), headers: { 'content-type': type } });
        expect([answer.status, answer.body.errors]).toEqual([415, [refusal]]);
      }
    }
  });

  it('is 415 when it is packed', async () => {
    for (const encoding of ['gzip', 'identity']) {
      const body = encoding === 'gzip' ? gzipSync('{"name":"Never"}') : '{"name":"Never"}';
      const answer = await create({ body, headers: { 'content-encoding': encoding } });
      expect([answer.status, answer.body.errors?.[0]?.code]).toEqual([415, 23]);
    }
  });

  it('needs no type when it is not there', async () => {
    const answer = await cloud.ask('POST', '/v2/auth/login', { headers: { 'content-type': 'text/plain' } });
    expect(answer.status).toBe(422);
    expect((await create({ body: streamed('') })).status).toBe(422);
  });
});

describe('an origin', () => {
  it('is 403 when it is foreign, wherever no token is needed, before anything is read', async () => {
    const document = (await (await fetch(`${cloud.base}/openapi.json`)).json()) as OpenApiDocument;
    const paths = Object.entries(document.paths).flatMap(([path, { post }]) =>
      post !== undefined && isPublic(post) ? [path] : [],
    );
    expect(paths).toEqual(
      expect.arrayContaining([
        '/v2/auth/login',
        '/v2/gateways/claim',
        '/v2/operation-keys',
        '/v2/weblinks/{id}/operation',
        '/v2/weblinks/{id}/status',
      ]),
    );
    for (const origin of ['http://evil.example', 'null', `${ALLOWED}.evil.example`, 'http://127.0.0.1:1']) {
      for (const path of paths) {
        const asked = path.replace('{id}', 'made-up-weblink');
        const answer = await cloud.ask('POST', asked, { json: {}, headers: { origin } });
        expect([path, origin, answer.status, answer.body.errors?.[0]?.code]).toEqual([path, origin, 403, 4]);
      }
      // The data of the guest's page, which is in no document.
      const page = await fetch(`${cloud.base}/weblinks/made-up-weblink`, { method: 'POST', headers: { origin } });
      expect([origin, page.status]).toEqual([origin, 403]);
    }
  });

  it('is heard when it is the own one, or allowed, or not said', async () => {
    for (const origin of [new URL(cloud.base).origin, ALLOWED]) expect((await logIn({ origin })).status).toBe(200);
    // Behind a proxy with TLS, under another name.
    expect(await logInAt('parking.example', 'https://parking.example')).toBe(200);
    expect(await logInAt('parking.example', 'https://evil.example')).toBe(403);
    expect((await logIn({})).status).toBe(200);
  });

  it('uses up no sign-in of the person in whose browser it is', async () => {
    for (let guess = 0; guess < 20; guess++) {
      const wrong = { ...GUARD, password: `guess ${guess}` };
      const body = JSON.stringify(wrong);
      const headers = { origin: 'http://evil.example', 'content-type': 'text/plain' };
      expect((await cloud.ask('POST', '/v2/auth/login', { body, headers })).status).toBe(403);
      expect((await logIn({ origin: 'http://evil.example' }, wrong)).status).toBe(403);
    }
    expect((await logIn({})).status).toBe(200);
  });
});
