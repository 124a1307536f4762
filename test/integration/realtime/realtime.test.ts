import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { settle } from '../../world/fake-clock.js';
import { connectRealtime, type RealtimeClient, UpgradeRefused } from './listening-client.js';
import {
  API_TOKEN,
  GUARD_TOKEN,
  OWNER_TOKEN,
  PASSWORD,
  RIVAL_TOKEN,
  type Site,
  seedSite,
  journalEvents,
} from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { proves } from '../../contract/sending-rules.js';

const bearer = (token: string) => ({ client: { headers: { authorization: `Bearer ${token}` } } });

describe('realtime connection', () => {
  let cloud: CloudWorld;
  let site: Site;
  const clients: RealtimeClient[] = [];

  beforeEach(async () => {
    cloud = await startCloudWorld();
    site = await seedSite(cloud.store);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.socket.terminate();
    await cloud.close();
  });

  const connectTo = async (options: Parameters<typeof connectRealtime>[1]) => {
    const client = await connectRealtime(cloud.base, options);
    clients.push(client);
    return client;
  };
  /** Connected and greeted. */
  const listen = async (token: string, query = '') => {
    const client = await connectTo({ ...bearer(token), path: `/v2/realtime${query}` });
    await client.until((frames) => frames.length > 0);
    expect(client.frames[0]).toEqual({ event: 'authorized', data: '', id: expect.stringMatching(/^\d+$/) });
    return client;
  };
  const north = (uuid: string) => ({ account_id: site.harbour, lot_id: site.north, uuid });

  describe('handshake', () => {
    it.each([
      ['header', () => connectTo(bearer(API_TOKEN))],
      ['subprotocol', () => connectTo({ subprotocols: ['bearer', API_TOKEN] })],
      ['query', () => connectTo({ path: `/v2/realtime?token=${API_TOKEN}` })],
      [
        'first message',
        async () => {
          const client = await connectTo({});
          client.socket.send(JSON.stringify({ event: 'authorize', data: API_TOKEN }));
          return client;
        },
      ],
    ])('takes the token as %s', proves('authorized: once'), async (_name, connected) => {
      const client = await connected();
      await client.until((frames) => frames.length > 0);
      await journalEvents(cloud.store, north('gateway-1'));
      await client.heard('gateway-1');
      expect(client.frames).toEqual([
        { event: 'authorized', data: '', id: '0' },
        { event: 'gateway_status', data: '{"uuid":"gateway-1","status":"online"}', id: '1' },
      ]);
      expect(client.socket.protocol).toBe(_name === 'subprotocol' ? 'bearer' : '');
      expect(client.socket.extensions).toBe('');
    });

    it.each([
      ['header', () => connectTo(bearer('wrong'))],
      ['subprotocol', () => connectTo({ subprotocols: ['bearer', 'wrong'] })],
      ['query', () => connectTo({ path: '/v2/realtime?token=wrong' })],
      [
        'header, whatever the query says',
        () => connectTo({ ...bearer('wrong'), path: `/v2/realtime?token=${API_TOKEN}` }),
      ],
    ])('refuses a bad token in the %s with 401 and the envelope', async (_name, connected) => {
      const refused = await connected().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(UpgradeRefused);
      expect(refused).toMatchObject({ status: 401 });
      expect(JSON.parse((refused as UpgradeRefused).body)).toMatchObject({ success: false, errors: [{ code: 1 }] });
    });

    it('knows no other path', async () => {
      const refused = await connectTo({ ...bearer(API_TOKEN), path: '/v2/other' }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ status: 404 });
    });

    it.each([
      ['a wrong token', '{"event":"authorize","data":"wrong"}'],
      ['something else', '{"event":"subscribe","data":{}}'],
      ['no JSON', 'hello'],
      ['a token that is no text', '{"event":"authorize","data":{}}'],
    ])('closes 4401 when the first message is %s', async (_name, message) => {
      const client = await connectTo({});
      client.socket.send(message);
      expect(await client.closed).toBe(4401);
      expect(client.frames).toEqual([]);
    });

    it('closes 4408 when no message comes within 10 s', async () => {
      const client = await connectTo({});
      await cloud.clock.advance(10_000);
      expect(await client.closed).toBe(4408);
    });

    it('hears the frames that follow the token at once', async () => {
      const client = await connectTo({});
      client.socket.send(JSON.stringify({ event: 'authorize', data: API_TOKEN }));
      client.socket.send(JSON.stringify({ event: 'subscribe', data: { lots: [site.south] } }));
      client.socket.send(JSON.stringify({ event: 'subscribe', data: { lots: 'broken' } }));
      await client.until((frames) => frames.some(({ event }) => event === 'error'));
      await journalEvents(cloud.store, north('not-wanted'), { ...north('wanted'), lot_id: site.south });
      await client.heard('wanted');
      expect(client.uuids()).toEqual(['wanted']);
    });

    it('does not log the token', async () => {
      await connectTo({ path: `/v2/realtime?token=${API_TOKEN}` });
      await connectTo({ path: '/v2/realtime?token=some-wrong-token' }).catch(() => undefined);
      await cloud.ask('GET', `/v2/realtime?token=${API_TOKEN}`);
      expect(JSON.stringify(cloud.log)).not.toContain(API_TOKEN);
      expect(JSON.stringify(cloud.log)).not.toContain('some-wrong-token');
    });

    it('answers a broken upgrade with the envelope', async () => {
      const raw = await rawConnection(cloud);
      raw.write('GET /v2/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      const answer = await everything(raw);
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toContain('{"success":false,"errors":[{"code":23,');
    });

    it('serves a request that offers another protocol', async () => {
      const raw = await rawConnection(cloud);
      const body = '{"email":"nobody","password":"x"}';
      raw.write(
        'POST /v2/auth/login HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n' +
          `HTTP2-Settings: AAMAAABk\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      raw.write(body);
      raw.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      const answer = await everything(raw);
      expect(answer).toMatch(/^HTTP\/1.1 403 .*"code":8.*HTTP\/1.1 200 .*"status":"ok"/s);
    });
  });

  describe('scope', () => {
    it(
      'gives an API token its whole account, a user the assigned lots, nobody another account',
      proves('every event: scope'),
      async () => {
        const [api, owner, guard, rival] = [
          await listen(API_TOKEN),
          await listen(OWNER_TOKEN),
          await listen(GUARD_TOKEN),
          await listen(RIVAL_TOKEN),
        ];
        await journalEvents(
          cloud.store,
          north('in-north'),
          { ...north('in-south'), lot_id: site.south },
          { account_id: site.rival, lot_id: site.rivalLot, uuid: 'rival' },
          north('north-again'),
          { account_id: site.rival, lot_id: site.rivalLot, uuid: 'rival-again' },
        );
        await Promise.all([api.heard('north-again'), owner.heard('north-again'), guard.heard('north-again')]);
        await rival.heard('rival-again');
        expect(api.uuids()).toEqual(['in-north', 'in-south', 'north-again']);
        expect(owner.uuids()).toEqual(['in-north', 'in-south', 'north-again']);
        expect(guard.uuids()).toEqual(['in-north', 'north-again']);
        expect(rival.uuids()).toEqual(['rival', 'rival-again']);
      },
    );

    it('follows the lots of a user while it is connected', async () => {
      const guard = await listen(GUARD_TOKEN);
      await cloud.store.change(async (tx) => {
        await tx
          .updateTable('account_user_lots')
          .set({ lot_id: site.south })
          .where('account_user_id', '=', site.guard)
          .execute();
      });
      await cloud.hub.checkCallers();
      await journalEvents(cloud.store, north('gone'), { ...north('new'), lot_id: site.south });
      await guard.heard('new');
      expect(guard.uuids()).toEqual(['new']);
    });

    it('follows lots that are changed over REST at once', async () => {
      const [guard, owner] = [await listen(GUARD_TOKEN), await listen(OWNER_TOKEN)];
      const json = { lot_ids: [site.south] };
      await cloud.ask('PATCH', `/v2/account-users/${site.guard}`, { token: OWNER_TOKEN, json });
      await journalEvents(cloud.store, north('gone'), { ...north('new'), lot_id: site.south });
      await guard.heard('new');
      expect(guard.uuids()).toEqual(['new']);
      const { body } = await cloud.ask('POST', '/v2/lots', { token: OWNER_TOKEN, json: { name: 'West' } });
      await journalEvents(cloud.store, { ...north('in-west'), lot_id: (body.data as { id: number }).id });
      await owner.heard('in-west');
    });
  });

  describe('subscription', () => {
    it('narrows, is replaced by the next one, and stays when that is malformed', async () => {
      const client = await listen(API_TOKEN);
      const subscribe = (data: unknown) => client.socket.send(JSON.stringify({ event: 'subscribe', data }));
      const wanted = { lots: [site.south], events: ['gateway_status'] };
      subscribe(wanted);
      await client.until((frames) => frames.length === 2);
      expect(client.frames[1]).toEqual({ event: 'subscribed', data: JSON.stringify(wanted) });
      subscribe({ events: ['no_such_event'] });
      await client.until((frames) => frames.some(({ event }) => event === 'error'));
      const error = client.frames.find(({ event }) => event === 'error');
      expect(JSON.parse(error?.data ?? '')).toMatchObject({ code: 23, field: 'events.0' });
      expect(error).not.toHaveProperty('id');
      await journalEvents(cloud.store, north('a'), { ...north('b'), lot_id: site.south });
      await client.heard('b');
      subscribe({ events: ['session_create'] });
      subscribe({ products: 1 });
      await client.until((frames) => frames.filter(({ event }) => event === 'error').length === 2);
      await journalEvents(cloud.store, north('c'));
      subscribe({});
      subscribe(null);
      client.socket.send('{"event":"subscribe"}');
      await client.until((frames) => frames.filter(({ event }) => event === 'error').length === 4);
      await journalEvents(cloud.store, north('d'));
      await client.heard('d');
      expect(client.uuids()).toEqual(['b', 'd']);
      const answers = client.frames.filter(({ event }) => event === 'subscribed').map(({ data }) => data);
      expect(answers).toEqual([JSON.stringify(wanted), '{"events":["session_create"]}', '{}']);
    });

    it.each([
      ['of the whole account', API_TOKEN],
      ['of some lots', GUARD_TOKEN],
    ])(
      'to a lot that is not there, or of somebody else, is refused and changes nothing: a token %s',
      async (_of, token) => {
        const client = await listen(token);
        const subscribe = (data: unknown) => client.socket.send(JSON.stringify({ event: 'subscribe', data }));
        subscribe({ lots: [site.north] });
        subscribe({ lots: [site.north, 999_999, site.rivalLot] });
        subscribe({ events: ['gateway_status'] });
        await client.until((frames) => frames.filter(({ event }) => event === 'subscribed').length === 2);
        expect(client.frames.map(({ event }) => event)).toEqual(['authorized', 'subscribed', 'error', 'subscribed']);
        const errors = ['lots.1', 'lots.2'].map((field) => ({ code: 23, message: 'There is no such thing', field }));
        expect(client.frames[2]).toEqual({ event: 'error', data: JSON.stringify(errors[0]), errors });
        await journalEvents(cloud.store, north('heard-still'));
        await client.heard('heard-still');
      },
    );

    it('answers what it does not know, and closes 1009 on a frame over 16 KiB', async () => {
      const client = await listen(API_TOKEN);
      client.socket.send('hello');
      client.socket.send('{"event":"authorize","data":"again"}');
      client.socket.send(Buffer.from([1, 2, 3]));
      client.socket.send(JSON.stringify({ event: 'unknown', data: 'x'.repeat(16_000) }));
      await client.until((frames) => frames.filter(({ event }) => event === 'error').length === 2);
      expect(client.frames.at(-1)).toMatchObject({ errors: [{ code: 23, field: 'event' }] });
      await journalEvents(cloud.store, north('still-here'));
      await client.heard('still-here');
      client.socket.send('x'.repeat(16 * 1024 + 1));
      expect(await client.closed).toBe(1009);
    });
  });

  describe('revocation', () => {
    it('closes the sockets of the tokens a login deletes', async () => {
      const guard = await listen(GUARD_TOKEN);
      const api = await listen(API_TOKEN);
      const json = { email: 'guard@harbour.example', password: PASSWORD };
      const { body } = await cloud.ask('POST', '/v2/auth/login', { json });
      expect(await guard.closed).toBe(4401);
      const again = await listen((body.data as { token: string }).token);
      await journalEvents(cloud.store, north('later'));
      await Promise.all([again.heard('later'), api.heard('later')]);
    });

    it('closes at once when an API token is deleted, or the user of a token', async () => {
      const [api, guard, owner] = [await listen(API_TOKEN), await listen(GUARD_TOKEN), await listen(OWNER_TOKEN)];
      const { body } = await cloud.ask('GET', '/v2/api-tokens', { token: OWNER_TOKEN });
      const [{ id } = { id: 0 }] = body.data as { id: number }[];
      await cloud.ask('DELETE', `/v2/api-tokens/${id}`, { token: OWNER_TOKEN });
      expect(await api.closed).toBe(4401);
      await cloud.ask('DELETE', `/v2/account-users/${site.guard}`, { token: OWNER_TOKEN });
      expect(await guard.closed).toBe(4401);
      await journalEvents(cloud.store, north('later'));
      await owner.heard('later');
    });

    it('finds tokens that were deleted by another process within 5 s', async () => {
      const api = await listen(API_TOKEN);
      await cloud.store.change(async (tx) => void (await tx.deleteFrom('api_tokens').execute()));
      await cloud.clock.advance(5_000);
      expect(await api.closed).toBe(4401);
    });

    it('a token that got another value: who showed the old one is closed, who shows the new one stays', async () => {
      const before = await listen(API_TOKEN);
      await cloud.store.change(async (tx) => {
        const token_hash = hashToken('another-integration-token-0123456789');
        await tx.updateTable('api_tokens').set({ token_hash }).where('token_hash', '=', hashToken(API_TOKEN)).execute();
      });
      const after = await listen('another-integration-token-0123456789');
      await cloud.hub.checkCallers();
      expect(await before.closed).toBe(4401);
      await journalEvents(cloud.store, north('later'));
      await after.heard('later');
    });

    it('an API token falls with the last Super Admin', async () => {
      const api = await listen(API_TOKEN);
      await cloud.store.change(async (tx) => {
        await tx.deleteFrom('account_users').where('id', '=', site.owner).execute();
      });
      await cloud.hub.checkCallers();
      expect(await api.closed).toBe(4401);
      await expect(connectTo(bearer(API_TOKEN))).rejects.toMatchObject({ status: 401 });
    });
  });

  describe('heartbeat', () => {
    it('pings every 25 s and keeps who answers', async () => {
      const client = await listen(API_TOKEN);
      for (let round = 0; round < 4; round++) {
        const pinged = once(client.socket, 'ping');
        await cloud.clock.advance(25_000);
        await pinged;
        // The pong was sent before this frame, so it has arrived when the answer comes.
        client.socket.send('{"event":"subscribe","data":7}');
        await client.until((frames) => frames.filter(({ event }) => event === 'error').length === round + 1);
      }
      expect(client.socket.readyState).toBe(client.socket.OPEN);
    });

    it('ends a connection that owes its pong for 20 s', async () => {
      const client = await connectTo({ client: { ...bearer(API_TOKEN).client, autoPong: false } });
      await client.until((frames) => frames.length > 0);
      await cloud.clock.advance(25_000);
      await cloud.clock.advance(19_999);
      expect(cloud.hub.size).toBe(1);
      await cloud.clock.advance(1);
      expect(cloud.hub.size).toBe(0);
      expect(await client.closed).toBe(1006);
    });
  });

  it('says 1012 when the cloud stops', async () => {
    const [api, waiting] = [await listen(API_TOKEN), await connectTo({})];
    const stopped = cloud.server.close();
    expect(await api.closed).toBe(1012);
    expect(await waiting.closed).toBe(1012);
    await stopped;
    await settle();
  });
});

async function rawConnection(cloud: CloudWorld): Promise<Socket> {
  const socket = connect(cloud.server.port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function everything(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => (text += chunk));
  await once(socket, 'close');
  return text;
}
