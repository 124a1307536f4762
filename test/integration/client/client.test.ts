import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandError, createClient, ParkingError, type RealtimeEvent } from '../../../shared/client/index.js';
import { wakefulClock } from '../../../shared/system-clock.js';
import { OWNER_TOKEN, seedSite, journalEvents } from '../http/http-site.js';
import { startCloudWorld } from '../http/http-world.js';
import { type ClientWorld, startClientWorld } from './client-world.js';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.js';

let world: ClientWorld;
let proxy: CuttingProxy;

beforeAll(async () => {
  world = await startClientWorld();
  proxy = await startCuttingProxy(world.cloud.base);
});
afterAll(async () => {
  await proxy.close();
  await world.cloud.close();
});

const TRY_MS = 30_000;

/** Waits are over at once and remembered; what is so long that it only ends something that hangs never ends. */
function hurriedClock({
  onWait,
  isEndless = (ms) => ms >= TRY_MS,
}: {
  onWait?: (ms: number) => Promise<void>;
  isEndless?: (ms: number) => boolean;
} = {}) {
  const waits: number[] = [];
  const setTimer = (ms: number, fire: () => void) => {
    if (isEndless(ms)) return { cancel: () => undefined };
    let isOff = false;
    waits.push(ms);
    void Promise.resolve(onWait?.(ms)).then(() => setImmediate(() => isOff || fire()));
    return { cancel: () => void (isOff = true) };
  };
  return { ...wakefulClock, setTimer, waits };
}

const failureOf = async (work: Promise<unknown>): Promise<ParkingError> => {
  const failure: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(failure instanceof ParkingError)) throw new Error(`no ParkingError: ${String(failure)}`);
  return failure;
};

describe('calls', () => {
  it('create, change, read, list and delete', async () => {
    const client = world.client();
    const made = (await client.post('/v2/lots', { body: { name: 'Made', timezone: 'Europe/Zagreb' } })) as {
      id: number;
    };
    const path = { id: made.id };
    await client.patch('/v2/lots/{id}', { path, body: { name: 'Changed' } });
    expect(await client.get('/v2/lots/{id}', { path })).toMatchObject({ name: 'Changed' });
    expect(await client.get('/v2/lots', { query: { filter: ['name:eq:Changed'], size: 1 } })).toMatchObject([path]);
    expect((await client.request('get', '/v2/lots', { query: { size: 1 } })).meta).toMatchObject({ per_page: 1 });
    await client.delete('/v2/lots/{id}', { path });
    const missing = await failureOf(client.get('/v2/lots/{id}', { path }));
    expect(missing).toMatchObject({ status: 404, errors: [{ code: 6 }], retryAfter: null });
    expect(missing.requestId).toMatch(/^[\w-]{8,}$/);
  });

  it('say all that is wrong, by field', async () => {
    const refused = await failureOf(world.client().post('/v2/zones', { body: { name: '' } }));
    expect(refused.status).toBe(422);
    expect(refused.errors.map(({ field }) => field)).toEqual(expect.arrayContaining(['name', 'lot_id']));
    expect(refused.message).toContain('name: ');
  });

  it('need every id of their path', async () => {
    await expect(world.client().get('/v2/lots/{id}', {})).rejects.toThrow('/v2/lots/{id} needs id in path');
  });

  it('give files as text', async () => {
    expect(await world.client().get('/v2/sessions/export')).toMatch(/^id,/);
  });
});

