import * as fc from '../../property.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER_TOKEN } from './http-site.js';
import { type AskOptions, type CloudWorld, startCloudWorld } from './http-world.js';
import { arbitraryOf, HOSTILE_TEXT, junk } from './openapi-arbitrary.js';
import { endsSignIn, fetchDocument, type OpenApiDocument } from '../../contract/openapi-document.js';
import { createEverything, type Things, sendAs, servedIn } from './rest-everything.js';
import { seedSessionSite, type SessionSite } from '../session/session-site.js';
import { runs, runsTimeoutMs, someOf } from '../../depth.js';
import { SEED } from '../../seed.js';

/** In the long tier more than 10,000 requests in all. */
const RUNS_PER_ENDPOINT = runs(5, 16, 2);
/** What would tell of the inside: stacks, statements, hashes, sealed secrets. */
const LEAKS = /argon2|password_hash|token_hash|_sealed|SQLITE|SqliteError|node_modules|\bat .*\.js:\d+|select .* from/i;

describe('whatever is sent', () => {
  let cloud: CloudWorld;
  let site: SessionSite;
  let things: Things;
  let document: OpenApiDocument;
  let sent = 0;

  beforeAll(async () => {
    cloud = await startCloudWorld({ loginFailuresPerMin: 0, publicPerMin: 0 });
    site = await seedSessionSite(cloud);
    document = await fetchDocument(cloud.base);
    things = await createEverything(sendAs(cloud, OWNER_TOKEN), servedIn(document.paths));
  });
  afterAll(async () => {
    process.stdout.write(`\nFuzzing: ${sent} requests\n`);
    await cloud.close();
  });

  async function holds(method: string, path: string, options: AskOptions): Promise<void> {
    sent += 1;
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

  it(
    'every endpoint answers in the envelope, never with 5xx, and tells nothing of its inside',
    async () => {
      for (const { path, method, operation } of endpointsOf(document)) {
        const schema = operation.requestBody?.content['application/json']?.schema;
        const body = schema === undefined ? junk : arbitraryOf(schema, document);
        const names = (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
        const text = fc.oneof(fc.string(), fc.constantFrom(...HOSTILE_TEXT));
        const parameter = fc.tuple(fc.constantFrom(...(names.length === 0 ? ['x'] : names)), text);
        // An endpoint that takes no parameter refuses any, before its handler is reached.
        const query = fc.array(parameter, { maxLength: names.length === 0 ? 1 : 4 });
        // Half of the time what is there, so that handlers are reached.
        const own = fc.constant(String(things.get(path.split('/{', 1)[0] ?? '') ?? site.zone));
        const id = fc.oneof(own, fc.constantFrom('0', '-1', '999999999999999', '9'.repeat(40), ...HOSTILE_TEXT));
        await fc.assert(
          fc.asyncProperty(id, query, body, async (named, parameters, json) => {
            const search = parameters.map(([name, value]) => `${name}=${encoded(value)}`).join('&');
            const asked = `${path.replaceAll(/\{\w+\}/g, encoded(named))}?${search}`;
            await holds(method.toUpperCase(), asked, method === 'get' ? {} : { json });
          }),
          { numRuns: RUNS_PER_ENDPOINT },
        );
      }
      expect(cloud.log.filter(({ level }) => level === 'error')).toEqual([]);
    },
    runsTimeoutMs(240_000, 4),
  );

  it('no parameter passes on a character that databases refuse', async () => {
    for (const { path, method, operation } of endpointsOf(document)) {
      const names = (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
      const known = path.replaceAll(/\{\w+\}/g, String(things.get(path.split('/{', 1)[0] ?? '') ?? site.zone));
      const asked = [
        ...names.map((name) => `${known}?${name}=%00`),
        ...(path === known ? [] : [path.replaceAll(/\{\w+\}/g, '%00')]),
      ];
      for (const each of asked) {
        const { status } = await cloud.ask(method.toUpperCase(), each, { token: OWNER_TOKEN });
        expect([each, status < 500]).toEqual([each, true]);
      }
    }
  });

  it.each([
    ['larger than any route takes', JSON.stringify({ name: 'x'.repeat(4 * 1024 * 1024) }), 413],
    ['of too many keys', JSON.stringify(Object.fromEntries(Array.from({ length: 257 }, (_, key) => [key, 0]))), 422],
    ['deep', `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`, 422],
    ['deep lists', '['.repeat(4_000), 422],
    ['a prototype', '{"__proto__":{"name":"x","admin":true},"name":"x"}', 422],
    ['a constructor', '{"constructor":{"prototype":{"admin":true}},"name":"x"}', 422],
    ['a key twice', '{"name":1,"name":{}}', 422],
    ['half a character', '{"name":7,"\\ud800":"\\udfff"}', 422],
    ['a number without end', `{"name":${'9'.repeat(5_000)}}`, 422],
    ['no JSON', '<xml/>', 422],
  ])('a body that is %s is refused by every endpoint that takes one', async (what, body, status) => {
    const accepting = endpointsOf(document).filter(({ operation }) => operation.requestBody !== undefined);
    // All of them read their body in one place.
    for (const { path, method, operation } of someOf(accepting, 6, SEED + what.length)) {
      const asked = path.replaceAll(/\{\w+\}/g, String(things.get(path.split('/{', 1)[0] ?? '') ?? site.zone));
      const answer = await cloud.ask(method.toUpperCase(), asked, { token: OWNER_TOKEN, body });
      // What was deleted above is not there any more, whatever is sent to it; without a bearer only short bodies are read.
      const others = operation.security.length === 0 || operation.tags.includes('Commands') ? [413] : [404];
      expect([path, [status, 404, ...others].includes(answer.status)]).toEqual([path, true]);
      if (answer.status !== status) continue;
      const isExplained = answer.body.errors?.every(({ code, field }) => code === 23 && field !== undefined);
      expect([path, isExplained]).toEqual([path, true]);
    }
    const { status: ofTokens } = await cloud.ask('POST', '/v2/api-tokens', { token: OWNER_TOKEN, body });
    expect(ofTokens).toBe(status);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});

/** With what is deleted at the end. Documents for people and machines take nothing, and are no envelope. */
function endpointsOf(document: OpenApiDocument) {
  return Object.entries(document.paths)
    .filter(([path]) => !['/docs', '/openapi.json', '/asyncapi.json', '/metrics'].includes(path) && !endsSignIn(path))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .toSorted((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));
}

/** Of half a character, its replacement: an address holds no such thing. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString()).replace(/^\.+$/, 'dots');
