import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { newWeblinkSchema, WEBLINK_ANSWER } from '../../../cloud/guests/weblink/weblink-resource.js';
import { weblinkToken } from '../../../cloud/guests/weblink/weblink-tokens.js';
import { GUARD_TOKEN } from '../http/http-site.js';
import { gatewayRow } from '../gateway/link-site.js';
import type { AskOptions } from '../http/http-world.js';
import { ADMIN_TOKEN, OWNER_TOKEN, type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';
import { noteHeard } from '../product/note-heard.js';
import { HOUR_MS } from '../../../shared/durations.js';

const PATH = '/v2/weblinks';
const SINCE = { start_time: '2026-01-01T00:00:00Z' };

let world: RestWorld;
let gateway: number;
/** A barrier in North, paired. */
let barrier: number;
let southern: number;
beforeAll(async () => {
  world = await startRestWorld();
  const { site, cloud } = world;
  gateway = await cloud.store.change(async (tx) => {
    const row = gatewayRow({ account_id: site.harbour, lot_id: site.north, slot: 1, name: 'Pi' });
    const online = { ...row, uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01', status: 'online' as const };
    return (await tx.insertInto('gateways').values(online).returning('id').executeTakeFirstOrThrow()).id;
  });
  const product = async (device_id: string, zone_id: number) => {
    const body = { device_id, zone_id, name: 'Entry', product_type_id: 1, master_key: 'ab'.repeat(32) };
    return (await world.post<{ id: number }>('/v2/products', body)).id;
  };
  barrier = await product('a4c138000001', site.zone);
  southern = await product('a4c138000002', site.southZone);
});
afterAll(() => world.cloud.close());

const make = async (body: object = {}, token?: string) =>
  newWeblinkSchema.parse(await world.post(PATH, { product_id: barrier, ...SINCE, ...body }, token));
const iso = (fromNowMs: number) => new Date(world.cloud.clock.now() + fromNowMs).toISOString();

describe('weblinks over REST', () => {
  it('show their token once, in the fragment of their address', async () => {
    const { cloud } = world;
    const { token, url, ...link } = await make();
    expect(link.id).toMatch(/^[\w-]{12,}$/);
    expect(link).toEqual({
      id: link.id,
      product_id: barrier,
      name: '',
      operations: ['open', 'close'],
      start_time: '2026-01-01T00:00:00.000Z',
      end_time: null,
      used_count: 0,
      revoked_at: null,
      created_at: iso(0),
      updated_at: iso(0),
    });
    expect(token).toBe(weblinkToken(cloud.secrets, { id: link.id, generation: 0 }));
    expect(url).toBe(`${cloud.base}/weblinks/${link.id}#${token}`);
    expect(WEBLINK_ANSWER.schema.parse(await world.get(`${PATH}/${link.id}`))).toEqual(link);
    expect(await world.get(PATH)).toEqual([link]);

    // A replayed answer does not show the secret.
    const headers = { 'idempotency-key': 'courier' };
    const json = { product_id: barrier, ...SINCE, name: 'Courier' };
    const first = await cloud.ask('POST', PATH, { token: OWNER_TOKEN, json, headers });
    const again = await cloud.ask('POST', PATH, { token: OWNER_TOKEN, json, headers });
    expect(again.body.data).toEqual({ ...newWeblinkSchema.parse(first.body.data), token: null, url: null });
    for (const { id } of [link, newWeblinkSchema.parse(first.body.data)]) await world.remove(`${PATH}/${id}`);
  });

  it('are led back to their token when its # was escaped on the way, and a look at them moves nothing', async () => {
    const { cloud } = world;
    const { token, url, id } = await make();
    const escaped = url?.replace('#', '%23') ?? '';
    for (const method of ['GET', 'HEAD']) {
      for (const [address, location] of [
        [url, null],
        [escaped, `${id}#${token}`],
        [`${escaped}&utm_source=mail`, `${id}#${token}`],
        [`${cloud.base}/weblinks/${id}%23%0d%0aX:y`, null],
      ] as const) {
        const answer = await fetch(address ?? '', { method, redirect: 'manual' });
        expect([answer.status, answer.headers.get('location')]).toEqual([location === null ? 200 : 302, location]);
      }
    }
    expect(await world.get(`${PATH}/${id}`)).toMatchObject({ used_count: 0 });
    for (const address of [escaped, escaped.replace('%23', '%2523'), escaped.replace('/weblinks', '/v2/weblinks')]) {
      for (const method of ['POST', 'DELETE']) {
        expect((await fetch(address, { method, redirect: 'manual' })).status).toBeGreaterThanOrEqual(400);
      }
    }
    const lines = JSON.stringify(cloud.log);
    expect(lines).toContain(`"path":"/weblinks/${id}%23…"`);
    expect(lines).not.toContain(token);
    await world.remove(`${PATH}/${id}`);
  });

  it('are changed in part, keep their token, and are gone when they are revoked', async () => {
    const { token, url, ...link } = await make({ name: 'Courier', operations: ['close', 'open', 'close'] });
    const path = `${PATH}/${link.id}`;
    expect(link.operations).toEqual(['close', 'open']);
    const until = { end_time: iso(HOUR_MS), operations: ['open', 'stay_open'] };
    expect(await world.patch(path, until)).toEqual({ ...link, ...until, updated_at: iso(0) });
    expect(await world.refused('PATCH', path, { start_time: iso(HOUR_MS) })).toEqual([422, '23 start_time']);
    expect(await world.refused('PATCH', path, { end_time: SINCE.start_time })).toEqual([422, '23 end_time']);
    expect(await world.refused('PATCH', path, { product_id: southern, operations: [] })).toEqual([
      422,
      '23 operations',
      '23 product_id',
    ]);
    expect(await world.refused('POST', `${path}/status`, { token })).toEqual([200]);
    expect(url).toContain(link.id);
    expect(await world.remove(path)).toEqual({ ...link, ...until, revoked_at: iso(0), updated_at: iso(0) });
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? {} : undefined;
      expect([method, await world.refused(method, path, body)]).toEqual([method, [404, '6']]);
    }
    expect(await world.get(PATH)).toEqual([]);
  });

  it('refuse every wrong field at once', async () => {
    const wrong = { product_id: 999_999, operations: ['open', 'explode'], ...SINCE, end_time: '2025-01-01', colour: 1 };
    expect((await world.refused('POST', PATH, wrong)).toSorted()).toEqual(
      [422, '23 colour', '23 end_time', '23 operations.1', '23 product_id'].toSorted(),
    );
    expect(await world.refused('POST', PATH, {})).toEqual([422, '23 product_id', '23 start_time']);
    const badTime = { product_id: barrier, start_time: '1969-12-31T00:00:00Z' };
    expect(await world.refused('POST', PATH, badTime)).toEqual([422, '23 start_time']);
    for (const product_id of [999_999, southern]) {
      expect(await world.refused('POST', PATH, { product_id, ...SINCE }, ADMIN_TOKEN)).toEqual([422, '23 product_id']);
    }
    expect(await world.refused('POST', PATH, { product_id: barrier, ...SINCE }, RIVAL_TOKEN)).toEqual([
      422,
      '23 product_id',
    ]);
  });

  it('are listed by product, lot and name', async () => {
    const { site } = world;
    const a = await make({ name: 'B' });
    const b = await make({ name: 'A' });
    const c = await make({ name: 'C', product_id: southern });
    const ids = (query: string, token?: string) => world.ids(`${PATH}?${query}`, token);
    expect(await ids('sort=name:asc')).toEqual([b.id, a.id, c.id]);
    expect(await ids('')).toEqual([a.id, b.id, c.id].toSorted().toReversed());
    expect(await ids(`filter=product_id:eq:${southern}`)).toEqual([c.id]);
    expect(await ids(`filter=lot_id:eq:${site.north}&sort=name:desc&size=1`)).toEqual([a.id]);
    expect(await ids(`filter=id:eq:${a.id}`)).toEqual([a.id]);
    expect(await ids(`filter=name:eq:A&filter=account_id:eq:${site.harbour}`)).toEqual([b.id]);
    expect(await world.refused('GET', `${PATH}?filter=token:like:a`)).toEqual([422, '23 filter']);
    expect(await ids('sort=name:asc', GUARD_TOKEN)).toEqual([b.id, a.id]);
    expect(await ids('', RIVAL_TOKEN)).toEqual([]);
    expect(await world.refused('GET', `${PATH}/${c.id}`, undefined, GUARD_TOKEN)).toEqual([404, '6']);
    expect(await world.refused('GET', `${PATH}/short`)).toEqual([404, '6']);
    for (const { id } of [a, b, c]) await world.remove(`${PATH}/${id}`);
  });
});

describe('a weblink in the hands of a driver', () => {
  /** Without a bearer: the token in the body authorizes. */
  const operate = async (id: string, json: unknown) => {
    const { status, body } = await world.cloud.ask('POST', `${PATH}/${id}/operation`, { json });
    return body.success
      ? [status, body.data]
      : [status, ...(body.errors ?? []).map(({ code, field }) => field ?? code)];
  };
  const statusOf = async (id: string, token: string | null) => {
    const { status, body } = await world.cloud.ask('POST', `${PATH}/${id}/status`, { json: { token } });
    return body.success ? body.data : status;
  };
  const done = [200, { success: true }];

  beforeEach(async () => {
    const { cloud } = world;
    // Another minute: nothing counts any more, and the gateway saw the product just now.
    await cloud.clock.advance(60_000);
    await noteHeard({ ...cloud, ...cloud.commandParts }, barrier, { gateway_id: gateway, rssi: -60 });
    cloud.commandParts.sent.length = 0;
    await endCommands();
  });

  const endCommands = () =>
    world.cloud.store.change((tx) =>
      tx.updateTable('commands').set({ status: 'succeeded', ended_at: 1 }).where('ended_at', 'is', null).execute(),
    );

  it('closes nothing that is held open in an emergency, unless it says so', async () => {
    const { token, id } = await make({ operations: ['open', 'close'] });
    await world.post(`/v2/lots/${world.site.north}/release`, { hold: 1 });
    await endCommands();
    expect(await operate(id, { token, operation: 'close' })).toEqual([422, 'during_release']);
    expect(await operate(id, { token, operation: 'close', during_release: true })).toEqual(done);
    await world.post(`/v2/lots/${world.site.north}/release/clear`, {});
    await endCommands();
  });

  it('operates the product through its gateway, is counted, and tells what became of it', async () => {
    const { token, id } = await make();
    expect(await statusOf(id, token)).toEqual({
      product: { name: 'Entry', status: 'offline', state: 'closed' },
      last: null,
    });
    expect(await operate(id, { token, operation: 'open' })).toEqual(done);
    const notified = world.cloud.store.reader.selectFrom('audit_log').orderBy('id', 'desc');
    expect(await notified.select(['account_id', 'action', 'target', 'actor_type']).executeTakeFirst()).toEqual({
      account_id: world.site.harbour,
      action: 'weblink.operation',
      target: `weblink ${id}`,
      actor_type: 'public',
    });
    const [sent] = world.cloud.commandParts.sent;
    expect(sent?.message).toMatchObject({ product_id: barrier, command: { name: 'open' } });
    const event_id = sent?.message.event_id;
    const [entry] = await world.get<object[]>('/v2/audit-log?size=1');
    expect(entry).toMatchObject({ details: { values: { operation: 'open' }, event_id } });
    expect(JSON.stringify(entry)).not.toContain(token);
    expect(await statusOf(id, token)).toMatchObject({
      last: { event_id, operation: 'open', status: 'pending', gateway_error: null },
    });
    // The status does not show somebody else's command.
    await endCommands();
    await world.post(`/v2/products/${barrier}/state`, { operation: 'close' });
    expect(await statusOf(id, token)).toMatchObject({ last: { event_id, status: 'succeeded' } });
    expect(await world.get(`${PATH}/${id}`)).toMatchObject({ used_count: 1 });
    await world.remove(`${PATH}/${id}`);
  });

  it('is checked as the state call is', async () => {
    const { cloud, site } = world;
    const { token, id } = await make();
    const open = { token, operation: 'open' };
    expect(await operate(id, open)).toEqual(done);
    expect(await operate(id, open)).toEqual([403, 214]);
    await endCommands();
    const remote = (remote_control: number) =>
      cloud.store.change((tx) =>
        tx.updateTable('accounts').set({ remote_control }).where('id', '=', site.harbour).execute(),
      );
    await remote(0);
    expect(await operate(id, open)).toEqual([403, 30]);
    await remote(1);
    await cloud.clock.advance(121_000);
    expect(await operate(id, open)).toEqual([403, 704]);
    expect(await world.get(`${PATH}/${id}`)).toMatchObject({ used_count: 1 });
    await world.remove(`${PATH}/${id}`);
  });

  it('does what it allows and nothing else', async () => {
    const { token, id } = await make({ operations: ['open'] });
    expect(await operate(id, { token, operation: 'close' })).toEqual([422, 'operation']);
    expect(await operate(id, { token, operation: 'explode', colour: 1 })).toEqual([422, 'operation', 'colour']);
    expect(await operate(id, {})).toEqual([422, 'token', 'operation']);
    expect(world.cloud.commandParts.sent).toEqual([]);
    await world.remove(`${PATH}/${id}`);
  });

  it('answers the same 404 whatever is wrong with it', async () => {
    const { cloud } = world;
    const open = (id: string, token: string | null) => operate(id, { token, operation: 'open' });
    const early = await make({ start_time: iso(HOUR_MS) });
    const late = await make({ end_time: iso(0) });
    const revoked = await make();
    await world.remove(`${PATH}/${revoked.id}`);
    for (const { id, token } of [early, late, revoked]) {
      expect(await open(id, token)).toEqual([404, 6]);
      expect(await statusOf(id, token)).toBe(404);
    }
    // Another minute, so that none of these refusals is one too many.
    await cloud.clock.advance(60_000);
    await noteHeard({ ...cloud, ...cloud.commandParts }, barrier, { gateway_id: gateway, rssi: -60 });
    const live = await make({ start_time: iso(0), end_time: iso(1) });
    expect(await open('a'.repeat(16), live.token)).toEqual([404, 6]);
    expect(await open('999999', live.token)).toEqual([404, 6]);
    expect(await open(live.id, early.token)).toEqual([404, 6]);
    expect(await statusOf(live.id, early.token)).toBe(404);
    expect(await open(live.id, live.token)).toEqual(done);
    await cloud.clock.advance(1);
    expect(await open(live.id, live.token)).toEqual([404, 6]);
    for (const { id } of [early, late, live]) await world.remove(`${PATH}/${id}`);
  });

  it('works no longer than the key it was sent with', async () => {
    const { cloud, site } = world;
    const { token, id } = await make();
    const now = cloud.clock.now();
    const operation_token_id = await cloud.store.change(async (tx) => {
      const key: NewRow<'operation_tokens'> = {
        account_id: site.harbour,
        product_id: barrier,
        start_time: now,
        end_time: now + HOUR_MS,
        status: 'active',
        used_count: 0,
        is_unlimited: 1,
        credential_id: 1,
        created_at: now,
        updated_at: now,
      };
      const row = await tx.insertInto('operation_tokens').values(key).returning('id').executeTakeFirstOrThrow();
      await tx.updateTable('weblinks').set({ operation_token_id: row.id }).where('id', '=', id).execute();
      return row.id;
    });
    const change = (set: Partial<NewRow<'operation_tokens'>>) =>
      cloud.store.change((tx) =>
        tx.updateTable('operation_tokens').set(set).where('id', '=', operation_token_id).execute(),
      );
    const open = () => operate(id, { token, operation: 'open' });
    expect(await open()).toEqual(done);
    const used = cloud.store.reader.selectFrom('operation_tokens').select('used_count');
    expect(await used.executeTakeFirst()).toEqual({ used_count: 1 });
    await endCommands();
    for (const status of ['blocked', 'invalid', 'expired'] as const) {
      await change({ status });
      expect([status, await open()]).toEqual([status, [404, 6]]);
    }
    await change({ status: 'active', start_time: now + 1 });
    expect(await open()).toEqual([404, 6]);
    await change({ start_time: now, end_time: now });
    expect(await open()).toEqual([404, 6]);
    await change({ end_time: null });
    expect(await open()).toEqual(done);
    await world.remove(`${PATH}/${id}`);
  });

  it('is held to ten operations a minute', async () => {
    const { token, id } = await make();
    const other = await make();
    for (let times = 1; times <= 10; times++) {
      expect([times, await operate(id, { token, operation: 'open' })]).toEqual([times, done]);
      await endCommands();
    }
    const { status, headers } = await world.cloud.ask('POST', `${PATH}/${id}/operation`, {
      json: { token, operation: 'open' },
    });
    expect([status, Number(headers.get('retry-after'))]).toEqual([429, 60]);
    expect(await operate(other.id, { token: other.token, operation: 'open' })).toEqual(done);
    await endCommands();
    await world.cloud.clock.advance(60_000);
    await noteHeard({ ...world.cloud, ...world.cloud.commandParts }, barrier, { gateway_id: gateway, rssi: -60 });
    expect(await operate(id, { token, operation: 'open' })).toEqual(done);
    for (const each of [id, other.id]) await world.remove(`${PATH}/${each}`);
  });

  it.each([
    ['a wrong token', { token: 'wrong' }, 404],
    ['a token of the right length', { token: 'A'.repeat(43) }, 404],
    ['no token', {}, 422],
    ['no text as a token', { token: 1 }, 422],
    ['a key that there is not', { token: 'wrong', colour: 1 }, 422],
    ['a body that is no object', [], 422],
  ])('tells nobody by %s whether there is such a link', async (_case, json, expected) => {
    const { id } = await make();
    const answers: Record<string, number[]> = {};
    for (const [name, guessed] of Object.entries({ known: id, unknown: 'a'.repeat(id.length) })) {
      await world.cloud.clock.advance(60_000);
      const statuses: number[] = [];
      for (let times = 1; times <= 11; times++) {
        const path = times % 2 === 0 ? 'status' : 'operation';
        const operation = path === 'operation' && !Array.isArray(json) ? { operation: 'open' } : {};
        const body = Array.isArray(json) ? json : { ...json, ...operation };
        statuses.push((await world.cloud.ask('POST', `${PATH}/${guessed}/${path}`, { json: body })).status);
      }
      answers[name] = statuses;
    }
    const refused = [...Array.from({ length: 10 }, () => expected), 429];
    expect(answers).toEqual({ known: refused, unknown: refused });
    await world.remove(`${PATH}/${id}`);
  });

  it('holds up who sends ids that are none', async () => {
    for (let times = 1; times <= 10; times++)
      expect([times, await statusOf(`${times}`, 'wrong')]).toEqual([times, 404]);
    expect(await statusOf('11', 'wrong')).toBe(429);
    expect(await statusOf('a'.repeat(16), 'wrong')).toBe(429);
  });

  it.each<[string, AskOptions, number]>([
    ['a key that is none', { json: { token: 'wrong' }, headers: { 'idempotency-key': 'a b' } }, 422],
    ['a body that is too large', { body: ' '.repeat(1_100_000), headers: { 'idempotency-key': 'large' } }, 413],
  ])('holds up who sends %s', async (_what, asked, expected) => {
    const { token, id } = await make();
    const send = async () => (await world.cloud.ask('POST', `${PATH}/${id}/operation`, asked)).status;
    for (let times = 1; times <= 10; times++) expect([times, await send()]).toEqual([times, expected]);
    expect(await send()).toBe(429);
    expect(await statusOf(id, 'wrong')).toBe(429);
    // Drivers share the address of their carrier.
    expect(await operate(id, { token, operation: 'open' })).toEqual(done);
    await world.remove(`${PATH}/${id}`);
  });

  it('does not count against an address what a right token is refused', async () => {
    const { token, id } = await make({ operations: ['open'] });
    for (let times = 1; times <= 11; times++)
      expect(await operate(id, { token, operation: 'close' })).toEqual([422, 'operation']);
    expect(await statusOf(id, 'wrong')).toBe(404);
    await world.remove(`${PATH}/${id}`);
  });

  it('holds up who tries tokens out, and nobody else at that address', async () => {
    const { token, id } = await make();
    for (let times = 1; times <= 10; times++) {
      expect([times, await statusOf(id, `wrong ${times}`)]).toEqual([times, 404]);
    }
    expect(await statusOf(id, 'wrong again')).toBe(429);
    expect(await operate(id, { token: 'wrong again', operation: 'open' })).toEqual([429, 429]);
    expect(await operate(id, { token, operation: 'open' })).toEqual(done);
    await world.remove(`${PATH}/${id}`);
  });
});
