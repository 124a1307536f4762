import { gunzipSync } from 'node:zlib';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_TOKEN, OWNER_TOKEN } from './http-site.js';
import { type RestWorld, startRestWorld } from './rest-world.js';

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

const ORIGIN = 'https://console.example';

describe('the headers of answers', () => {
  let world: RestWorld;

  beforeAll(async () => {
    world = await startRestWorld({ requestsPerMin: 200, corsOrigins: [ORIGIN] });
    for (let at = 0; at < 20; at += 1)
      await world.post('/v2/groups', { name: `Group ${at}`, description: 'x'.repeat(100) });
  });
  afterAll(() => world.cloud.close());

  /** `fetch` unpacks what it receives. */
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(world.cloud.base);
      const asked = request({ hostname, port, path, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      asked.once('error', reject);
      asked.end();
    });
  const bearer = { authorization: `Bearer ${OWNER_TOKEN}` };

  it.each(['/openapi.json', '/asyncapi.json', '/docs', '/docs/guides'])(
    '%s is not sent again to who has it',
    async (path) => {
      const { status, headers } = await get(path);
      const version = String(headers.etag);
      expect([status, version]).toEqual([200, expect.stringMatching(/^"[\w-]+"$/)]);
      for (const known of [version, `W/${version}`, `"other", ${version}`, '*']) {
        const again = await get(path, { 'if-none-match': known, 'accept-encoding': 'gzip' });
        expect([known, again.status, again.body.length, again.headers.etag]).toEqual([known, 304, 0, version]);
      }
      expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    },
  );

  describe('compression', () => {
    it.each(['/v2/groups?size=20', '/openapi.json', '/asyncapi.json'])('packs %s on request', async (path) => {
      const plain = await get(path, bearer);
      expect(plain.headers).toMatchObject({ vary: expect.stringContaining('Accept-Encoding') });
      expect(plain.headers['content-encoding']).toBeUndefined();
      for (const accepted of ['gzip', 'br, GZIP;q=0.5', 'deflate, *']) {
        const packed = await get(path, { ...bearer, 'accept-encoding': accepted });
        expect(packed.headers).toMatchObject({
          'content-encoding': 'gzip',
          vary: expect.stringContaining('Accept-Encoding'),
          'content-length': String(packed.body.length),
          'content-type': plain.headers['content-type'],
        });
        expect(packed.body.length).toBeLessThan(plain.body.length);
        expect(gunzipSync(packed.body).toString()).toBe(plain.body.toString());
      }
      for (const refused of ['identity', 'gzip;q=0', 'gzip;q=0.0, *', '']) {
        const { headers } = await get(path, { ...bearer, 'accept-encoding': refused });
        expect([refused, headers['content-encoding']]).toEqual([refused, undefined]);
      }
    });

    it('is left out for what is short, and for the headers alone', async () => {
      const short = await get('/healthz', { 'accept-encoding': 'gzip' });
      expect([short.headers['content-encoding'], short.body.toString()]).toEqual([
        undefined,
        '{"success":true,"data":{"status":"ok"}}',
      ]);
      const head = await get('/v2/groups?size=20', { ...bearer, 'accept-encoding': 'gzip' }, 'HEAD');
      expect([head.status, head.body.length]).toEqual([200, 0]);
    });

    it('leaves the ETag as it is', async () => {
      const [id] = await world.ids('/v2/groups');
      await world.patch(`/v2/groups/${id}`, { description: 'x'.repeat(1_500) });
      const plain = await get(`/v2/groups/${id}`, bearer);
      const packed = await get(`/v2/groups/${id}`, { ...bearer, 'accept-encoding': 'gzip' });
      expect(packed.headers['content-encoding']).toBe('gzip');
      expect(packed.headers.etag).toBe(plain.headers.etag);
    });

    it('stands in Vary beside the origin of a page', async () => {
      const { headers } = await get('/v2/groups?size=20', { ...bearer, origin: ORIGIN, 'accept-encoding': 'gzip' });
      expect(headers.vary).toMatch(/Accept-Encoding/);
      expect(headers.vary).toMatch(/Origin/);
      expect(headers['access-control-allow-origin']).toBe(ORIGIN);
      expect(headers['access-control-expose-headers']).toMatch(/ETag.*RateLimit-Remaining/);
    });
  });

  describe('RateLimit', () => {
    const limits = ({ headers }: Pick<Raw, 'headers'>) =>
      ['limit', 'remaining', 'reset'].map((name) => Number(headers[`ratelimit-${name}`]));

    it('counts down on every answer to a token, and says when the minute is over', async () => {
      const { clock } = world.cloud;
      await clock.advance(60_000);
      const token = { authorization: `Bearer ${API_TOKEN}` };
      expect(limits(await get('/v2/groups', token))).toEqual([200, 199, 60]);
      await clock.advance(20_500);
      // A refusal, something that is not there, a wrong query: each has them.
      for (const [path, status, left] of [
        ['/v2/zones/999999', 404, 198],
        ['/v2/groups?size=0', 422, 197],
        ['/v2/api-tokens', 403, 196],
      ] as const) {
        const answer = await get(path, token);
        expect([path, answer.status, ...limits(answer)]).toEqual([path, status, 200, left, 40]);
      }
      for (let left = 195; left >= 0; left -= 1) expect(limits(await get('/v2/zones', token))[1]).toBe(left);
      const over = await get('/v2/zones', token);
      expect([over.status, ...limits(over), over.headers['retry-after']]).toEqual([429, 200, 0, 40, '40']);
      await clock.advance(40_000);
      expect(limits(await get('/v2/zones', token))).toEqual([200, 199, 60]);
    });

    it('is in no answer without a token, and nowhere without a limit', async () => {
      for (const path of ['/healthz', '/v2/zones', '/v2/nothing']) {
        expect((await get(path)).headers['ratelimit-limit']).toBeUndefined();
      }
      const free = await startRestWorld();
      const answer = await free.cloud.ask('GET', '/v2/zones', { token: OWNER_TOKEN });
      expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([200, null]);
      await free.cloud.close();
    });
  });

  it('say with 401 how to sign in', async () => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic eDp5' }] as Record<
      string,
      string
    >[]) {
      const answer = await get('/v2/zones', headers);
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    }
  });

  it('name the request in a preflight, too', async () => {
    const asked = { origin: ORIGIN, 'access-control-request-method': 'PATCH', 'x-request-id': 'mine' };
    const { status, headers } = await get('/v2/zones/1', asked, 'OPTIONS');
    expect([status, headers['x-request-id']]).toEqual([204, 'mine']);
    expect(headers['access-control-allow-headers']).toMatch(/If-Match/);
  });
});
