import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpWebhookSender } from '../../../cloud/doors/webhook/http-webhook-sender.js';
import { FakeClock } from '../../world/fake-clock.js';
import { freePorts } from '../../world/free-ports.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { startReceiver } from './webhook-receiver.js';
import { startWebhookWorld, type WebhookWorld } from './webhook-world.js';

let world: WebhookWorld;
describe('where webhooks may go', () => {
  afterEach(() => world.close());

  it('is not where redirects lead', async () => {
    world = await startWebhookWorld();
    const target = await world.listen(200);
    const receiver = await world.listen({ status: 307, headers: { location: target.url } });
    const { id } = await world.create({ url: receiver.url });
    await world.journalEvents(world.north('1'));
    const [delivery] = await world.untilLog(id, 'the answer', ([first]) => first?.status_code === 307);
    expect(delivery?.error).toBe('Answered 307: redirects are not followed');
    expect(target.received).toEqual([]);
  });

  it('is a public address, by its name as well as by itself', async () => {
    const names: Record<string, string[]> = {
      'private.example': ['127.0.0.1'],
      'mixed.example': ['1.1.1.1', '127.0.0.1'],
      'mapped.example': ['::ffff:127.0.0.1'],
      'nothing.example': [],
    };
    world = await startWebhookWorld({
      allowPrivate: false,
      resolve: async (name) => {
        const addresses = names[name];
        if (addresses === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
        return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
    });
    const target = await world.listen(200);
    for (const url of [target.url, `http://localhost:${target.port}`, `http://[::1]:${target.port}`]) {
      expect((await world.ask('POST', '/v2/webhooks', { url })).status).toBe(422);
    }
    const errors = {
      'private.example': 'The address is not a public one',
      'mixed.example': 'The address is not a public one',
      'mapped.example': 'The address is not a public one',
      'nothing.example': 'The name has no address',
      'unknown.example': 'The name cannot be resolved (ENOTFOUND)',
    };
    const made = await Promise.all(
      Object.keys(errors).map((name) => world.create({ url: `http://${name}:${target.port}/` })),
    );
    await world.journalEvents(world.north('1'));
    for (const [index, error] of Object.values(errors).entries()) {
      await world.untilLog(
        made[index]?.id ?? 0,
        error,
        ([first]) => first?.error === error && first.status_code === null,
      );
    }
    expect(target.received).toEqual([]);
  });

  it('is the address that was checked, whatever the name says a moment later', async () => {
    let asked = 0;
    world = await startWebhookWorld({
      resolve: async () => {
        asked += 1;
        return asked === 1 ? [{ address: '127.0.0.1', family: 4 }] : [];
      },
    });
    const target = await world.listen(200);
    const { id } = await world.create({ url: `http://rebinding.example:${target.port}/` });
    await world.journalEvents(world.north('1'));
    await world.untilLog(id, 'the delivery', ([first]) => first?.status_code === 200);
    expect(asked).toBe(1);
    expect(target.received[0]?.headers.host).toBe(`rebinding.example:${target.port}`);
  });

  it('is localhost by its name, when private addresses are allowed', async () => {
    world = await startWebhookWorld();
    const target = await world.listen(200);
    const { id } = await world.create({ url: `http://localhost:${target.port}/` });
    await world.journalEvents(world.north('1'));
    await world.untilLog(id, 'the delivery', ([first]) => first?.status_code === 200);
  });

  it('tells a connection that is refused', async () => {
    world = await startWebhookWorld();
    const [port] = await freePorts(1);
    const { id } = await world.create({ url: `http://127.0.0.1:${port}/` });
    await world.journalEvents(world.north('1'));
    const [delivery] = await world.untilLog(id, 'the failure', ([first]) => typeof first?.error === 'string');
    expect(delivery).toMatchObject({ status_code: null, error: 'No connection (ECONNREFUSED)' });
    expect((await world.get(id)).last_status).toBeNull();
  });
});

describe('a sender', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  /** @returns the address of a server that does this with each of its connections */
  async function listenWith(serve: (socket: Socket) => void): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      serve(socket);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  /** What comes of a POST to a server that answers with these bytes and then ends the connection, or keeps it. */
  async function answerTo(bytes: string | Buffer, options: { keeps?: boolean } = {}) {
    const url = await listenWith((socket) => {
      socket.once('data', () => (options.keeps ? socket.write(bytes) : socket.end(bytes)));
    });
    const clock = new FakeClock();
    const sender = createHttpWebhookSender({ allowPrivate: true, clock });
    const answer = await sender.post({ url, headers: {}, body: '{}', signal: new AbortController().signal });
    await waitUntil('no timer to be left', () => clock.pending === 0);
    return answer;
  }
  const head = (status: string, ...headers: string[]) => `HTTP/1.1 ${[status, ...headers].join('\r\n')}\r\n\r\n`;

  it('does not connect to a private address that was allowed once', async () => {
    const receiver = await startReceiver(200);
    const sender = createHttpWebhookSender({ allowPrivate: false, clock: new FakeClock() });
    for (const url of [
      receiver.url,
      `http://[::ffff:127.0.0.1]:${receiver.port}/`,
      `http://0.0.0.0:${receiver.port}/`,
    ]) {
      const { signal } = new AbortController();
      const answer = await sender.post({ url, headers: {}, body: '{}', signal });
      expect(answer).toEqual({ statusCode: null, error: 'The address is not a public one' });
    }
    expect(receiver.received).toEqual([]);
    await receiver.close();
  });

  it('takes the status of an answer that goes on without end', async () => {
    const endless = Buffer.concat([Buffer.from(head('200 OK')), Buffer.alloc(1_000_000, 'x')]);
    expect(await answerTo(endless, { keeps: true })).toEqual({ statusCode: 200 });
  });

  it.each([
    ['has not all come', head('202 Accepted', 'Content-Length: 100')],
    ['has no end', head('202 Accepted', 'Content-Type: text/event-stream', 'Transfer-Encoding: chunked')],
  ])('is answered by the status, though the rest %s, and lets the rest come for a while only', async (_what, bytes) => {
    const clock = new FakeClock();
    let closed = false;
    const url = await listenWith((socket) => {
      socket.once('data', () => socket.write(bytes));
      socket.once('close', () => (closed = true));
    });
    const sender = createHttpWebhookSender({ allowPrivate: true, clock });
    const { signal } = new AbortController();
    expect(await sender.post({ url, headers: {}, body: '{}', signal })).toEqual({ statusCode: 202 });
    await clock.advance(4_999);
    expect(closed).toBe(false);
    await clock.advance(1);
    await waitUntil('the connection to be gone', () => closed);
    await waitUntil('no timer to be left', () => clock.pending === 0);
  });

  it('bears a hundred answers whose rest does not come, and cuts off the oldest for one more', async () => {
    const clock = new FakeClock();
    let open = 0;
    const url = await listenWith((socket) => {
      open += 1;
      socket.once('data', () => socket.write(head('200 OK', 'Content-Length: 5')));
      socket.once('close', () => (open -= 1));
    });
    const sender = createHttpWebhookSender({ allowPrivate: true, clock });
    const { signal } = new AbortController();
    for (let sent = 0; sent < 103; sent++) await sender.post({ url, headers: {}, body: '{}', signal });
    await waitUntil('the oldest to be gone', () => open === 100);
    await clock.advance(5_000);
    await waitUntil('all to be gone', () => open === 0);
  });

  it.each([
    ['wide headers', 200, head('200 OK', `Content-Security-Policy: ${'x'.repeat(20_000)}`)],
    ['headers without end', 410, head('410 Gone', `Set-Cookie: ${'x'.repeat(1_000_000)}`)],
    ['lines that end with LF', 202, 'HTTP/1.1 202 Accepted\nContent-Length: 2\n\nok'],
    ['such lines, and a receiver that is gone', 410, 'HTTP/1.1 410 Gone\n\n'],
    ['two lengths', 200, head('200 OK', 'Content-Length: 2', 'Content-Length: 3')],
    ['a length and chunks', 200, head('200 OK', 'Content-Length: 2', 'Transfer-Encoding: chunked')],
    ['a length that is none', 200, head('200 OK', 'Content-Length: two')],
    ['blanks in a name', 500, head('500 Oh', 'X Header : 1')],
    ['a line that is no header', 200, head('200 OK', 'PHP Warning')],
    ['another version', 200, 'HTTP/2 200\r\n\r\n'],
    ['an old version', 200, 'HTTP/1.0 200 OK\r\n\r\nok'],
    [
      'hints before',
      204,
      `${head('103 Early Hints', 'Link: </a>')}${head('204 No Content', 'Content-Length: 5')}hello`,
    ],
    ['hints before, badly written', 204, 'HTTP/1.1 103 Early Hints\nLink: </a>\n\nHTTP/1.1 204 No Content\n\n'],
    ['an end after the status line', 200, 'HTTP/1.1 200 OK\r\n'],
  ])('is answered by the status, with %s: %i', async (_what, statusCode, bytes) => {
    expect(await answerTo(bytes)).toEqual({ statusCode });
  });

  it.each([
    ['comes in pieces', ['HTTP/1.1 20', '0 OK\nServer: x', '\n\n']],
    ['comes byte by byte', [...'HTTP/1.1 200 OK\nX: y\n\n']],
  ])('is answered by the status, though it %s', async (_what, pieces) => {
    const url = await listenWith((socket) => {
      const send = (index: number) => {
        const piece = pieces[index];
        if (piece !== undefined && !socket.destroyed) socket.write(piece, () => setImmediate(send, index + 1));
      };
      socket.setNoDelay(true).once('data', () => send(0));
    });
    const sender = createHttpWebhookSender({ allowPrivate: true, clock: new FakeClock() });
    const { signal } = new AbortController();
    expect(await sender.post({ url, headers: {}, body: '{}', signal })).toEqual({ statusCode: 200 });
  });

  it('tells how long it is asked to wait', async () => {
    const busy = head('429 Too Many Requests', 'Retry-After: 120', 'Content-Length: 0');
    expect(await answerTo(busy)).toEqual({ statusCode: 429, retryAfterMs: 120_000 });
  });

  it.each([
    ['nothing', '', /^No connection \(ECONNRESET\)$/],
    ['something that is not HTTP', 'hello\r\n', /^The answer is no HTTP \(HPE_/],
    ['another protocol', head('101 Switching Protocols', 'Upgrade: x', 'Connection: Upgrade'), /without an answer$/],
  ])('tells a connection that ends with %s', async (_what, bytes, error) => {
    expect(await answerTo(bytes)).toEqual({ statusCode: null, error: expect.stringMatching(error) as string });
  });
});
