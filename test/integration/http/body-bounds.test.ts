/** The bound of every route that takes a body, and in which order a request is refused (REST contract, "Common rules"). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchDocument, LOGOUT_PATH, operationsOf } from '../../contract/openapi-document.js';
import { seedSessionSite } from '../session/session-site.js';
import { GUARD_TOKEN, OWNER_TOKEN } from './http-site.js';
import { type AskOptions, type CloudWorld, startCloudWorld } from './http-world.js';
import { createEverything, sendAs, servedIn, type Things } from './rest-everything.js';

const KIB = 1024;
const COMMANDS = new Set([
  '/v2/products/{id}/state',
  '/v2/products/{id}/settings',
  '/v2/products/{id}/pair',
  '/v2/lots/{id}/release',
  '/v2/lots/{id}/release/clear',
  '/v2/weblinks/{id}/operation',
]);
/** Routes whose kind does not say it: keys may be asked for with a bearer, as here, and without. */
const OWN: Readonly<Record<string, number>> = {
  // 512 KiB as base64, and the rest of the body.
  '/v2/account/logo': Math.ceil((512 * KIB) / 3) * 4 + KIB,
  '/v2/lots/{id}/plan': 512 * KIB,
  '/v2/member-imports': 4 * KIB * KIB,
  '/v2/operation-keys': 64 * KIB,
};
const UNKNOWN_ID = '999999999';

interface Route {
  method: string;
  path: string;
  name: string;
  isPublic: boolean;
  /** An Attendant may not call it. */
  isRefused: boolean;
}

const boundOf = ({ path, isPublic }: Route): number =>
  OWN[path] ?? (COMMANDS.has(path) ? 4 * KIB : path.endsWith('/bulk') ? 4 * KIB * KIB : isPublic ? 8 * KIB : 64 * KIB);
/** Malformed JSON of so many bytes, so that nothing is changed by it. */
const malformed = (bytes: number) => `{"x":"${'x'.repeat(bytes - 6)}`;
const streamed = (text: string) => new Blob([text]).stream() as ReadableStream;

describe('the bound of a body', () => {
  let cloud: CloudWorld;
  let things: Things;
  let routes: Route[];

  beforeAll(async () => {
    cloud = await startCloudWorld({ loginFailuresPerMin: 0, publicPerMin: 0 });
    await seedSessionSite(cloud);
    const document = await fetchDocument(cloud.base);
    things = await createEverything(sendAs(cloud, OWNER_TOKEN), servedIn(document.paths));
    routes = operationsOf(document)
      .filter(({ method, path }) => !['GET', 'DELETE'].includes(method) && path !== LOGOUT_PATH)
      .map(({ method, path, operation }) => ({
        method,
        path,
        name: `${method} ${path}`,
        isPublic: operation.security.length === 0,
        isRefused: operation['x-roles']?.includes('Attendant') === false,
      }));
  });
  afterAll(() => cloud.close());

  const ask = async ({ method, path }: Route, id: string, options: AskOptions) => {
    const { status, body } = await cloud.ask(method, path.replaceAll(/\{\w+\}/g, id), options);
    return { status, errors: (body.errors ?? []).map(({ code, field }) => [code, field]) };
  };
  const thingOf = ({ path }: Route) => String(things.get(path.split('/{', 1)[0] ?? '') ?? UNKNOWN_ID);
  /** The routes whose thing is there, so that their body is read. */
  const reached = async () => {
    const found = await Promise.all(
      routes.map(async (route) => {
        const { status } = await ask(route, thingOf(route), { token: OWNER_TOKEN, body: malformed(100) });
        return status === 422 ? [route] : [];
      }),
    );
    return found.flat();
  };

  it('is judged after 401, 403 and 404, whether a key makes it idempotent or not', async () => {
    const seen = { 401: 0, 403: 0, 404: 0 };
    const expects = async (status: 401 | 403 | 404, route: Route, options: AskOptions, id = thingOf(route)) => {
      const answer = await ask(route, id, options);
      expect([route.name, answer.status]).toEqual([route.name, status]);
      seen[status] += 1;
    };
    for (const route of routes.filter(({ isPublic }) => !isPublic)) {
      const body = malformed(boundOf(route) + 1);
      await expects(401, route, { body });
      await expects(401, route, { body, token: 'made-up' });
      if (route.isRefused) await expects(403, route, { body, token: GUARD_TOKEN });
      if (!/\/v2\/[a-z-]+\/\{/.test(route.path)) continue;
      await expects(404, route, { body, token: OWNER_TOKEN }, UNKNOWN_ID);
      const headers = { 'idempotency-key': 'large' };
      if (route.method === 'POST') await expects(404, route, { body, token: OWNER_TOKEN, headers }, UNKNOWN_ID);
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  });

  it('is that of its route, whether the length is told or not', async () => {
    const found = await reached();
    expect(found.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/v2/products/{id}/state', '/v2/lots/{id}/plan', '/v2/members', '/v2/auth/login']),
    );
    for (const route of found) {
      for (const wrap of [(text: string) => text, streamed]) {
        const of = (bytes: number) => ask(route, thingOf(route), { token: OWNER_TOKEN, body: wrap(malformed(bytes)) });
        const bound = boundOf(route);
        expect([route.name, bound, await of(bound)]).toEqual([
          route.name,
          bound,
          { status: 422, errors: [[23, 'body']] },
        ]);
        expect([route.name, bound, await of(bound + 1)]).toEqual([
          route.name,
          bound,
          { status: 413, errors: [[23, 'body']] },
        ]);
      }
    }
  });

  it('is 32 levels and 256 keys in one object everywhere: anything else is not looked at', async () => {
    const keys = `{${Array.from({ length: 257 }, (_, at) => `"${at}":0`).join(',')}}`;
    for (const route of await reached()) {
      for (const body of [keys, `{"x":${keys}}`, `{"x":${'['.repeat(32)}`, `{"x":${'{"":'.repeat(32)}`]) {
        for (const wrap of [(text: string) => text, streamed]) {
          const answer = await ask(route, thingOf(route), { token: OWNER_TOKEN, body: wrap(body) });
          expect([route.name, answer]).toEqual([route.name, { status: 422, errors: [[23, 'body']] }]);
        }
      }
    }
  });
});
