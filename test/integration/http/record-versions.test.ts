import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEverything, type Send, type Things, useEverything, servedIn } from './rest-everything.js';
import { fetchDocument, type OpenApiDocument } from '../../contract/openapi-document.js';
import { type Answer } from './http-world.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, startRestWorld } from './rest-world.js';
import { runs } from '../../depth.js';

const RACES = runs(100, 3, 15);
const ETAG = /^"[\w-]+"$/;

/** POSTs whose answer is no record. */
const NO_RECORD =
  /\/(login|claim|state|settings|pair|release|clear|test|reveal|console-password|now)$|^PATCH \/v2\/(key-logs|members)$/;

/** Lists whose records hold what moves by itself. */
const MOVING = ['/v2/sessions', '/v2/key-logs'];

describe('the version of a record', () => {
  let world: RestWorld;
  let document: OpenApiDocument;
  let things: Things;
  const answers: { route: string; path: string; answer: Answer }[] = [];

  const ask = (
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = {},
    token = OWNER_TOKEN,
  ) => world.cloud.ask(method, path, { token, headers, ...(json === undefined ? {} : { json }) });
  const etagOf = async (path: string, token = OWNER_TOKEN): Promise<string> =>
    (await ask('GET', path, undefined, {}, token)).headers.get('etag') ?? '';
  const served = (route: string) => servedIn(document.paths)(route);
  const idOf = (answer: Answer) => (answer.body.data as { id?: number | string } | undefined)?.id;

  beforeAll(async () => {
    world = await startRestWorld({ loginFailuresPerMin: 0, publicPerMin: 0 });
    document = await fetchDocument(world.cloud.base);
    const send: Send = async (route, ids, json) => {
      const [method = '', written = ''] = route.split(' ');
      const path = written.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));
      const answer = await ask(method, path, json);
      expect([route, answer.status, answer.body.errors]).toEqual([route, 200, undefined]);
      answers.push({ route, path, answer });
      // What is answered is what GET shows, as long as nobody changes it.
      const id = idOf(answer);
      const shown = method === 'POST' && served(`GET ${written}/{id}`) ? `${path}/${id}` : onePath(path);
      // An import goes on meanwhile.
      const isLasting = method !== 'DELETE' && written !== '/v2/member-imports';
      if (isLasting && id !== undefined && served(`GET ${written}${method === 'POST' ? '/{id}' : ''}`)) {
        expect([route, answer.headers.get('etag')]).toEqual([route, await etagOf(shown)]);
      }
      return answer.body.data as Record<string, unknown>;
    };
    things = await createEverything(send, served);
    await useEverything(send, served, things);
  });
  afterAll(() => world.cloud.close());

  const onePath = (path: string) =>
    path.endsWith('/profile')
      ? `/v2/account-users/${world.site.owner}`
      : path.endsWith('/plan') || path === '/v2/account'
        ? path
        : path.replace(/^(\/v2\/[^/]+\/[^/]+).*$/, '$1');

  it('is in every answer to POST, PATCH and PUT that shows a record', () => {
    const changing = answers.filter(({ route }) => /^(POST|PATCH|PUT) /.test(route) && !NO_RECORD.test(route));
    const without = changing.filter(({ answer }) => !ETAG.test(answer.headers.get('etag') ?? ''));
    expect(without.map(({ route }) => route)).toEqual([]);
    expect(changing.length).toBeGreaterThan(40);
  });

  it('is that of the following GET after an action on a record, too', async () => {
    for (const [route, path] of [
      ['POST', `/v2/sessions/${things.get('/v2/sessions')}/close`],
      ['PUT', `/v2/groups/${things.get('/v2/groups')}/members/${things.get('/v2/members')}`],
      ['PUT', `/v2/lots/${things.get('/v2/lots')}/plan`],
      ['POST', `/v2/gateways/${things.get('/v2/gateways')}/claim-code`],
      ['PATCH', '/v2/account-users/profile'],
    ] as const) {
      const answer = await ask(route, path, route !== 'PUT' ? {} : path.endsWith('/plan') ? { items: [] } : undefined);
      expect([path, answer.status, answer.headers.get('etag')]).toEqual([path, 200, await etagOf(onePath(path))]);
    }
  });

  it('is answered by 304 without a body while it is known, and again in full afterwards', async () => {
    let asked = 0;
    for (const [path, id] of things) {
      if (!served(`GET ${path}/{id}`) || MOVING.includes(path)) continue;
      asked += 1;
      const one = `${path}/${id}`;
      const etag = await etagOf(one);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const same = await ask('GET', one, undefined, { 'if-none-match': known });
        expect([one, known, same.status, same.text, same.headers.get('etag')]).toEqual([one, known, 304, '', etag]);
      }
      const other = await ask('GET', one, undefined, { 'if-none-match': '"other"' });
      expect([one, other.status, other.headers.get('etag')]).toEqual([one, 200, etag]);
    }
    expect(asked).toBeGreaterThan(15);
  });

  it('is no answer where something moves by itself: that is sent in full, and nobody keeps it', async () => {
    const moving = MOVING.map((path) => [`${path}/{id}`, things.get(path)] as const);
    for (const [path, id] of [...moving, ['/v2/gateways/{id}/update', things.get('/v2/gateways')] as const]) {
      expect(Object.keys(document.paths[path]?.get?.responses ?? {})).not.toContain('304');
      const one = path.replace('{id}', String(id));
      const etag = await etagOf(one);
      expect(etag).toMatch(ETAG);
      const { status, headers } = await ask('GET', one, undefined, { 'if-none-match': etag });
      const seen = [one, status, headers.get('etag'), headers.get('cache-control')];
      expect(seen).toEqual([one, 200, etag, 'no-store']);
    }
  });

  it('refuses every write to a record when it does not fit, and nothing is written', async () => {
    const journal = async () =>
      world.cloud.store.reader
        .selectFrom('audit_log')
        .select(({ fn }) => fn.max('id').as('id'))
        .executeTakeFirstOrThrow();
    let asked = 0;
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (method === 'get' || !path.includes('{') || operation.security.length === 0) continue;
        const list = [...things.keys()].findLast((each) => path.startsWith(`${each}/{`)) ?? path.split('/{', 1)[0];
        const own = things.get(list ?? '');
        if (own === undefined) continue;
        const ids: Record<string, unknown> = {
          id: things.get(path.split('/{', 1)[0] ?? ''),
          memberId: things.get('/v2/members'),
          licenseId: things.get('/v2/products/{id}/bound-licenses'),
        };
        const one = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name] ?? 1));
        const before = await journal();
        const answer = await ask(
          method.toUpperCase(),
          one,
          SAMPLE_BODIES[path.split('/').at(-1) ?? ''] ?? (method === 'put' || method === 'delete' ? undefined : {}),
          {
            'if-match': '"other"',
          },
        );
        if (answer.status === 404 || answer.status === 422) continue;
        asked += 1;
        expect([method, path, answer.status, answer.body.errors?.[0]?.code]).toEqual([method, path, 412, 23]);
        expect(await journal()).toEqual(before);
      }
    }
    expect(asked).toBeGreaterThan(35);
  });

  it('lets a write through once when it fits', async () => {
    const path = `/v2/zones/${things.get('/v2/zones')}`;
    const etag = await etagOf(path);
    const first = await ask('PATCH', path, { name: 'First' }, { 'if-match': `"x", W/${etag}` });
    expect([first.status, first.headers.get('etag')]).toEqual([200, await etagOf(path)]);
    const second = await ask('PATCH', path, { name: 'Second' }, { 'if-match': etag });
    expect([second.status, (await world.get(path)).name]).toEqual([412, 'First']);
    expect((await ask('PATCH', path, { name: 'Third' }, { 'if-match': '*' })).status).toBe(200);
    const bound = `/v2/products/${things.get('/v2/products')}/bound-licenses`;
    const made = await ask('POST', bound, { license_plate: 'RI 77' });
    const removed = await ask('DELETE', `${bound}/${idOf(made)}`, undefined, {
      'if-match': made.headers.get('etag') ?? '',
    });
    expect(removed.status).toBe(200);
  });

  it('is asked after everything that is wrong with the request itself', async () => {
    const path = `/v2/zones/${things.get('/v2/zones')}`;
    const headers = { 'if-match': '"other"' };
    expect((await world.cloud.ask('PATCH', path, { json: {}, headers })).status).toBe(401);
    expect((await ask('PATCH', '/v2/zones/999999', {}, headers)).status).toBe(404);
    expect((await ask('PATCH', path, { name: 7 }, headers)).status).toBe(422);
  });

  it(`lets one of two writers through, ${RACES} times`, async () => {
    const path = `/v2/members/${things.get('/v2/members')}`;
    for (let race = 0; race < RACES; race += 1) {
      const etag = await etagOf(path);
      const write = (name: string, token: string) => ask('PATCH', path, { name }, { 'if-match': etag }, token);
      const both = await Promise.all([write(`A ${race}`, OWNER_TOKEN), write(`B ${race}`, ADMIN_TOKEN)]);
      expect([race, both.map(({ status }) => status).toSorted()]).toEqual([race, [200, 412]]);
      const won = both.find(({ status }) => status === 200);
      expect((await world.get(path)).name).toEqual((won?.body.data as { name: string } | undefined)?.name);
    }
  });

  it('stays for an open session while time goes on, and changes with its readings', async () => {
    const { id, created_at } = await world.post<{ id: number; created_at: string }>('/v2/sessions', {
      zone_id: world.site.zone,
      entry_license_plate: 'ZG 2000 X',
    });
    const path = `/v2/sessions/${id}`;
    const before = await etagOf(path);
    await world.cloud.clock.sleep(2 * 3_600_000);
    const { duration, amount_due } = await world.get<{ duration: number; amount_due: number }>(path);
    expect([created_at, duration > 0, amount_due > 0]).toEqual([created_at, true, true]);
    expect(await etagOf(path)).toBe(before);
    const [reading] = (await world.get<{ plate_readings: { id: number }[] }>(path)).plate_readings;
    if (reading !== undefined) {
      await world.patch(`/v2/plate-readings/${reading.id}`, { plate: 'ZG 2001 X' });
      expect(await etagOf(path)).not.toBe(before);
    }
    const etag = await etagOf(path);
    const paid = await ask('POST', `${path}/payments`, { amount: 1, overpays: true }, { 'if-match': etag });
    expect(paid.status).toBe(200);
    expect(await etagOf(path)).not.toBe(etag);
    expect((await ask('POST', `${path}/payments`, { amount: 1, overpays: true }, { 'if-match': etag })).status).toBe(
      412,
    );
    expect((await world.get<{ amount_paid: number }>(path)).amount_paid).toBe(1);
  });

  it('does not tell of links that are signed anew', async () => {
    const path = `/v2/plate-readings/${things.get('/v2/plate-readings')}`;
    const before = await etagOf(path);
    await world.cloud.clock.advance(60_000);
    expect(await etagOf(path)).toBe(before);
  });
});

/** Of actions that refuse an empty object, by the last part of their path. */
const SAMPLE_BODIES: Readonly<Record<string, object>> = {
  state: { operation: 'open' },
  settings: { autoclose_time: 20 },
  release: { hold: 1 },
  payments: { amount: 1, overpays: true },
  plan: { items: [] },
  pair: { label_secret: '0'.repeat(32) },
  'bound-licenses': { license_plate: 'KA 7' },
};
