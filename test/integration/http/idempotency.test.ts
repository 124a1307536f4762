import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_TOKEN, OWNER_TOKEN, PASSWORD, seedSite } from './http-site.js';
import { beginIdempotencyKey, pruneIdempotencyKeys } from '../../../cloud/rest/request/idempotency-queries.js';
import type { ClaimRequest } from '../../../cloud/equipment/gateway/claim-body.js';
import type { ClaimAnswer } from '../../../shared/gateway-config.js';
import { type CloudWorld, startCloudWorld } from './http-world.js';
import { fetchDocument } from '../../contract/openapi-document.js';

const HOUR = 3_600_000;

/** A claim that is answered alike each time, as the real one is, with a secret. */
const claims: string[] = [];
const claimGateway = async ({ uuid }: ClaimRequest): Promise<ClaimAnswer> => {
  claims.push(uuid);
  return { mqtt: { url: 'mqtt://cloud', username: uuid, password: 'secret of the broker', ca: null }, config: [] };
};
const claim = {
  claim_code: 'CODE',
  uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01',
  public_key: 'A'.repeat(43),
  signature: 'A'.repeat(86),
};

describe('Idempotency-Key', () => {
  let cloud: CloudWorld;

  beforeAll(async () => {
    cloud = await startCloudWorld({ claimGateway });
    await seedSite(cloud.store);
  });
  afterAll(() => cloud.close());

  const createToken = (key: string, json: unknown = { name: 'console' }, token = OWNER_TOKEN) =>
    cloud.ask('POST', '/v2/api-tokens', { token, json, headers: { 'idempotency-key': key } });
  const createUser = (key: string, email: string) =>
    cloud.ask('POST', '/v2/account-users', {
      token: OWNER_TOKEN,
      json: { email, name: 'x', password: PASSWORD, role_id: 3 },
      headers: { 'idempotency-key': key },
    });
  const createMember = (key: string, token: string) =>
    cloud.ask('POST', '/v2/members', { token, json: { name: 'Mia' }, headers: { 'idempotency-key': key } });
  const tokensCount = async () => (await cloud.store.reader.selectFrom('api_tokens').select('id').execute()).length;

  it('does the same request once, and shows its secret once', async () => {
    const before = await tokensCount();
    const first = (await createToken('first')).body.data as { token: string };
    const again = await createToken('first');
    expect(first.token).toMatch(/^[\w-]{43}$/);
    expect(again).toMatchObject({ status: 200, body: { success: true, data: { ...first, token: null } } });
    expect(await tokensCount()).toBe(before + 1);
    const kept = await cloud.store.reader.selectFrom('idempotency_keys').selectAll().execute();
    expect(JSON.stringify(kept)).not.toContain(first.token);
  });

  it('keeps answers sealed, so that the database shows no credential, and forgets them', async () => {
    const { store, clock } = cloud;
    const rows = () => store.reader.selectFrom('idempotency_keys').selectAll().where('key', '=', 'sealed').execute();
    const first = await createMember('sealed', OWNER_TOKEN);
    const [kept] = await rows();
    expect(kept?.response).toMatch(/^v1\.[\w-]+$/);
    expect((await createMember('sealed', OWNER_TOKEN)).body).toEqual(first.body);
    // What another server key has sealed was done.
    const setResponse = (response: string) =>
      store.change((tx) => tx.updateTable('idempotency_keys').set({ response }).where('key', '=', 'sealed').execute());
    await setResponse(`v1.${'A'.repeat(80)}`);
    const { status, body } = await createMember('sealed', OWNER_TOKEN);
    expect([status, body.errors]).toMatchObject([422, [{ code: 23, field: 'idempotency_key' }]]);
    await store.change((tx) => pruneIdempotencyKeys(tx, clock.now() - 24 * HOUR));
    expect(await rows()).toHaveLength(1);
    await store.change((tx) => pruneIdempotencyKeys(tx, clock.now() + 1));
    expect(await rows()).toEqual([]);
  });

  it('repeats an answer that was sent compressed, with its version', async () => {
    const json = { name: 'Residents', description: 'long'.repeat(300) };
    const headers = { 'idempotency-key': 'long', 'accept-encoding': 'gzip' };
    const createGroup = () => cloud.ask('POST', '/v2/groups', { token: OWNER_TOKEN, json, headers });
    const first = await createGroup();
    expect(JSON.stringify(first.body).length).toBeGreaterThan(1024);
    expect(first.headers.get('etag')).toMatch(/^"/);
    const again = await createGroup();
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  });

  it('does requests that come at once only once', async () => {
    const before = await tokensCount();
    const answers = await Promise.all(Array.from({ length: 5 }, () => createToken('at-once')));
    const ids = answers.map(({ body }) => (body.data as { id: number }).id);
    expect(new Set(ids).size).toBe(1);
    expect(await tokensCount()).toBe(before + 1);
  });

  it('begins once where two processes begin it at once, unless the first comes to nothing', async () => {
    const { store } = cloud;
    const key = { caller: 'user 7', route: 'POST /v2/members', body_hash: '', created_at: 1_000 };
    const begin = (name: string, isUndone = false, since = 0) =>
      store.change(async (tx) => {
        const isBegun = await beginIdempotencyKey(tx, { ...key, key: name }, since);
        if (isUndone) throw new Error('undone');
        return isBegun;
      });
    expect((await Promise.all([begin('both'), begin('both')])).toSorted()).toEqual([false, true]);
    const [undone, second] = await Promise.allSettled([begin('again', true), begin('again')]);
    expect([undone.status, second]).toEqual(['rejected', { status: 'fulfilled', value: true }]);
    expect([await begin('again', false, 1_000), await begin('again', false, 1_001)]).toEqual([false, true]);
  });

  it('refuses the key with another body', async () => {
    await createToken('body');
    const { status, body } = await createToken('body', { name: 'other' });
    expect([status, body.errors]).toMatchObject([422, [{ code: 23, field: 'idempotency_key' }]]);
  });

  it('belongs to the caller and the route; a new login is the same caller', async () => {
    const first = (await createUser('scope', 'one@harbour.example')).body.data as { id: number };
    const members = await Promise.all([OWNER_TOKEN, API_TOKEN].map((token) => createMember('scope', token)));
    expect(new Set(members.map(({ body }) => (body.data as { id: number }).id)).size).toBe(2);
    expect((await createToken('scope')).status).toBe(200);
    const login = await cloud.ask('POST', '/v2/auth/login', {
      json: { email: 'one@harbour.example', password: PASSWORD },
      headers: { 'idempotency-key': 'scope' },
    });
    const again = await cloud.ask('POST', '/v2/auth/login', {
      json: { email: 'one@harbour.example', password: PASSWORD },
      headers: { 'idempotency-key': 'scope' },
    });
    const tokenOf = ({ body }: typeof login) => (body.data as { token: string }).token;
    expect(tokenOf(again)).not.toBe(tokenOf(login));
    expect((await createUser('scope', 'one@harbour.example')).body.data).toMatchObject({ id: first.id });
  });

  it('keeps no refusal: what was refused may be sent again', async () => {
    expect((await createUser('refused', 'guard@harbour.example')).status).toBe(422);
    expect((await createUser('refused', 'three@harbour.example')).status).toBe(200);
  });

  it('is forgotten after 24 h, outlives a restart, and tells of an interrupted request', async () => {
    const first = (await createToken('day')).body.data as { id: number };
    await cloud.restart();
    await cloud.clock.sleep(24 * HOUR - 1);
    expect((await createToken('day')).body.data).toMatchObject({ id: first.id, token: null });
    await cloud.clock.advance(2);
    expect((await createToken('day')).body.data).not.toMatchObject({ id: first.id });

    await cloud.store.change(async (tx) => {
      await tx.updateTable('idempotency_keys').set({ status: null, response: null }).where('key', '=', 'day').execute();
    });
    const { status, body } = await createToken('day');
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'idempotency_key']);
  });

  it('does not keep the secret of a claim: the same device asks again', async () => {
    const send = (json: object) =>
      cloud.ask('POST', '/v2/gateways/claim', { json, headers: { 'idempotency-key': 'claim' } });
    const first = await send(claim);
    expect(first.body).toMatchObject({ success: true, data: { mqtt: { password: 'secret of the broker' } } });
    expect((await send(claim)).body).toEqual(first.body);
    expect(claims).toHaveLength(2);
    expect((await send({ ...claim, claim_code: 'OTHER' })).body.errors?.[0]?.field).toBe('idempotency_key');
    expect(claims).toHaveLength(2);
    const kept = await cloud.store.reader.selectFrom('idempotency_keys').selectAll().execute();
    expect(JSON.stringify(kept)).not.toContain('secret of the broker');
  });

  it('is taken by every POST but the login', async () => {
    const document = await fetchDocument(cloud.base);
    const without = Object.entries(document.paths).flatMap(([path, { post }]) =>
      post === undefined || post.parameters?.some(({ name }) => name === 'Idempotency-Key') ? [] : [path],
    );
    expect(without).toEqual(['/v2/auth/login']);
  });

  it.each(['', ' ', 'with space', 'č', 'x'.repeat(256)])('refuses the key %j', async (key) => {
    const headers = { 'idempotency-key': Buffer.from(key).toString('latin1') };
    const asked = cloud.ask('POST', '/v2/api-tokens', { token: OWNER_TOKEN, json: { name: 'x' }, headers });
    expect((await asked).body.errors?.[0]).toMatchObject({ code: 23, field: 'idempotency_key' });
  });
});