describe('lists', () => {
  it('are read page by page, each thing once, while things are added', async () => {
    const client = world.client();
    const names = ['A', 'B', 'C', 'D', 'E'].map((letter) => `Listed ${letter}`);
    for (const name of names) await client.post('/v2/members', { body: { name } });
    const seen: unknown[] = [];
    for await (const member of client.list('/v2/members', { query: { size: 2, filter: ['name:like:Listed'] } })) {
      seen.push((member as { name: string }).name);
      if (seen.length === 2) await client.post('/v2/members', { body: { name: 'Listed meanwhile' } });
    }
    expect(seen).toEqual(names.toReversed());
  });

  it('are followed by id, so that what is deleted meanwhile hides nothing', async () => {
    const client = world.client();
    const names = ['A', 'B', 'C', 'D', 'E'].map((letter) => `Followed ${letter}`);
    const ids: number[] = [];
    for (const name of names) ids.push(((await client.post('/v2/members', { body: { name } })) as { id: number }).id);
    const seen: unknown[] = [];
    const query = { size: 2, sort: 'id:asc', filter: ['name:like:Followed'] } as const;
    for await (const member of client.list('/v2/members', { query: { ...query, filter: [...query.filter] } })) {
      seen.push((member as { name: string }).name);
      if (seen.length === 2) await client.delete('/v2/members/{id}', { path: { id: ids[0] ?? 0 } });
    }
    expect(seen).toEqual(names);
  });
});

describe('an answer that is lost', () => {
  beforeEach(() => proxy.cut());

  it('is asked for again, and what it was about is done once', async () => {
    const clock = hurriedClock();
    const client = world.client({ baseUrl: proxy.base, clock });
    proxy.loseAnswers(2);
    await client.post('/v2/members', { body: { name: 'Once' } });
    expect(clock.waits).toHaveLength(2);
    expect(await client.get('/v2/members', { query: { filter: ['name:eq:Once'] } })).toHaveLength(1);
  });

  it('is an error without a status when none comes at any try', async () => {
    const client = world.client({ baseUrl: proxy.base, clock: hurriedClock(), triesMax: 3 });
    proxy.loseAnswers(3);
    const failure = await failureOf(client.get('/v2/lots'));
    expect(failure).toMatchObject({ status: 0, errors: [], requestId: null, message: 'The service did not answer' });
    expect(await client.get('/v2/lots')).toBeInstanceOf(Array);
  });
});

describe('an address', () => {
  it.each(['', '127.0.0.1:8080', 'localhost:8080', '/v2', 'ws://127.0.0.1:8080'])(
    '"%s" is refused at once',
    (baseUrl) => {
      expect(() => createClient({ baseUrl })).toThrow(
        new TypeError(`baseUrl is to be like https://HOST, and is "${baseUrl}"`),
      );
    },
  );
});

describe('a service that is silent', () => {
  it('is given up after the time of a try, and at once when the caller wants', async () => {
    const silent = createServer((socket) => void socket.on('error', () => undefined)).unref();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const client = createClient({ baseUrl, triesMax: 1 });
    const failure = await failureOf(client.get('/healthz', { timeoutMs: 20 }));
    expect(failure.cause).toMatchObject({ message: 'No answer within 20 ms' });

    const leaving = new AbortController();
    const asked = client.get('/healthz', { signal: leaving.signal });
    leaving.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await expect(client.get('/healthz', { signal: leaving.signal })).rejects.toThrow('enough');
    silent.close();
  });
});

describe('a service that wants fewer requests', () => {
  it('is asked again when it said', async () => {
    const busy = await startCloudWorld({ requestsPerMin: 5 });
    try {
      await seedSite(busy.store);
      const clock = hurriedClock({ onWait: (ms) => busy.clock.advance(ms), isEndless: (ms) => ms === TRY_MS });
      const client = createClient({ baseUrl: busy.base, token: OWNER_TOKEN, clock, random: () => 0 });
      for (let asked = 0; asked < 8; asked += 1) expect(await client.get('/v2/lots')).toHaveLength(2);
      expect(clock.waits.length).toBeGreaterThan(0);
      expect(clock.waits.every((ms) => ms >= 1000)).toBe(true);

      const impatient = createClient({ baseUrl: busy.base, token: OWNER_TOKEN, triesMax: 1 });
      const askUntilRefused = async () => {
        for (let asked = 0; asked < 8; asked += 1) await impatient.get('/v2/lots');
      };
      expect(await failureOf(askUntilRefused())).toMatchObject({
        status: 429,
        errors: [{ code: 429 }],
        retryAfter: expect.any(Number),
      });
    } finally {
      await busy.close();
    }
  });
});

