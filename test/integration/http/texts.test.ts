import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchDocument, type JsonSchema, type OpenApiDocument, operationsOf } from '../../contract/openapi-document.js';
import { createEverything, seeVehicle, type Send, type Things, servedIn } from './rest-everything.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from './rest-world.js';

/** Only compared or hashed, so that nothing of them is stored. */
const NOT_STORED: Readonly<Record<string, readonly string[]>> = {
  'POST /v2/auth/login': ['password'],
  'POST /v2/gateways/claim': ['claim_code'],
  'POST /v2/account-users': ['password'],
  'PATCH /v2/account-users/{id}': ['password', 'old_password'],
  'PATCH /v2/account-users/profile': ['password', 'old_password'],
  'POST /v2/auth/password': ['token', 'password'],
  'POST /v2/weblinks/{id}/operation': ['token'],
  'POST /v2/weblinks/{id}/status': ['token'],
};

/** What a field may hold, where that is no plain text. */
const SAMPLES: Readonly<Record<string, string>> = {
  address: 'http://10.0.0.5/',
  url: 'https://hooks.east.example/in',
  license_plate: 'ZG1',
  plate: 'ZG1',
  plates: 'ZG1',
  entry_license_plate: 'ZG1',
  exit_license_plate: 'ZG1',
  receiver_identifier: 'ZG1',
  timezone: 'Europe/Zagreb',
  email: 'a@example.com',
  receiver_email: 'a@example.com',
  device_id: 'cam',
  currency: 'EUR',
  vat: '25',
  push_key: 'key',
};
const DESCRIPTIONS = ['description', 'stale_text', 'display_text'];

interface TextField {
  /** `receivers.0.name` */
  path: (string | number)[];
}

describe('a text in a body', () => {
  let world: RestWorld;
  let document: OpenApiDocument;
  let things: Things;
  const sent = new Map<string, Record<string, unknown>>();

  beforeAll(async () => {
    world = await startRestWorld({ loginFailuresPerMin: 0, publicPerMin: 0 });
    document = await fetchDocument(world.cloud.base);
    const send: Send = async (route, ids, json) => {
      const [method = '', path = ''] = route.split(' ');
      const asked = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));
      sent.set(route, json as Record<string, unknown>);
      const { status, body } = await world.cloud.ask(method, asked, { token: OWNER_TOKEN, json });
      expect([route, status, body.errors]).toEqual([route, 200, undefined]);
      return body.data as Record<string, unknown>;
    };
    things = await createEverything(send, servedIn(document.paths));
    await seeVehicle(world, things);
    const [reading] = await world.ids('/v2/plate-readings?filter=plate:eq:KA 100');
    things.set('/v2/plate-readings', reading ?? 0);
    things.set('/v2/terminals', 0);
  });
  afterAll(() => world.cloud.close());

  const schemaOf = (schema: JsonSchema): JsonSchema =>
    typeof schema.$ref === 'string' ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;

  /** The fields that hold texts, as deep as they stand. */
  function textFields(given: JsonSchema, path: TextField['path'] = []): TextField[] {
    const schema = schemaOf(given);
    const choices = [schema.anyOf, schema.oneOf, schema.allOf].flat().filter((each) => each !== undefined);
    const inChoices = choices.flatMap((each) => textFields(each as JsonSchema, path));
    const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
    const inside = properties.flatMap(([name, each]) => textFields(each, [...path, name]));
    const items = schema.items === undefined ? [] : textFields(schema.items as JsonSchema, [...path, 0]);
    const own = [schema.type].flat().includes('string') ? [{ path }] : [];
    const found = [...own, ...inChoices, ...inside, ...items];
    return [...new Map(found.map((each) => [each.path.join('.'), each])).values()];
  }

  /** A valid body with this text in the field. What stands around it is made as far as it is missing. */
  function bodyWith(base: Record<string, unknown>, { path }: TextField, text: string): unknown {
    const put = (value: unknown, [first, ...rest]: TextField['path']): unknown => {
      if (first === undefined) return text;
      if (typeof first === 'number') return [put(Array.isArray(value) ? value[0] : undefined, rest)];
      const around = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
      return { ...around, [first]: put(around[first], rest) };
    };
    return put(base, path);
  }

  const asked = (path: string): string => {
    const own = String(things.get(path.split('/{', 1)[0] ?? '') ?? world.site.zone);
    return path.replaceAll(/\{\w+\}/g, own);
  };

  it('holds no NUL, wherever it stands, and each field says so', async () => {
    const wrong: unknown[] = [];
    let fieldCount = 0;
    for (const { method, path, operation } of operationsOf(document)) {
      const schema = operation.requestBody?.content['application/json']?.schema;
      if (schema === undefined) continue;
      const route = `${method} ${path}`;
      for (const field of textFields(schema)) {
        const [name = ''] = field.path.filter((part) => typeof part === 'string').slice(-1);
        const notified = field.path.join('.');
        if (NOT_STORED[route]?.includes(notified)) continue;
        fieldCount += 1;
        const base = sent.get(route) ?? {};
        const sample = SAMPLES[name] ?? 'a1';
        const spoiled = `${sample.slice(0, -1)}\0${sample.slice(-1)}`;
        const json = bodyWith(base, field, spoiled);
        const { status, body } = await world.cloud.ask(method, asked(path), { token: OWNER_TOKEN, json });
        // There is no terminal in this test.
        if (status === 404 && path === '/v2/terminals/{id}') continue;
        const fields = (body.errors ?? []).map((each) => each.field);
        if (status !== 422 || !fields.includes(notified)) wrong.push([route, notified, status, body.errors]);
      }
    }
    expect(wrong).toEqual([]);
    expect(fieldCount).toBeGreaterThan(100);
  });

  it('may have lines in a description', async () => {
    for (const [path, kind] of [
      ['/v2/zones', 'description'],
      ['/v2/members', 'description'],
      ['/v2/groups', 'description'],
      ['/v2/rgb-displays', 'stale_text'],
      ['/v2/rgb-display-rules', 'display_text'],
    ] as const) {
      expect(DESCRIPTIONS).toContain(kind);
      const text = 'first\n\tsecond\r\nthird';
      const changed = await world.patch(`${path}/${things.get(path)}`, { [kind]: text });
      expect(changed).toMatchObject({ [kind]: text });
    }
  });

  it('is well-formed, and the body is UTF-8', async () => {
    const half = { name: 'S\ud800' };
    expect(await world.refused('POST', '/v2/groups', half)).toEqual([422, '23 name']);
    expect(await world.refused('PATCH', `/v2/groups/${things.get('/v2/groups')}`, half)).toEqual([422, '23 name']);
    const latin = Buffer.from('{"name":"Caf\u00e9"}', 'latin1');
    const streamed = new ReadableStream({
      start(controller) {
        controller.enqueue(latin);
        controller.close();
      },
    });
    for (const body of [latin, streamed]) {
      const answer = await world.cloud.ask('POST', '/v2/groups', { token: OWNER_TOKEN, body });
      expect([answer.status, answer.body.errors]).toEqual([
        422,
        [{ code: 23, field: 'body', message: 'Is not UTF-8' }],
      ]);
    }
  });
});
