import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fetchDocument,
  type JsonSchema,
  endsSignIn,
  type OpenApiDocument,
  operationsOf,
} from '../../contract/openapi-document.js';
import { someOf } from '../../depth.js';
import { createEverything, type Things, sendAs, servedIn } from './rest-everything.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from './rest-world.js';

/** Words of the schema library, and of the language. */
const JARGON =
  /received|expected|invalid|undefined|NaN|regex|pattern|\/\^|instanceof|zod|union|literal|ZodError|\bint\b/i;

const JUNK: readonly unknown[] = [
  null,
  {},
  [],
  [null],
  [{}],
  '',
  'x'.repeat(6_000),
  '\0',
  true,
  -1e9,
  0.5,
  1e12,
  'no',
  [1, 1],
];

const PARAMETERS = ['', 'x', '-1', '0', '1.5', '9'.repeat(30), 'a:b:c', 'id:eq:x', 'id:oops:1'];

describe('what a refusal says', () => {
  let world: RestWorld;
  let document: OpenApiDocument;
  let things: Things;

  beforeAll(async () => {
    world = await startRestWorld({ loginFailuresPerMin: 0, publicPerMin: 0 });
    document = await fetchDocument(world.cloud.base);
    things = await createEverything(sendAs(world.cloud, OWNER_TOKEN), servedIn(document.paths));
  });
  afterAll(() => world.cloud.close());

  const resolved = (schema: JsonSchema): JsonSchema =>
    typeof schema.$ref === 'string' ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;

  /** A value of the schema's form with the junk in each of its fields. */
  function filled(given: JsonSchema, junk: unknown): unknown {
    const schema = resolved(given);
    const choice = [schema.anyOf, schema.oneOf].flat().find((each) => each !== undefined);
    if (choice !== undefined) return filled(choice as JsonSchema, junk);
    if (schema.properties !== undefined) {
      const properties = Object.entries(schema.properties as Record<string, JsonSchema>);
      return Object.fromEntries(properties.map(([name, each]) => [name, filled(each, junk)]));
    }
    if (schema.items !== undefined) return [filled(schema.items as JsonSchema, junk)];
    return junk;
  }

  const asked = (path: string): string =>
    path.replaceAll(/\{\w+\}/g, String(things.get(path.split('/{', 1)[0] ?? '') ?? world.site.zone));

  it('about the fields of every body is said for people', async () => {
    const messages = new Map<string, string>();
    const note = (route: string, errors: readonly { code: number; message: string; field?: string }[] = []) => {
      for (const { code, message, field } of errors) {
        // A direction and a status are words of the interface.
        const said = message.replace('in, out, undefined', 'in, out').replace('blocked, invalid', 'blocked');
        if (code === 23) messages.set(said, `${route} ${field}`);
      }
    };
    for (const [index, { method, path, operation }] of operationsOf(document).entries()) {
      const schema = operation.requestBody?.content['application/json']?.schema;
      if (schema === undefined || endsSignIn(path)) continue;
      const tried = someOf(JUNK, 7, index);
      const names = Object.keys((resolved(schema).properties ?? {}) as object);
      const bodies = [
        ...tried.map((junk) => Object.fromEntries(names.map((name) => [name, junk]))),
        ...tried.map((junk) => filled(schema, junk)),
        {},
        [],
        { unknown_key: 1 },
      ];
      for (const json of bodies) {
        const options = operation.security.length === 0 ? { json } : { json, token: OWNER_TOKEN };
        const { body } = await world.cloud.ask(method, asked(path), options);
        note(`${method} ${path}`, body.errors);
      }
    }
    const bad = [...messages].filter(([message]) => JARGON.test(message) || !/^[A-Z]/.test(message));
    expect(bad).toEqual([]);
    expect(messages.size).toBeGreaterThan(40);
    expect([...messages.keys()]).toEqual(
      expect.arrayContaining(['Required', 'Must be a string', 'Must be a number', 'Must not be empty', 'Unknown key']),
    );
  });

  it('about the parameters of every query is said for people', async () => {
    const messages = new Map<string, string>();
    for (const [index, { method, path, operation }] of operationsOf(document).entries()) {
      if (!path.startsWith('/v2/') || path.startsWith('/v2/images') || endsSignIn(path)) continue;
      const names = (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
      for (const value of someOf(PARAMETERS, 5, index)) {
        const search = names.map((name) => `${name}=${encodeURIComponent(value)}`).join('&');
        const { body } = await world.cloud.ask(method, `${asked(path)}?${search}`, { token: OWNER_TOKEN });
        if (method !== 'GET') break;
        for (const { message, field } of body.errors ?? []) messages.set(message, `${path} ${field}`);
      }
    }
    const bad = [...messages].filter(
      ([message]) => JARGON.test(message) || !/^[A-Z]/.test(message.replace(/^[a-z_]+ must|^[a-z_]+:/, 'X')),
    );
    expect(bad).toEqual([]);
  });

  it.each([
    ['size=-1', 'size', 'Must be at least 1'],
    ['size=0', 'size', 'Must be at least 1'],
    ['size=301', 'size', 'Must be at most 300'],
    ['size=99999999999999999999', 'size', 'Must be at most 300'],
    ['size=ten', 'size', 'Must be a number'],
    ['size=', 'size', 'Must be a number'],
    ['page=0', 'page', 'Must be at least 1'],
    ['page=1.5', 'page', 'Must be a whole number'],
    ['sort=id:asc&sort=name:asc', 'sort', 'Send sort once'],
    ['sort[]=id:asc&sort=name:asc', 'sort', 'Send sort once'],
    [Array.from({ length: 51 }, () => 'filter=id:gt:0').join('&'), 'filter', 'At most 50 filters'],
    ['sizes=5', 'sizes', 'Unknown query parameter'],
    ['size[]=5', 'size[]', 'Unknown query parameter'],
    ['__proto__=5', '__proto__', 'Unknown query parameter'],
  ])('GET of a list with %s: %s: %s', async (search, field, message) => {
    const { status, body } = await world.cloud.ask('GET', `/v2/zones?${search}`, { token: OWNER_TOKEN });
    expect({ status, errors: body.errors }).toEqual({ status: 422, errors: [{ code: 23, field, message }] });
  });

  it('takes filter[] and sort[] for filter and sort', async () => {
    const path = '/v2/zones?filter[]=id:gt:0&filter%5B%5D=id:lt:3&filter=id:neq:2&sort[]=id:asc&size=1';
    const { status, body } = await world.cloud.ask('GET', path, { token: OWNER_TOKEN });
    expect([status, (body.data as { id: number }[]).map(({ id }) => id)]).toEqual([200, [1]]);
    expect(body).toMatchObject({ meta: { total: 1 } });
  });

  it('refuses an unknown parameter at every endpoint of the interface, and none of those that probes ask', async () => {
    const wrong: unknown[] = [];
    for (const { method, path, operation } of operationsOf(document)) {
      const isBare = path.startsWith('/v2/images/{uid}') || !path.startsWith('/v2/');
      const body = operation.requestBody === undefined ? {} : { json: {} };
      const one = path.replaceAll(/\{event_id\}/g, '00000000');
      const answer = await world.cloud.ask(method, `${asked(one)}?cache_buster=1`, { token: OWNER_TOKEN, ...body });
      const named = answer.body.errors?.some(({ field }) => field === 'cache_buster') ?? false;
      // What does not exist is said before what is wrong with the query.
      if (answer.status !== 404 && named === isBare) wrong.push([method, path, answer.status, answer.body.errors]);
    }
    expect(wrong).toEqual([]);
  });
});

describe('a refusal of very much', () => {
  let world: RestWorld;
  beforeAll(async () => {
    world = await startRestWorld();
  });
  afterAll(() => world.cloud.close());

  const refusal = async (body: string) => {
    const answer = await world.cloud.ask('POST', '/v2/groups', { token: OWNER_TOKEN, body });
    return { status: answer.status, errors: answer.body.errors ?? [] };
  };
  const nested = (levels: number) => `{"name":"x","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

  it('names 20 errors at most, the last one says how many more', async () => {
    const keys = (count: number) =>
      JSON.stringify({ name: 'x', ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])) });
    expect((await refusal(keys(20))).errors.map(({ field }) => field)).toEqual(
      Array.from({ length: 20 }, (_, at) => `k${at}`),
    );
    const { errors } = await refusal(keys(21));
    expect(errors).toHaveLength(20);
    expect(errors.at(-1)).toEqual({ code: 23, field: 'body', message: 'And 2 more' });
    const many = await refusal(keys(255));
    expect([many.status, many.errors.at(-1)?.message]).toEqual([422, 'And 236 more']);
  });

  it('counts 256 keys of one object', async () => {
    const keys = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [at, 0])));
    expect((await refusal(keys(256))).errors).toHaveLength(20);
    const message = 'Must have at most 256 keys in one object';
    expect((await refusal(keys(257))).errors).toEqual([{ code: 23, field: 'body', message }]);
    // Together they may have more.
    expect((await refusal(`{"x":[${keys(200)},${keys(200)}]}`)).errors).toContainEqual(
      expect.objectContaining({ field: 'x' }),
    );
  });

  it('counts 32 levels', async () => {
    expect((await refusal(nested(32))).errors).toEqual([{ code: 23, field: 'x', message: 'Unknown key' }]);
    const deep = [{ code: 23, field: 'body', message: 'Must be nested at most 32 deep' }];
    expect((await refusal(nested(33))).errors).toEqual(deep);
    expect((await refusal(nested(30_000))).errors).toEqual(deep);
  });

  it('looks at no item of a list that is too long', async () => {
    const { errors } = await refusal(
      JSON.stringify({ name: 'x', member_ids: Array.from({ length: 10_001 }, () => '') }),
    );
    expect(errors).toEqual([{ code: 23, field: 'member_ids', message: 'Must have at most 10000 items' }]);
  });
});
