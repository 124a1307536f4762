import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { EVENT_SCHEMAS } from '../../../shared/events/event-schemas.js';
import { API_TOKEN, GUARD_TOKEN, OWNER_TOKEN, RIVAL_TOKEN } from '../http/http-site.js';
import { startWebhookWorld, type Webhook, type WebhookWorld } from './webhook-world.js';

let world: WebhookWorld;
beforeAll(async () => void (world = await startWebhookWorld()));
// Each test begins without a webhook.
afterEach(() => world.cloud.store.change((tx) => tx.deleteFrom('webhooks').execute()));
afterAll(() => world.close());

describe('webhooks over REST', () => {
  it('show their secret once', async () => {
    const made = await world.create({ url: 'http://127.0.0.1:9/hook', events: ['lot_change', 'lot_change'] });
    expect(made).toEqual({
      id: made.id,
      url: 'http://127.0.0.1:9/hook',
      events: ['lot_change'],
      is_active: 1,
      last_status: null,
      disabled_at: null,
      created_at: '2026-01-15T12:00:00.000Z',
      updated_at: '2026-01-15T12:00:00.000Z',
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
    });
    const { secret, ...shown } = made;
    expect(await world.get(made.id)).toEqual(shown);
    const { body } = await world.ask('GET', '/v2/webhooks');
    expect(body).toMatchObject({ meta: { total: 1 }, data: [shown] });
    const changed = await world.done<Webhook>('PATCH', `/v2/webhooks/${made.id}`, { url: 'https://hook.example/' });
    expect(changed).toEqual({ ...shown, url: 'https://hook.example/' });
    expect(await world.done('DELETE', `/v2/webhooks/${made.id}`)).toEqual(changed);
    const gone = await world.ask('GET', `/v2/webhooks/${made.id}`);
    expect([gone.status, gone.body.errors?.[0]?.code]).toEqual([404, 6]);
    const row = await world.cloud.store.reader.selectFrom('webhooks').selectAll().execute();
    expect(row).toEqual([]);
    expect(JSON.stringify(world.cloud.log)).not.toContain(secret);
  });

  it('keep their secret sealed', async () => {
    const { secret = '' } = await world.create({ url: 'http://127.0.0.1:9/hook' });
    const row = await world.cloud.store.reader.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(secret.slice(6));
  });

  it('show no secret when the call is told again', async () => {
    const json = { url: 'http://127.0.0.1:9/hook' };
    const post = () =>
      world.cloud.ask('POST', '/v2/webhooks', { token: API_TOKEN, json, headers: { 'idempotency-key': 'once' } });
    const [first, again] = [await post(), await post()];
    expect(again.body.data).toEqual({ ...(first.body.data as Webhook), secret: null });
    expect((await world.ask('GET', '/v2/webhooks')).body.data).toHaveLength(1);
  });

  it('are told every event unless they name some', async () => {
    expect((await world.create({ url: 'http://127.0.0.1:9/hook' })).events).toEqual(Object.keys(EVENT_SCHEMAS));
  });

  it('show their address to no Admin who lacks one of their lots: it may hold a secret', async () => {
    await world.cloud.store.change(async (tx) => {
      const user = tx.selectFrom('account_users').select('id').where('email', '=', 'new@harbour.example');
      const { id: account_user_id } = await user.executeTakeFirstOrThrow();
      const token = { account_user_id, type: 'user', token_hash: hashToken('northern'), created_at: 1 } as const;
      await tx
        .insertInto('user_tokens')
        .values({ ...token, expires_at: Number.MAX_SAFE_INTEGER })
        .execute();
    });
    const url = 'https://hook.example/SECRET-PATH';
    const make = async (token: string) =>
      (await world.cloud.ask('POST', '/v2/webhooks', { token, json: { url } })).body.data as Webhook;
    const [owners, own] = [await make(OWNER_TOKEN), await make('northern')];
    const list = async (token: string) => {
      const { body } = await world.ask('GET', '/v2/webhooks?sort=id:asc', undefined, token);
      return (body.data as Webhook[]).map((each) => [each.id, each.url]);
    };
    expect(await list(OWNER_TOKEN)).toEqual([
      [owners.id, url],
      [own.id, url],
    ]);
    expect(await list('northern')).toEqual([
      [owners.id, null],
      [own.id, url],
    ]);
    expect((await world.ask('GET', `/v2/webhooks/${owners.id}`, undefined, 'northern')).body.data).toMatchObject({
      url: null,
    });
    expect(await list(GUARD_TOKEN)).toEqual([
      [owners.id, null],
      [own.id, null],
    ]);
  });

  it('can be made switched off, and switched on and off, as 0/1 or true/false', async () => {
    const made = await world.create({ url: 'http://127.0.0.1:9/hook', is_active: false });
    expect([made.is_active, made.disabled_at]).toEqual([0, '2026-01-15T12:00:00.000Z']);
    const patch = (is_active: unknown) => world.done<Webhook>('PATCH', `/v2/webhooks/${made.id}`, { is_active });
    expect(await patch(1)).toMatchObject({ is_active: 1, disabled_at: null });
    expect(await patch(true)).toMatchObject({ is_active: 1, disabled_at: null });
    await world.cloud.clock.advance(1_000);
    expect(await patch(0)).toMatchObject({ is_active: 0, disabled_at: '2026-01-15T12:00:01.000Z' });
  });

  it.each([
    [{}, 'url'],
    [{ url: 'nonsense' }, 'url'],
    [{ url: 'ftp://hook.example' }, 'url'],
    [{ url: 'https://user:secret@hook.example' }, 'url'],
    [{ url: `https://hook.example/${'x'.repeat(2_048)}` }, 'url'],
    [{ url: 'https://hook.example', events: [] }, 'events'],
    [{ url: 'https://hook.example', events: ['authorized'] }, 'events.0'],
    [{ url: 'https://hook.example', is_active: 2 }, 'is_active'],
    [{ url: 'https://hook.example', secret: 'mine' }, 'secret'],
  ])('refuse %j', async (json, field) => {
    const { status, body } = await world.ask('POST', '/v2/webhooks', json);
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ code: 23, field }]);
  });

  it('tell all that is wrong at once', async () => {
    const { id } = await world.create({ url: 'http://127.0.0.1:9/hook' });
    const wrong = { url: 'hook', events: ['lot_change', 'no_event', 7], is_active: 'yes', colour: 'red' };
    for (const [method, path] of [
      ['POST', '/v2/webhooks'],
      ['PATCH', `/v2/webhooks/${id}`],
    ] as const) {
      const { status, body } = await world.ask(method, path, wrong);
      expect([status, body.errors?.every(({ code, message }) => code === 23 && message !== '')]).toEqual([422, true]);
      const fields = body.errors?.map(({ field }) => field).toSorted();
      expect(fields).toEqual(['colour', 'events.1', 'events.2', 'is_active', 'url']);
    }
    expect((await world.get(id)).url).toBe('http://127.0.0.1:9/hook');
  });

  it('are 100 of an account at most', async () => {
    await world.create({ url: 'http://127.0.0.1:9/hook', is_active: 0 });
    await world.cloud.store.change(async (tx) => {
      const { id: _id, ...row } = await tx.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow();
      const further = Array.from({ length: 98 }, () => row);
      await tx.insertInto('webhooks').values(further).execute();
    });
    await world.create({ url: 'http://127.0.0.1:9/hook', is_active: 0 });
    const { status, body } = await world.ask('POST', '/v2/webhooks', { url: 'http://127.0.0.1:9/hook' });
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'url']);
  });

  it('are changed by managers, and of their own account', async () => {
    const receiver = await world.listen();
    const { id } = await world.create({ url: receiver.url });
    await world.journalEvents(world.north('1'));
    const [delivery] = await world.untilLog(id, 'the delivery', ([first]) => first?.status_code === 204);
    const paths: [string, string][] = [
      ['GET', '/v2/webhooks'],
      ['POST', '/v2/webhooks'],
      ['GET', `/v2/webhooks/${id}`],
      ['PATCH', `/v2/webhooks/${id}`],
      ['DELETE', `/v2/webhooks/${id}`],
      ['GET', `/v2/webhooks/${id}/deliveries`],
      ['POST', `/v2/webhooks/${id}/deliveries/${delivery?.id}/redeliver`],
    ];
    const refused = async (asked: ReturnType<typeof world.ask>) => {
      const { status, body } = await asked;
      return [status, body.errors?.map(({ code }) => code)];
    };
    for (const [method, path] of paths) {
      expect([path, (await world.cloud.ask(method, path)).status]).toEqual([path, 401]);
      if (method !== 'GET') {
        expect([path, ...(await refused(world.ask(method, path, undefined, GUARD_TOKEN)))]).toEqual([path, 403, [4]]);
      }
      if (!path.includes(String(id))) continue;
      expect([path, ...(await refused(world.ask(method, path, undefined, RIVAL_TOKEN)))]).toEqual([path, 404, [6]]);
    }
    expect((await world.ask('GET', '/v2/webhooks', undefined, RIVAL_TOKEN)).body.data).toEqual([]);
    for (const token of [OWNER_TOKEN, GUARD_TOKEN]) {
      expect((await world.ask('GET', '/v2/webhooks', undefined, token)).body.data).toHaveLength(1);
    }
    const other = await world.create({ url: receiver.url });
    const astray = `/v2/webhooks/${other.id}/deliveries/${delivery?.id}/redeliver`;
    expect(await refused(world.ask('POST', astray))).toEqual([404, [6]]);
  });
});
