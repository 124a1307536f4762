/** The audit log holds every change there is a request for, and every search for a plate. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyAudit } from '../../../cloud/kernel/audit/audit-chain-queries.js';
import { API_TOKEN, PASSWORD, RIVAL_TOKEN } from '../http/http-site.js';
import { fetchDocument } from '../../contract/openapi-document.js';
import {
  commandEverything,
  deleteEverything,
  createEverything,
  seeProduct,
  seeVehicle,
  type Send,
  SENT_ELSEWHERE,
  useEverything,
} from '../http/rest-everything.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

interface Entry {
  action: string;
  target: string;
  actor_type: string;
  actor_id: number | null;
  details: { keys?: string[]; values?: Record<string, unknown>; filter?: string[]; [key: string]: unknown };
}

describe('the audit log', () => {
  let world: RestWorld;
  beforeAll(async () => {
    world = await startRestWorld();
  });
  afterAll(() => world.cloud.close());

  const lastId = async () =>
    Number(
      (
        await world.cloud.store.reader
          .selectFrom('audit_log')
          .select(({ fn }) => fn.max('id').as('id'))
          .executeTakeFirstOrThrow()
      ).id,
    );

  /** What was told since, the oldest first. */
  async function since(id: number): Promise<Entry[]> {
    const rows = await world.cloud.store.reader
      .selectFrom('audit_log')
      .selectAll()
      .where('id', '>', id)
      .orderBy('id')
      .execute();
    // An import of members ends by itself, some time after its request.
    const requested = rows.filter(({ action }) => action !== 'member_import.end');
    return requested.map((row) => ({ ...row, details: JSON.parse(row.details) as Entry['details'] }));
  }

  it('has one entry for each request that changes something, whoever has made its route', async () => {
    const { cloud } = world;
    const document = await fetchDocument(cloud.base);
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const sent = new Map<string, Entry>();
    const send: Send = async (route, ids, json) => {
      const [method = '', template = ''] = route.split(' ');
      const path = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(ids[name]));
      const before = await lastId();
      const { status, body } = await cloud.ask(method, path, {
        token: OWNER_TOKEN,
        ...(json === undefined ? {} : { json }),
      });
      expect([route, status, body.errors]).toEqual([route, 200, undefined]);
      const entries = await since(before);
      expect([route, entries.length]).toEqual([route, method === 'GET' ? 0 : 1]);
      const [entry] = entries;
      const data = (body.data ?? {}) as Record<string, unknown>;
      if (entry !== undefined) {
        expect(entry).toMatchObject({ actor_type: 'user', actor_id: world.site.owner });
        expect([route, entry.action]).toEqual([route, expect.stringMatching(/^[a-z_]+(\.[a-z_]+)+$/)]);
        // Of what was made, the id that it got; of the rest, the ids in the path.
        const logged = [...Object.values(ids), ...(entry.action.endsWith('.create') ? [data.id] : [])];
        const ofPath = route.endsWith('/profile') ? [world.site.owner] : logged;
        expect([route, entry.target]).toEqual([route, expect.stringMatching(ofPath.map((id) => ` ${id}`).join('.*'))]);
        expect([route, entry.details.keys ?? []]).toEqual([route, expect.arrayContaining(Object.keys(json ?? {}))]);
        sent.set(route, entry);
      }
      return data;
    };
    const served = (route: string) => routes.includes(route);

    const things = await createEverything(send, served);
    await useEverything(send, served, things);
    await seeProduct(world, things);
    await seeVehicle(world, things);
    await commandEverything(send, things, async () => {
      await cloud.clock.advance(31_000);
      await waitUntil('the end of a command', async () => {
        const open = await cloud.store.reader.selectFrom('commands').select('event_id').where('status', '=', 'pending');
        return (await open.execute()).length === 0;
      });
      await seeProduct(world, things);
    });
    await deleteEverything(send, served, things);

    const isElsewhere = (route: string) => SENT_ELSEWHERE.some((each) => each.routes.test(route));
    const unsent = routes.filter((route) => !route.startsWith('GET') && !sent.has(route) && !isElsewhere(route));
    expect(unsent, 'add them to rest-everything.ts').toEqual([]);
    expect(await verifyAudit(cloud.store.reader, cloud.secrets.derive('audit_log'))).toMatchObject({ broken: null });

    expect(sent.get('POST /v2/products/{id}/state')).toMatchObject({
      action: 'product.state',
      details: { values: { operation: 'open', reason: 'A courier' }, event_id: expect.stringMatching(/^[0-9a-f]{8}$/) },
    });
    expect(sent.get('POST /v2/lots/{id}/release')).toMatchObject({
      action: 'lot.release',
      details: { values: { hold: 1 }, event_ids: [expect.any(String)] },
    });
    expect(sent.get('PATCH /v2/plate-readings/{id}')).toMatchObject({
      action: 'plate_reading.update',
      details: { values: { plate: 'KA 101' }, previous_plate: 'KA 100' },
    });
    expect(sent.get('POST /v2/products/{id}/bound-licenses')?.action).toBe('product.bound_license.create');
    expect(sent.get('DELETE /v2/groups/{id}/members/{memberId}')?.action).toBe('group.member.delete');
  });

  it('holds no secret', async () => {
    const rows = await world.cloud.store.reader.selectFrom('audit_log').selectAll().execute();
    const text = JSON.stringify(rows);
    for (const secret of ['1'.repeat(64), 'a pass phrase', OWNER_TOKEN]) expect(text).not.toContain(secret);
  });

  it('tells who signed in, and from where', async () => {
    const before = await lastId();
    const credentials = { email: 'guard@harbour.example', password: PASSWORD };
    expect((await world.cloud.ask('POST', '/v2/auth/login', { json: credentials })).status).toBe(200);
    expect(await since(before)).toMatchObject([
      {
        account_id: world.site.harbour,
        action: 'auth.login',
        actor_type: 'user',
        actor_id: world.site.guard,
        target: `account user ${world.site.guard}`,
        details: { keys: ['email', 'password'], address: '127.0.0.1' },
      },
    ]);
  });

  it.each([
    ['/v2/plate-readings', 'plate readings'],
    ['/v2/sessions', 'sessions'],
    ['/v2/sessions/analytics', 'sessions analytics'],
    ['/v2/sessions/vehicle-analytics', 'sessions vehicle analytics'],
  ])('tells who looked for a plate in %s, and for which', async (path, target) => {
    const before = await lastId();
    await world.cloud.ask('GET', `${path}?filter=plate:like:zg-12&filter=zone_id:eq:1`, { token: API_TOKEN });
    await world.cloud.ask('GET', `${path}?filter=zone_id:eq:1&filter=plate:isnull`, { token: API_TOKEN });
    await world.cloud.ask('GET', path, { token: API_TOKEN });
    await world.cloud.ask('GET', `${path}?filter=plate:eq:ZG12`, { token: RIVAL_TOKEN });
    expect(await since(before)).toMatchObject([
      {
        account_id: world.site.harbour,
        action: 'plate.search',
        actor_type: 'api_token',
        target,
        details: { filter: ['plate:like:ZG12', 'zone_id:eq:1'] },
      },
      { account_id: world.site.rival, action: 'plate.search', details: { filter: ['plate:eq:ZG12'] } },
    ]);
  });

  it.each([
    ['/v2/sessions/export', 'session.export'],
    ['/v2/sessions/vehicle-analytics/export', 'session.vehicle_analytics.export'],
  ])('tells of %s, whatever is in it', async (path, action) => {
    const before = await lastId();
    await world.cloud.ask('GET', `${path}?filter=zone_id:eq:1`, { token: OWNER_TOKEN });
    await world.cloud.ask('GET', path, { token: OWNER_TOKEN });
    expect(await since(before)).toMatchObject([
      { action, actor_id: world.site.owner, details: { filter: ['zone_id:eq:1'] } },
      { action, details: { filter: [] } },
    ]);
  });

  it('has no entry for what was refused, and one for what was sent twice with a key', async () => {
    const before = await lastId();
    await world.refused('POST', '/v2/zones', { name: 'x' });
    await world.refused('DELETE', '/v2/zones/999999');
    await world.refused('POST', '/v2/sessions', { zone_id: 999_999 });
    const named = { token: OWNER_TOKEN, json: { name: 'Once' }, headers: { 'idempotency-key': 'audit' } };
    await world.cloud.ask('POST', '/v2/members', named);
    await world.cloud.ask('POST', '/v2/members', named);
    expect((await since(before)).map(({ action }) => action)).toEqual(['member.create']);
    expect(await verifyAudit(world.cloud.store.reader, world.cloud.secrets.derive('audit_log'))).toMatchObject({
      broken: null,
    });
  });

  it('keeps the words of requests that come at once apart', async () => {
    const before = await lastId();
    const names = Array.from({ length: 20 }, (_none, at) => `Member ${at}`);
    const made = await Promise.all(names.map((name) => world.post<{ id: number }>('/v2/members', { name })));
    const targets = (await since(before)).map(({ target }) => target);
    expect(targets.toSorted()).toEqual(made.map(({ id }) => `member ${id}`).toSorted());
    expect(await verifyAudit(world.cloud.store.reader, world.cloud.secrets.derive('audit_log'))).toMatchObject({
      broken: null,
    });
  });
});
