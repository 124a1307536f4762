/** Whoever asks about a person or a plate has an entry in the audit log, whichever list answers; and who may read the entry. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fetchDocument } from '../../contract/openapi-document.js';
import { API_TOKEN } from '../http/http-site.js';
import { createEverything, type Things } from '../http/rest-everything.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

/** Fields of text whose values name nobody. Whoever adds a field of text to a list decides it: `personField`, or a line here. */
const NAMES_NOBODY = [
  'GET /v2/api-tokens: name',
  'GET /v2/audit-log: action target',
  'GET /v2/gateways: name uuid',
  'GET /v2/groups: name',
  'GET /v2/license-plate-alerts: name',
  'GET /v2/lots: name',
  'GET /v2/lpr-cameras: device_id name',
  'GET /v2/openings/counts: event_id',
  'GET /v2/openings/export: event_id',
  'GET /v2/openings: event_id',
  'GET /v2/parking-gateways: name',
  'GET /v2/parking-places: name',
  'GET /v2/payments/export: reference',
  'GET /v2/plate-readings/export: color country_code make model',
  'GET /v2/plate-readings: color country_code make model',
  'GET /v2/products: device_id name',
  'GET /v2/rgb-display-rules: name',
  'GET /v2/rgb-displays: name',
  'GET /v2/sessions/analytics: public_id',
  'GET /v2/sessions/export: public_id',
  'GET /v2/sessions/vehicle-analytics/export: public_id',
  'GET /v2/sessions/vehicle-analytics: public_id',
  'GET /v2/sessions/{id}/payments: reference',
  'GET /v2/sessions: public_id',
  'GET /v2/tariffs: name',
  'GET /v2/terminals: device_id name',
  'GET /v2/weblinks: id name',
  'GET /v2/zones: name',
];

/** Fields of ids that are people. */
const PEOPLE: ReadonlySet<string> = new Set(['receiver_id', 'sender_id']);

/** Other parameters of a query that name somebody. */
const NAMING = /plate|mail|receiver|sender|name|phone/;

interface Parameter {
  name: string;
  in: string;
  description?: string;
}

interface Read {
  path: string;
  parameters: Parameter[];
  /** Each with its rules. */
  fields: [name: string, rules: string[]][];
}

