import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER_TOKEN, seedSite, type Site } from './cloud-http-site.js';
import { type AskOptions, type CloudWorld, startCloudWorld } from './cloud-http-world.js';
import { arbitraryOf, HOSTILE_TEXT, junk } from './openapi-arbitrary.js';
import type { OpenApiDocument } from './openapi-checker.js';

const RUNS_PER_ENDPOINT = 60;
/** What would tell of the inside: stacks, statements, hashes, sealed secrets. */
const LEAKS = /argon2|password_hash|token_hash|_sealed|SQLITE|SqliteError|node_modules|\bat .*\.js:\d+|select .* from/i;

describe('whatever is sent', () => {
  let cloud: CloudWorld;
  let site: Site;
  let document: OpenApiDocument;

  beforeAll(async () => {
    cloud = await startCloudWorld({ loginFailuresPerMin: 0 });
    site = await seedSite(cloud.store);
    document = (await (await fetch(`${cloud.base}/openapi.json`)).json()) as OpenApiDocument;
  });
  afterAll(() => cloud.close());

  async function holds(method: string, path: string, options: AskOptions): Promise<void> {
    const { status, body } = await cloud.ask(method, path, { token: OWNER_TOKEN, ...options });
    expect(status).toBeLessThan(500);
    if (body.success) {
      expect(status).toBe(200);
    } else {
      expect(body.errors?.length).toBeGreaterThan(0);
      if (status === 422 || status === 413) {
        for (const error of body.errors ?? []) expect(error).toMatchObject({ code: 23, field: expect.any(String) });
      }
    }
    const { errors } = body;
    expect(JSON.stringify({ errors, keys: Object.keys(body.data ?? {}) })).not.toMatch(LEAKS);
  }

  it('every endpoint answers in the envelope, never with 5xx, and tells nothing of its inside', async () => {
    // The owner whose token asks must live to the end.
    const ids = fc.constantFrom(String(site.guard), '0', '-1', '999999999999999', '9'.repeat(40), ...HOSTILE_TEXT);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        // Documents for people and machines take nothing, and are no envelope.
        if (['/docs', '/openapi.json', '/asyncapi.json', '/metrics'].includes(path)) continue;
        const schema = operation.requestBody?.content['application/json']?.schema;
        const body = schema === undefined ? junk : arbitraryOf(schema, document);
        const names = (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
        const query = fc.array(
          fc.tuple(fc.constantFrom('x', ...names), fc.oneof(fc.string(), fc.constantFrom(...HOSTILE_TEXT))),
          {
            maxLength: 4,
          },
        );
        await fc.assert(
          fc.asyncProperty(ids, query, body, async (id, parameters, json) => {
            const search = parameters.map(([name, value]) => `${name}=${encoded(value)}`).join('&');
            const asked = `${path.replaceAll(/\{\w+\}/g, encoded(id))}?${search}`;
            await holds(method.toUpperCase(), asked, method === 'get' ? {} : { json });
          }),
          { numRuns: path === '/v2/auth/login' ? 10 : RUNS_PER_ENDPOINT },
        );
      }
    }
    expect(cloud.log.filter(({ level }) => level === 'error')).toEqual([]);
  }, 240_000);

  it.each([
    ['just over 1 MiB', JSON.stringify({ name: 'x'.repeat(1024 * 1024) }), 413],
    ['deep', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 422],
    ['deep lists', '['.repeat(500_000), 422],
    ['a prototype', '{"__proto__":{"name":"x","admin":true},"name":"x"}', 422],
    ['a constructor', '{"constructor":{"prototype":{"admin":true}},"name":"x"}', 422],
    ['a key twice', '{"name":1,"name":{}}', 422],
    ['half a character', '{"name":7,"\\ud800":"\\udfff"}', 422],
    ['a number without end', `{"name":${'9'.repeat(5_000)}}`, 422],
    ['no JSON', '<xml/>', 422],
  ])('a body that is %s is refused', async (_what, body, status) => {
    const answer = await cloud.ask('POST', '/v2/api-tokens', { token: OWNER_TOKEN, body });
    expect([answer.status, answer.body.errors?.every(({ code, field }) => code === 23 && field !== undefined)]).toEqual(
      [status, true],
    );
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});

/** Of half a character, its replacement: an address holds no such thing. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString()).replace(/^\.+$/, 'dots');
