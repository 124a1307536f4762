/** What EMQX asks the cloud, as its pages on HTTP authentication and authorization say, and what it is told to end. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BrokerAccounts } from '../../../cloud/equipment/broker/broker-accounts.js';
import { createEmqxBrokerAccounts } from '../../../cloud/equipment/broker/emqx-broker-accounts.js';
import { emqxEndpoints, emqxPasswordMark } from '../../../cloud/equipment/broker/emqx-routes.js';
import { silentLogger } from '../../../shared/logger.js';
import { downTopic, gatewaySubscriptions, UP_CHANNELS, upTopic } from '../../../shared/topics.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { NORTH_GATEWAY as A, passwordOf, SECOND_GATEWAY as B } from '../gateway/link-site.js';

const HOOK_SECRET = 'a-secret-of-the-hook';

describe('the questions of EMQX', () => {
  let world: CloudWorld;
  let isDatabaseDown = false;

  beforeEach(() => {
    isDatabaseDown = false;
  });
  beforeAll(async () => {
    world = await startCloudWorld({
      furtherEndpoints: emqxEndpoints({
        hookSecret: HOOK_SECRET,
        async authenticate(uuid, password) {
          if (isDatabaseDown) throw new Error('down');
          return password === passwordOf(uuid);
        },
      }),
    });
  });
  afterAll(() => world.close());

  async function ask(of: 'auth' | 'acl', json: unknown, secret: string | null = HOOK_SECRET) {
    const answer = await fetch(`${world.base}/emqx/${of}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
      },
      body: typeof json === 'string' ? json : JSON.stringify(json),
    });
    const type = answer.headers.get('content-type');
    return { status: answer.status, type, body: (await answer.json()) as { result?: string } };
  }
  const connection = (more: Record<string, string> = {}) =>
    ask('auth', { clientid: A, username: A, password: passwordOf(A), ...more });
  const action = async (what: 'publish' | 'subscribe', topic: string, more: Record<string, string> = {}) =>
    (await ask('acl', { clientid: A, username: A, action: what, topic, qos: '1', retain: 'false', ...more })).body
      .result;

  it('let a gateway in with its password, as nobody special', async () => {
    expect(await connection()).toEqual({
      status: 200,
      type: 'application/json',
      body: { result: 'allow', is_superuser: false, client_attrs: { credential: emqxPasswordMark(passwordOf(A)) } },
    });
  });

  it('let nobody else in', async () => {
    for (const more of [
      { password: 'wrong' },
      { password: '' },
      { password: 'undefined' },
      { clientid: B },
      { username: B },
      { username: '' },
      { clientid: 'x', username: 'x' },
      { clientid: A.toUpperCase(), username: A.toUpperCase() },
      { clientid: 'parking-cloud', username: 'parking-cloud' },
    ])
      expect(await connection(more)).toMatchObject({ status: 200, body: { result: 'deny' } });
  });

  it('allow a gateway its own topics, and nothing else', async () => {
    for (const channel of UP_CHANNELS) expect(await action('publish', upTopic(A, channel))).toBe('allow');
    for (const filter of gatewaySubscriptions(A)) expect(await action('subscribe', filter)).toBe('allow');
    expect(await action('publish', upTopic(A, 'presence'), { retain: 'true' })).toBe('allow');
    expect(await action('publish', upTopic(A, 'records'), { retain: 'true' })).toBe('deny');
    expect(await action('publish', upTopic(A, 'records'), { qos: '2' })).toBe('deny');
    for (const topic of [upTopic(B, 'records'), downTopic(A, 'command'), 'gw/x', '$SYS/x', `gw/${A}/up/x`, ''])
      expect([topic, await action('publish', topic)]).toEqual([topic, 'deny']);
    for (const filter of [
      `gw/${B}/down/+`,
      upTopic(B, 'presence'),
      upTopic(A, 'records'),
      'gw/+/down/+',
      `gw/${A}/#`,
      '#',
      '$SYS/#',
      `$share/x/gw/${B}/down/+`,
      `$queue/gw/${B}/down/+`,
    ])
      expect([filter, await action('subscribe', filter)]).toEqual([filter, 'deny']);
    expect(await action('publish', upTopic(A, 'records'), { username: B })).toBe('deny');
    expect(await action('publish', upTopic(A, 'records'), { clientid: B })).toBe('deny');
  });

  it('are answered to EMQX alone', async () => {
    const question = { clientid: A, username: A, password: passwordOf(A) };
    for (const secret of [null, '', 'wrong', `${HOOK_SECRET}x`]) {
      expect(await ask('auth', question, secret)).toMatchObject({ status: 401 });
      expect(await ask('acl', question, secret)).toMatchObject({ status: 401 });
    }
  });

  it('are refused when they cannot be read or are too long, so that EMQX lets nobody in', async () => {
    expect(await ask('auth', '{')).toMatchObject({ status: 422 });
    expect(await ask('auth', { clientid: A, username: A })).toMatchObject({ status: 422 });
    expect(await ask('acl', { clientid: A, username: 3 })).toMatchObject({ status: 422 });
    const long = await connection({ password: 'x'.repeat(20_000) });
    expect([413, 422]).toContain(long.status);
  });

  it('wait for no database: EMQX lets nobody in while it is down', async () => {
    isDatabaseDown = true;
    const { status, body } = await connection();
    expect([status >= 500, body.result]).toEqual([true, undefined]);
  });

  it('are no part of the interface that programs are shown', async () => {
    const document = await (await fetch(`${world.base}/openapi.json`)).text();
    expect(document).not.toContain('emqx');
  });
});

describe('the connections at EMQX', () => {
  /** What its REST interface shows; anything asked of it is kept. */
  let clients: { clientid: string; client_attrs?: Record<string, string> }[];
  let asked: string[];
  let stop: () => void;
  let accounts: BrokerAccounts;

  beforeEach(async () => {
    clients = [];
    asked = [];
    const server = createServer((request, response) => {
      const { method = '', url = '' } = request;
      asked.push(`${method} ${url}`);
      const answer = (status: number, body: object = {}) => void response.writeHead(status).end(JSON.stringify(body));
      if (url.startsWith('/api/v5/authentication/')) return answer(200);
      const { pathname, searchParams } = new URL(url, 'http://emqx');
      const page = Number(searchParams.get('page') ?? 1);
      // Its pages are as long as it likes.
      if (pathname.endsWith('/clients'))
        return answer(200, {
          data: clients.slice(2 * page - 2, 2 * page),
          meta: { hasnext: clients.length > 2 * page },
        });
      const found = clients.find(({ clientid }) => pathname.endsWith(`/clients/${clientid}`));
      if (found === undefined) return answer(404);
      if (method === 'DELETE') clients = clients.filter((client) => client !== found);
      return answer(method === 'DELETE' ? 204 : 200, found);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stop = () => void server.close();
    accounts = await createEmqxBrokerAccounts({
      url: `http://key:secret@127.0.0.1:${(server.address() as AddressInfo).port}`,
      login: { username: 'parking-cloud', password: 'own' },
      fetch,
      logger: silentLogger,
    });
  });
  afterEach(async () => {
    await accounts.close();
    stop();
  });

  const attrs = (password: string) => ({ client_attrs: { credential: emqxPasswordMark(password) } });
  const connected = () => clients.map(({ clientid }) => clientid);

  it('end for a gateway that is revoked, also for one that is not there', async () => {
    clients = [{ clientid: A }, { clientid: B }];
    await accounts.revoke(A);
    await accounts.revoke(A);
    expect(connected()).toEqual([B]);
  });

  it('end for an earlier password, and stay for the present one', async () => {
    clients = [
      { clientid: A, ...attrs('present') },
      { clientid: B, ...attrs('former') },
    ];
    await accounts.grant({ uuid: A, password: 'present' });
    await accounts.grant({ uuid: B, password: 'present' });
    expect(connected()).toEqual([A]);
  });

  it('end for whom the database does not know, on every page, and for nobody else', async () => {
    const others = ['cloud-gateways-1', 'sensor', 'a-dashboard'].map((clientid) => ({ clientid }));
    clients = [...others, { clientid: B }, { clientid: A, ...attrs('present') }];
    await accounts.reconcile({ list: async () => [{ uuid: A, password: 'present' }] });
    expect(connected()).toEqual([...others.map(({ clientid }) => clientid), A]);
    clients = [{ clientid: A, ...attrs('former') }, { clientid: B }];
    const list = async () => [A, B].map((uuid) => ({ uuid, password: 'present' }));
    await accounts.reconcile({ list });
    expect(connected()).toEqual([B]);
  });
});