describe('reads that name a person or a plate', () => {
  let world: RestWorld;
  let things: Things;
  let reads: Read[];

  beforeAll(async () => {
    world = await startRestWorld();
    const document = await fetchDocument(world.cloud.base);
    reads = Object.entries(document.paths).flatMap(([path, methods]) => {
      const get = (methods as { get?: { parameters?: Parameter[] } }).get;
      return get === undefined ? [] : [{ path, parameters: get.parameters ?? [], fields: fieldsOf(get.parameters) }];
    });
    things = await createEverything(
      (route, ids, json) => world.post(pathOf(route.split(' ')[1] ?? '', ids), json),
      (route) => (route.split(' ')[1] ?? '') in document.paths,
    );
    // An import has an entry when it ends, which must not come while the entries of a read are looked for.
    const running = async () =>
      (await world.cloud.ask('GET', '/v2/member-imports?filter=status:eq:running', { token: OWNER_TOKEN })).body.data;
    await vi.waitFor(async () => expect(await running()).toEqual([]));
  });
  afterAll(() => world.cloud.close());

  const fieldsOf = (parameters: Parameter[] = []): Read['fields'] => {
    const text = parameters.find(({ name }) => name === 'filter')?.description ?? '';
    return [...text.matchAll(/^- `(\w+)`: (.*)$/gm)].map(([, name = '', rules = '']) => [name, rules.split(' ')]);
  };
  const pathOf = (path: string, ids: Record<string, unknown>) =>
    path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));
  /** With the id of the thing that the path names. */
  const realPath = (path: string) => pathOf(path, { id: things.get(path.split('/{')[0] ?? '') });

  async function entriesOf(path: string, token = OWNER_TOKEN) {
    const last = await world.cloud.store.reader
      .selectFrom('audit_log')
      .select('id')
      .orderBy('id', 'desc')
      .limit(1)
      .execute();
    const { status, body } = await world.cloud.ask('GET', path, { token });
    expect([path, status, body?.errors]).toEqual([path, 200, undefined]);
    const rows = await world.cloud.store.reader
      .selectFrom('audit_log')
      .selectAll()
      .where('id', '>', last[0]?.id ?? 0)
      .execute();
    return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Record<string, unknown> }));
  }

  it('have an entry, in every list and for every field of text, but for those that name nobody', async () => {
    const unaudited: string[] = [];
    for (const { path, fields } of reads) {
      const silent: string[] = [];
      for (const [field, rules] of fields) {
        if (!rules.includes('like') && !PEOPLE.has(field)) continue;
        const value = PEOPLE.has(field) ? `eq:${silent.length + 1}` : 'like:zg1';
        const url = `${realPath(path)}?filter=${field}:${value}`;
        const entries = await entriesOf(url);
        // Exports have an entry whatever is asked.
        const named = entries.filter(({ action }) => /^(plate|person)\.search$/.test(action));
        const isFile = path.endsWith('/export');
        if (named.length === 0 && !(isFile && ['plate', 'by'].includes(field))) silent.push(field);
        else
          expect([url, entries]).toMatchObject([
            url,
            [{ is_read: 1, details: { filter: [expect.stringContaining(field)] } }],
          ]);
      }
      if (silent.length > 0) unaudited.push(`GET ${path}: ${silent.toSorted().join(' ')}`);
    }
    expect(unaudited.toSorted()).toEqual(NAMES_NOBODY.toSorted());
  });

  it('have an entry whatever the rule, but for whether there is a value', async () => {
    for (const rule of ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'nlike', 'in', 'nin']) {
      const entries = await entriesOf(`/v2/members?filter=email:${rule}:${rule}@example.com`);
      expect([rule, entries]).toMatchObject([rule, [{ action: 'person.search', target: 'members' }]]);
    }
    expect(await entriesOf('/v2/members?filter=email:isnull')).toEqual([]);
    expect(await entriesOf('/v2/members?filter=email:eq:a@example.com&filter=license_plate:eq:ZG1')).toMatchObject([
      { action: 'plate.search', details: { filter: ['email:eq:a@example.com', 'license_plate:eq:ZG1'] } },
    ]);
  });

  it('have no parameters that name somebody beyond those that are known to have an entry', () => {
    const naming = reads.flatMap(({ path, parameters }) =>
      parameters.filter((each) => each.in === 'query' && NAMING.test(each.name)).map(({ name }) => `${path} ${name}`),
    );
    expect(naming).toEqual(['/v2/lots/{id}/would-admit plate']);
  });

  it('have an entry when they ask what becomes of a plate, with the lot', async () => {
    const lot = things.get('/v2/lots');
    const camera = things.get('/v2/lpr-cameras');
    const at = '2026-01-01T10:00:00.000Z';
    const asked = `/v2/lots/${lot}/would-admit?plate=ZG%201&lpr_camera_id=${camera}`;
    expect(await entriesOf(asked)).toMatchObject([
      {
        action: 'lot.would_admit',
        target: `lot ${lot}`,
        lot_id: lot,
        is_read: 1,
        details: { values: { plate: 'ZG 1', lpr_camera_id: camera } },
      },
    ]);
    expect(await entriesOf(`${asked}&at=${at}`)).toMatchObject([{ details: { values: { at: Date.parse(at) } } }]);
  });

  it('have an entry when they show operation tokens, which are credentials', async () => {
    expect(await entriesOf('/v2/operation-tokens')).toMatchObject([
      { action: 'operation_token.read', target: 'operation tokens', lot_id: null, is_read: 1 },
    ]);
    const token = things.get('/v2/operation-tokens');
    const product = await world.get<{ lot_id: number }>(`/v2/products/${things.get('/v2/products')}`);
    expect(await entriesOf(`/v2/operation-tokens/${token}/delivery`)).toMatchObject([
      { action: 'operation_token.read', target: `operation token ${token}`, lot_id: product.lot_id },
    ]);
  });

  it('have one entry for a question: its pages, and asking again within a minute, are the same', async () => {
    const asked = '/v2/members?filter=license_plate:eq:SAME1';
    expect(await entriesOf(asked)).toHaveLength(1);
    expect(await entriesOf(`${asked}&page=2&size=5&sort=name:desc`)).toEqual([]);
    expect(await entriesOf(asked, API_TOKEN)).toHaveLength(1);
    expect(await entriesOf('/v2/members?filter=license_plate:eq:SAME2')).toHaveLength(1);
    await world.cloud.clock.advance(60_001);
    expect(await entriesOf(asked)).toHaveLength(1);
    // What leaves as a file is told each time.
    const file = '/v2/sessions/export?filter=plate:eq:SAME1';
    expect(await entriesOf(file)).toHaveLength(1);
    expect(await entriesOf(file)).toHaveLength(1);
  });
});

