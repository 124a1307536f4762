import { createRoute } from '@hono/zod-openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../../shared/errors.js';
import { API_TOKEN, OWNER_TOKEN, PASSWORD, seedSite } from './http-site.js';
import { type AskOptions, type CloudWorld, startCloudWorld } from './http-world.js';

const NOT_FOUND = { success: false, errors: [{ code: 6, message: 'Resource not found' }] };

const errorsOf = async (asked: ReturnType<CloudWorld['ask']>) => {
  const { status, body } = await asked;
  return { status, fields: body.errors?.map(({ code, field }) => [code, field]) };
};

/** A claim that is right in its form. */
const claimOf = (claim_code: string) => ({
  claim_code,
  uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01',
  public_key: 'A'.repeat(43),
  signature: 'A'.repeat(86),
});

/** A login body of so many bytes, with a key that is not known. */
const bodyOf = (bytes: number) => {
  const frame = JSON.stringify({ email: '', password: '', x: '' });
  return frame.replace('"x":""', `"x":"${'x'.repeat(bytes - frame.length)}"`);
};

/** Sent in chunks, without telling its length. */
const streamed = (text: string) => new Blob([text]).stream() as ReadableStream;

describe('REST over HTTP', () => {
  let cloud: CloudWorld;

  beforeAll(async () => {
    cloud = await startCloudWorld({
      claimGateway: async ({ claim_code }) => {
        if (claim_code === 'BROKEN') throw new Error('secret detail');
        if (claim_code === 'RIGHT') {
          return { mqtt: { url: 'mqtt://cloud', username: 'u', password: 'p', ca: null }, config: [] };
        }
        throw new ApiError(6);
      },
      furtherEndpoints: [
        {
          route: createRoute({ method: 'get', path: '/broken/{id}', responses: { 200: { description: 'Never' } } }),
          isInternal: true,
          run: () => Promise.reject(new Error('secret detail')),
        },
      ],
    });
    await seedSite(cloud.store);
  });
  afterAll(() => cloud.close());

  const login = (json: unknown) => cloud.ask('POST', '/v2/auth/login', { json });
  describe('the envelope', () => {
    it.each([
      ['GET', '/v2/nothing-of-the-kind'],
      ['GET', '/v2/auth/login'],
      ['DELETE', '/healthz'],
      ['GET', '/'],
      ['GET', '/v2/realtime'],
    ])('%s %s is 404 with and without a token', async (method, path) => {
      for (const options of [{}, { token: API_TOKEN }, { token: 'wrong' }]) {
        const { status, body } = await cloud.ask(method, path, options);
        expect({ status, body }).toEqual({ status: 404, body: NOT_FOUND });
      }
    });

    it.each(['{"email":', 'email=a&password=b', '\u0000', '{"a":1}}'])(
      'malformed JSON %j is 422 on body',
      async (body) => {
        expect(await errorsOf(cloud.ask('POST', '/v2/auth/login', { body }))).toEqual({
          status: 422,
          fields: [[23, 'body']],
        });
      },
    );

    it.each(['[]', '"text"', 'null', '7'])('a body that is no object (%s) is 422 on body', async (body) => {
      expect(await errorsOf(cloud.ask('POST', '/v2/auth/login', { body }))).toEqual({
        status: 422,
        fields: [[23, 'body']],
      });
    });

    it('tells all invalid fields and unknown keys at once', async () => {
      expect(await errorsOf(login({ password: 7, emali: 'x', 'an other': 1 }))).toEqual({
        status: 422,
        fields: expect.arrayContaining([
          [23, 'email'],
          [23, 'password'],
          [23, 'emali'],
          [23, 'an other'],
        ]),
      });
    });

    it('takes no body at all for an empty object', async () => {
      expect(await errorsOf(cloud.ask('POST', '/v2/auth/login'))).toEqual({
        status: 422,
        fields: [
          [23, 'email'],
          [23, 'password'],
        ],
      });
    });

    it.each([
      ['with a bearer 64 KiB', '/v2/groups', { token: OWNER_TOKEN }, 64 * 1024],
      ['without one 8 KiB', '/v2/auth/login', {}, 8 * 1024],
    ])('takes %s and refuses more, whether the length is told or not', async (_what, path, as, bytes) => {
      for (const wrap of [(text: string) => text, streamed]) {
        const fits = await errorsOf(cloud.ask('POST', path, { ...as, body: wrap(bodyOf(bytes)) }));
        expect(fits).toMatchObject({ status: 422, fields: expect.arrayContaining([[23, 'x']]) });
        const over = cloud.ask('POST', path, { ...as, body: wrap(bodyOf(bytes + 1)) });
        expect(await errorsOf(over)).toEqual({ status: 413, fields: [[23, 'body']] });
      }
    });

    it('says that it ends the connection whose body it does not read to its end', async () => {
      const over = await cloud.ask('POST', '/v2/auth/login', { body: streamed(bodyOf(2 * 1024 * 1024)) });
      expect([over.status, over.headers.get('connection')]).toEqual([413, 'close']);
    });

    it('brings the request id back, makes one, and replaces one that cannot be one', async () => {
      const given = await cloud.ask('GET', '/v2/nothing', { headers: { 'x-request-id': 'abc-123' } });
      expect(given.headers.get('x-request-id')).toBe('abc-123');
      const made = await cloud.ask('GET', '/healthz');
      expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      const odd = await cloud.ask('GET', '/healthz', { headers: { 'x-request-id': 'a b"c' } });
      expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('says nosniff and not what it runs on', async () => {
      for (const path of ['/healthz', '/v2/nothing']) {
        const { headers } = await cloud.ask('GET', path);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        // This one speaks no TLS: a proxy before it may, and says so itself.
        expect(headers.has('strict-transport-security')).toBe(false);
        expect(headers.get('content-type')).toBe('application/json');
        expect(headers.has('x-powered-by')).toBe(false);
      }
    });

    it('answers an unexpected error with 500 and nothing of its inside, and logs it with the request id', async () => {
      const json = claimOf('BROKEN');
      const { status, headers, body } = await cloud.ask('POST', '/v2/gateways/claim', { json });
      expect({ status, body }).toEqual({
        status: 500,
        body: { success: false, errors: [{ code: 500, message: 'Internal error' }] },
      });
      const line = cloud.log.findLast(({ level }) => level === 'error');
      expect(line?.fields).toMatchObject({ request_id: headers.get('x-request-id'), path: '/v2/gateways/claim' });
      expect(line?.fields.err).toMatchObject({ message: 'secret detail' });
    });

    it('logs the path of a request that fails without what stood behind the # of a link', async () => {
      expect((await fetch(`${cloud.base}/broken/7%23SECRET`)).status).toBe(500);
      const lines = cloud.log.filter(({ message }) => ['Request', 'Request failed'].includes(message)).slice(-2);
      expect(lines.map(({ fields }) => fields.path)).toEqual(['/broken/7%23…', '/broken/7%23…']);
    });

    it('writes ten lines a minute of an endpoint whose requests fail, and how many more there were', async () => {
      await cloud.clock.advance(60_000);
      const known = cloud.log.length;
      for (let request = 0; request < 13; request++) {
        const { status } = await cloud.ask('POST', '/v2/gateways/claim', { json: claimOf('BROKEN') });
        expect(status).toBe(500);
      }
      const errors = () => cloud.log.slice(known).filter(({ level }) => level === 'error');
      expect(errors().map(({ message }) => message)).toEqual(Array.from({ length: 10 }, () => 'Request failed'));
      await cloud.clock.advance(60_000);
      expect(errors().slice(10)).toEqual([
        {
          level: 'error',
          fields: { who: '/v2/gateways/claim', left_out: 3 },
          message: 'Request failed (more of these were left out)',
        },
      ]);
    });
  });

  it('describes itself by the schemas that validate', () => {
    const document = cloud.app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'test', version: '2' } });
    const route = document.paths?.['/v2/auth/login']?.post;
    expect(Object.keys(route?.responses ?? {})).toEqual(['200', '403', '413', '415', '422', '429', '500', '503']);
    expect(JSON.stringify(route?.requestBody)).toContain('"additionalProperties":false');
    expect(document.paths?.['/v2/products/{id}']?.get?.security).toEqual([{ bearer: [] }]);
  });

  describe('health', () => {
    it('is up, and ready only with its broker', async () => {
      expect((await cloud.ask('GET', '/healthz')).body).toEqual({ success: true, data: { status: 'ok' } });
      expect((await cloud.ask('GET', '/readyz')).status).toBe(200);
      cloud.broker.ready = false;
      const { status, body } = await cloud.ask('GET', '/readyz');
      cloud.broker.ready = true;
      expect({ status, body }).toEqual({
        status: 503,
        body: { success: false, errors: [{ code: 500, message: 'The broker is not reachable' }] },
      });
    });
  });

  describe('login', () => {
    it('answers the user token, whose value is not in the database', async () => {
      const { status, body } = await login({ email: ' Owner@Harbour.example ', password: PASSWORD });
      expect(status).toBe(200);
      const token = body.data as Record<string, unknown>;
      expect(token).toEqual({
        id: expect.any(Number),
        type: 'user',
        token: expect.stringMatching(/^[\w-]{40,}$/),
        name: 'owner@harbour.example',
        email: 'owner@harbour.example',
        account_id: 1,
        account_role_id: 1,
        account_user_role_id: 1,
        account_user_id: 1,
      });
      const rows = await cloud.store.reader.selectFrom('user_tokens').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(token.token);
      expect(rows.filter((row) => row.account_user_id === 1)).toHaveLength(1);
    });

    it('does not say which of email and password is wrong', async () => {
      const wrongPassword = await login({ email: 'guard@harbour.example', password: 'wrong' });
      const wrongEmail = await login({ email: 'nobody@harbour.example', password: PASSWORD });
      expect(wrongPassword.status).toBe(403);
      expect(wrongPassword.body.errors).toEqual([{ code: 8, message: 'Wrong email/password combination' }]);
      expect({ status: wrongEmail.status, body: wrongEmail.body }).toEqual({
        status: wrongPassword.status,
        body: wrongPassword.body,
      });
    });

    it('tells of an unconfirmed email only who has the password', async () => {
      const right = await login({ email: 'new@harbour.example', password: PASSWORD });
      expect([right.status, right.body.errors?.[0]?.code]).toEqual([403, 9]);
      const wrong = await login({ email: 'new@harbour.example', password: 'wrong' });
      expect([wrong.status, wrong.body.errors?.[0]?.code]).toEqual([403, 8]);
    });

    it('stops guessing after five failures in a minute, per email', async () => {
      const attempts = await Promise.all(
        Array.from({ length: 8 }, () => login({ email: 'owner@rival.example', password: 'wrong' })),
      );
      expect(attempts.map(({ status }) => status).sort()).toEqual([403, 403, 403, 403, 403, 429, 429, 429]);
      const refused = await login({ email: 'owner@rival.example', password: PASSWORD });
      expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([429, 429]);
      expect(refused.headers.get('retry-after')).toBe('60');
      expect((await login({ email: 'guard@harbour.example', password: PASSWORD })).status).toBe(200);
      await cloud.clock.advance(60_000);
      expect((await login({ email: 'owner@rival.example', password: PASSWORD })).status).toBe(200);
    });
  });

  describe('gateway claim', () => {
    it('is validated, refused, logged, and cannot be tried out', async () => {
      expect(
        await errorsOf(cloud.ask('POST', '/v2/gateways/claim', { json: { uuid: 1, public_key: 'short' } })),
      ).toEqual({
        status: 422,
        fields: expect.arrayContaining([
          [23, 'claim_code'],
          [23, 'uuid'],
          [23, 'public_key'],
          [23, 'signature'],
        ]),
      });
      const json = claimOf('WRONG');
      const statuses: number[] = [];
      for (let tries = 0; tries < 11; tries++) {
        statuses.push((await cloud.ask('POST', '/v2/gateways/claim', { json })).status);
      }
      expect(statuses).toEqual([...Array.from({ length: 9 }, () => 404), 429, 429]);
      const warned = cloud.log.filter(({ message }) => message === 'Gateway claim refused');
      expect(warned).toHaveLength(9);
      expect(JSON.stringify(warned)).not.toContain('WRONG');
    });

    it.each<[string, AskOptions, number]>([
      ['without a code', { json: {} }, 422],
      ['with a key that is none', { json: claimOf('WRONG'), headers: { 'idempotency-key': 'a b' } }, 422],
      ['that is too large', { body: bodyOf(1024 * 1024 + 1), headers: { 'idempotency-key': 'large' } }, 413],
    ])('counts one %s, and then tells nobody whether a code is right', async (_what, asked, status) => {
      await cloud.clock.advance(60_000);
      for (let times = 1; times <= 10; times++)
        expect([times, (await cloud.ask('POST', '/v2/gateways/claim', asked)).status]).toEqual([times, status]);
      expect((await cloud.ask('POST', '/v2/gateways/claim', asked)).status).toBe(429);
      expect((await cloud.ask('POST', '/v2/gateways/claim', { json: claimOf('RIGHT') })).status).toBe(429);
      await cloud.clock.advance(60_000);
      expect((await cloud.ask('POST', '/v2/gateways/claim', { json: claimOf('RIGHT') })).status).toBe(200);
    });
  });
});