describe('openAndWait', () => {
  const isAsked = (count: number) => expect.poll(() => world.cloud.commandParts.sent).toHaveLength(count);
  beforeEach(() => {
    world.cloud.commandParts.sent.length = 0;
  });

  it('ends with the event', async () => {
    const opened = world.client().openAndWait(world.product);
    await isAsked(1);
    await world.answerCommand(null);
    expect(await opened).toEqual({
      eventId: world.cloud.commandParts.sent[0]?.message.event_id,
      heardBy: expect.any(String),
    });
  });

  it('hears the event when nothing can be polled', async () => {
    let polls = 0;
    const send: typeof fetch = (url, init) => {
      if (String(url).includes('/v2/commands/')) polls += 1;
      return String(url).includes('/v2/commands/') ? Promise.reject(new TypeError('cut')) : fetch(url, init);
    };
    const client = world.client({ fetch: send, clock: hurriedClock() });
    const opened = client.openAndWait(world.product);
    await isAsked(1);
    // The connection is there when the poll, which cannot succeed, has been tried.
    await expect.poll(() => polls).toBeGreaterThan(0);
    await expect.poll(() => world.cloud.hub.size).toBeGreaterThan(0);
    await world.answerCommand(null);
    expect(await opened).toMatchObject({ heardBy: 'event' });
  });

  it('ends with the poll in a runtime without WebSocket, and fails as the product did', async () => {
    const client = createClient({ baseUrl: world.cloud.base, token: OWNER_TOKEN, clock: hurriedClock() });
    const closed = client.openAndWait(world.product, { operation: 'close' });
    await isAsked(1);
    await world.answerCommand(6);
    const failure: unknown = await closed.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CommandError);
    expect(failure).toMatchObject({ type: 6, message: 'Car on top', eventId: expect.stringMatching(/^[0-9a-f]{8}$/) });
  });

  it('gives up in time, and leaves the command to its own end', async () => {
    const late: unknown = await world
      .client()
      .openAndWait(world.product, { timeoutMs: 20 })
      .catch((error: unknown) => error);
    expect(late).toMatchObject({ name: 'CommandError', type: null });
    await world.answerCommand(null);
  });

  it('is refused as any call', async () => {
    expect(await failureOf(world.client().openAndWait(999_999))).toMatchObject({ status: 404 });
  });
});

describe('realtime', () => {
  it('goes on after the last event when the connection was cut', async () => {
    const heard: RealtimeEvent[] = [];
    const onResync = vi.fn<() => void>();
    const states: string[] = [];
    const client = world.client({ baseUrl: proxy.base, random: () => 0 });
    const connection = client.realtime({
      subscription: { events: ['gateway_status'] },
      onEvent: (event) => void heard.push(event),
      onResync,
      onState: ({ state }) => void states.push(state),
    });
    const status = (uuid: string) =>
      journalEvents(world.cloud.store, {
        account_id: world.site.harbour,
        lot_id: world.site.north,
        uuid,
      });
    await expect.poll(() => states).toContain('live');
    await status('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01');
    await expect.poll(() => heard).toHaveLength(1);
    proxy.cut();
    await status('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c02');
    await expect.poll(() => heard).toHaveLength(2);
    connection.close();
    expect(heard.map(({ id }) => Number(id))).toEqual([expect.any(Number), Number(heard[0]?.id) + 1]);
    expect(states).toContain('waiting');
    expect(onResync).not.toHaveBeenCalled();
  });

  it('needs a token and a WebSocket', () => {
    const options = { onEvent: () => undefined, onResync: () => undefined };
    expect(() => createClient({ baseUrl: world.cloud.base, token: 'x' }).realtime(options)).toThrow('no WebSocket');
    const tokenless = createClient({ baseUrl: world.cloud.base, WebSocket });
    expect(() => tokenless.realtime(options)).toThrow('needs a token');
  });
});