describe('an entry of a read', () => {
  let world: RestWorld;
  beforeAll(async () => {
    world = await startRestWorld();
  });
  afterAll(() => world.cloud.close());

  const filters = async (token: string) => {
    const { body } = await world.cloud.ask('GET', '/v2/audit-log?size=100', { token });
    const rows = body.data as { lot_id: number | null; details: { filter?: string[] } }[];
    return rows.flatMap(({ lot_id, details }) => (details.filter ?? []).map((each) => `${lot_id} ${each}`)).toSorted();
  };

  it('is of the lot that was asked, or of none and then for Super Admins alone', async () => {
    const { north, south, rivalLot } = world.site;
    await world.get('/v2/sessions?filter=plate:eq:NONE');
    await world.get(`/v2/sessions?filter=plate:eq:NORTH&filter=lot_id:eq:${north}`);
    await world.get(`/v2/sessions?filter=plate:eq:SOUTH&filter=lot_id:eq:${south}`);
    await world.get(`/v2/sessions?filter=plate:eq:BOTH&filter=lot_id:in:${north},${south}`);
    // Of a lot that is not the asker's nothing is read, and those who have it are told nothing.
    await world.get(`/v2/sessions?filter=plate:eq:ELSE&filter=lot_id:eq:${south}`, ADMIN_TOKEN);
    await world.get(`/v2/sessions?filter=plate:eq:RIVAL&filter=lot_id:eq:${rivalLot}`);
    const plates = (all: string[]) => all.filter((each) => each.includes(' plate:'));
    expect(plates(await filters(OWNER_TOKEN))).toEqual(
      [
        'null plate:eq:BOTH',
        'null plate:eq:ELSE',
        'null plate:eq:NONE',
        'null plate:eq:RIVAL',
        `${north} plate:eq:NORTH`,
        `${south} plate:eq:SOUTH`,
      ].toSorted(),
    );
    expect(plates(await filters(ADMIN_TOKEN))).toEqual([`${north} plate:eq:NORTH`]);
  });

  it('hides no change of the account itself from Admins', async () => {
    const { id } = await world.post<{ id: number }>('/v2/members', { name: 'Mia' });
    const { body } = await world.cloud.ask('GET', '/v2/audit-log?size=1', { token: ADMIN_TOKEN });
    expect(body.data).toMatchObject([{ action: 'member.create', target: `member ${id}`, lot_id: null }]);
  });

  it('counts in the head of the log, which Super Admins alone read', async () => {
    const head = await world.get<{ entries: number; hash: string; at: string }>('/v2/audit-head');
    const { body } = await world.cloud.ask('GET', '/v2/audit-log?size=1', { token: OWNER_TOKEN });
    const [last] = body.data as { id: number; hash: string }[];
    expect(head).toEqual({ entries: last?.id, hash: last?.hash, at: new Date(world.cloud.clock.now()).toISOString() });
    expect(await world.refused('GET', '/v2/audit-head', undefined, ADMIN_TOKEN)).toEqual([403, '4']);
  });
});
