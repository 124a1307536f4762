import { onPostgres } from '../../world/postgres-databases.js';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from '../../property.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { connectRealtime, type RealtimeClient } from './listening-client.js';
import { API_TOKEN, type Site, seedSite, journalEvents } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { clientFrame, openRaw, upgradeRequest } from './raw-websocket.js';
import { longRuns } from '../../depth.js';

const PING = 9;
const PONG = 10;
const CLOSE = 8;

describe('realtime connection and clients that break the rules', () => {
  let cloud: CloudWorld;
  let site: Site;
  let honest: RealtimeClient;
  let notified = 0;

  beforeEach(async () => {
    cloud = await startCloudWorld();
    site = await seedSite(cloud.store);
    honest = await connectRealtime(cloud.base, { path: `/v2/realtime?token=${API_TOKEN}` });
  });
  afterEach(async () => {
    // Whatever the other did: who keeps the rules notices nothing of it.
    await journalEvents(cloud.store, { account_id: site.harbour, lot_id: site.north, uuid: `after ${++notified}` });
    await honest.heard(`after ${notified}`);
    await waitUntil('the other to be forgotten', () => cloud.hub.size === 1);
    expect(cloud.log.filter(({ level }) => level === 'error')).toEqual([]);
    honest.socket.terminate();
    await cloud.close();
  });

  const open = async (token: string | null = API_TOKEN) => {
    const raw = await openRaw({ port: cloud.server.port, token });
    if (token !== null) await raw.frame(1);
    return raw;
  };

  it.each([
    ['not masked', clientFrame('{}', { masked: false }), 1002],
    ['with reserved bits', clientFrame('{}', { reserved: 4 }), 1002],
    ['of an unknown kind', clientFrame('{}', { opcode: 3 }), 1002],
    ['of a control that is too long', clientFrame('x'.repeat(126), { opcode: PING }), 1002],
    ['of a control in pieces', clientFrame('x', { opcode: PING, final: false }), 1002],
    ['that goes on with nothing', clientFrame('x', { opcode: 0 }), 1002],
    ['that is no UTF-8', clientFrame(Uint8Array.of(0xff, 0xfe)), 1007],
    ['that says it will be too large', clientFrame('x', { length: 16 * 1024 + 1 }), 1009],
    ['that closes with a wrong code', clientFrame(Uint8Array.of(0, 1), { opcode: CLOSE }), 1002],
  ])('closes on a frame %s', async (_name, frame, code) => {
    const raw = await open();
    raw.send(frame);
    expect(await raw.closed).toBe(code);
  });

  it.each([
    ['too large as a whole', 'x'.repeat(8 * 1024 + 1), 3, 1009],
    ['without end and without content', '', 200, 1008],
  ])('closes on a message in pieces that is %s', async (_name, piece, pieces, code) => {
    const raw = await open();
    raw.send(clientFrame(piece, { final: false }));
    for (let sent = 1; sent < pieces; sent++) raw.send(clientFrame(piece, { opcode: 0, final: false }));
    expect(await raw.closed).toBe(code);
  });

  it('lets a message of exactly 16 KiB pass, in pieces too', async () => {
    const raw = await open();
    const text = JSON.stringify({ event: 'subscribe', data: { events: 'x' } });
    const padded = text + ' '.repeat(16 * 1024 - text.length);
    raw.send(clientFrame(padded.slice(0, 5_000), { final: false }), clientFrame(padded.slice(5_000), { opcode: 0 }));
    await waitUntil('the answer', () => raw.frames.some(({ payload }) => payload.includes('"event":"error"')));
    raw.socket.destroy();
  });

  it('answers a binary frame as one that it does not understand', async () => {
    const raw = await open();
    raw.send(clientFrame('{"event":"subscribe","data":7}', { opcode: 2 }), clientFrame('end', { opcode: PING }));
    expect((await raw.frame(PONG)).toString()).toBe('end');
    await waitUntil('the answer', () => raw.frames.filter(({ opcode }) => opcode === 1).length > 1);
    expect(raw.frames.map(({ opcode }) => opcode).toSorted()).toEqual([1, 1, PONG].toSorted());
    expect(String(raw.frames.findLast(({ opcode }) => opcode === 1)?.payload)).toContain('not understood');
    raw.socket.destroy();
  });

  it.each([
    ['text', clientFrame('hello'), 1008],
    // More pings at once than ws answers at once cut the connection.
    ['pings', clientFrame('', { opcode: PING }), null],
    ['pongs', clientFrame('', { opcode: PONG }), 1008],
    ['binary', clientFrame('', { opcode: 2 }), 1008],
  ])('ends on a flood of %s, from who has a token and who has none', async (_name, frame, code) => {
    for (const token of [API_TOKEN, null]) {
      const raw = await open(token);
      raw.send(...Array.from({ length: 150 }, () => frame));
      // Who has no token may not even say something else.
      expect(token === null ? [code, 4401] : [code]).toContain(await raw.closed);
      expect(raw.frames.filter(({ opcode }) => opcode === PONG).length).toBeLessThanOrEqual(101);
    }
  });

  it('closes 1008 on pings without end, one after the other', async () => {
    const raw = await open();
    for (let sent = 0; sent <= 100; sent++) {
      raw.frames.length = 0;
      raw.send(clientFrame('', { opcode: PING }));
      await raw.frame(PONG).catch(() => undefined);
    }
    expect(await raw.closed).toBe(1008);
  });

  it('cuts a flood that does not stop for the closing frame', async () => {
    const raw = await open();
    raw.socket.pause();
    const flood = Buffer.concat(Array.from({ length: 1_000 }, () => clientFrame('', { opcode: PING })));
    const ended = once(raw.socket, 'close');
    raw.socket.write(flood);
    await waitUntil('the connection to be forgotten', () => cloud.hub.size === 1);
    raw.socket.resume();
    await ended;
  });

  it('finds who is gone without a word, with a token or without, and cuts it', async () => {
    const [raw, silent] = [await open(), await open(null)];
    // Its network is gone: nothing it sends arrives, and what it is sent goes nowhere.
    for (const { socket } of [raw, silent]) socket.pause();
    await cloud.clock.advance(10_000);
    silent.socket.resume();
    expect(await silent.closed).toBe(4408);
    const pinged = once(honest.socket, 'ping');
    await cloud.clock.advance(15_000);
    await pinged;
    // The honest one's pong was sent before this frame, so it has arrived when the answer comes.
    honest.socket.send('{"event":"subscribe","data":7}');
    await honest.until((frames) => frames.some(({ event }) => event === 'error'));
    await cloud.clock.advance(19_999);
    expect(cloud.hub.size).toBe(2);
    await cloud.clock.advance(1);
    expect(cloud.hub.size).toBe(1);
    raw.socket.resume();
    expect(await raw.closed).toBeNull();
  });

  it('lets who only ends its own half go', async () => {
    const raws = [await open(), await open(null)];
    for (const raw of raws) raw.socket.end();
    for (const raw of raws) await raw.closed;
  });

  it('allows frames again as time passes', async () => {
    const raw = await open();
    for (let minute = 0; minute < 10; minute++) {
      raw.frames.length = 0;
      raw.send(
        ...Array.from({ length: 90 }, () => clientFrame('', { opcode: PONG })),
        clientFrame('', { opcode: PING }),
      );
      await raw.frame(PONG);
      await cloud.clock.advance(20_000);
    }
    raw.socket.destroy();
  });

  it('survives any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(API_TOKEN, null),
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 300 }),
            fc
              .tuple(fc.uint8Array({ maxLength: 200 }), fc.nat(15), fc.boolean())
              .map(([payload, opcode, final]) => clientFrame(payload, { opcode, final })),
            fc
              .tuple(fc.constantFrom('authorize', 'subscribe', 'other'), fc.jsonValue())
              .map(([event, data]) => clientFrame(JSON.stringify({ event, data }).slice(0, 10_000))),
          ),
          { maxLength: 10 },
        ),
        async (token, pieces) => {
          const raw = await openRaw({ port: cloud.server.port, token });
          raw.send(...pieces);
          raw.socket.end();
          await raw.closed;
        },
      ),
      { numRuns: longRuns(15, 20) },
    );
  });
});

describe('origins of pages', () => {
  let cloud: CloudWorld;
  const start = async (corsOrigins: string[]) => {
    cloud = await startCloudWorld({ corsOrigins });
    await seedSite(cloud.store);
  };
  const statusFor = async (origin: string | undefined) => {
    const options = origin === undefined ? {} : { client: { headers: { origin } } };
    const path = `/v2/realtime?token=${API_TOKEN}`;
    try {
      const client = await connectRealtime(cloud.base, { ...options, path });
      await client.close();
      return 101;
    } catch (error) {
      return (error as { status: number }).status;
    }
  };
  afterEach(() => cloud.close());

  it('all may connect unless some are configured: the token is no cookie', async () => {
    await start([]);
    expect([await statusFor('https://strange.example'), await statusFor(undefined)]).toEqual([101, 101]);
  });

  it('those configured may connect, the own one, and whatever is no browser', async () => {
    await start(['https://console.example']);
    expect(await statusFor('https://console.example')).toBe(101);
    expect(await statusFor(cloud.base)).toBe(101);
    expect(await statusFor(undefined)).toBe(101);
    expect(await statusFor('https://strange.example')).toBe(403);
    expect(await statusFor('http://console.example')).toBe(403);
    expect(await statusFor('https://console.example.strange.example')).toBe(403);
    expect(await statusFor('null')).toBe(403);
  });
});

describe('10,000 connections that come and go', () => {
  const CONNECTIONS = 10_000;
  const AT_ONCE = 50;
  let cloud: CloudWorld;
  let collect: () => void;

  beforeAll(async () => {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
    cloud = await startCloudWorld();
    const { harbour, north } = await seedSite(cloud.store);
    await journalEvents(cloud.store, ...['1', '2', '3'].map((uuid) => ({ account_id: harbour, lot_id: north, uuid })));
  });
  afterAll(() => cloud.close());

  /** How clients leave: before the request, within it, before the answer, without a token, within a frame, and as they should. */
  const leavings: (() => Promise<unknown>)[] = [
    async () => {
      const socket = connect(cloud.server.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.destroy();
    },
    async () => {
      const socket = connect(cloud.server.port, '127.0.0.1');
      socket.write(upgradeRequest(API_TOKEN).slice(0, 60));
      await once(socket, 'connect');
      socket.destroy();
    },
    async () => {
      const socket = connect(cloud.server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      await new Promise((resolve) => socket.write(upgradeRequest(API_TOKEN), resolve));
      socket.resetAndDestroy();
    },
    async () => (await openRaw({ port: cloud.server.port, token: null })).socket.destroy(),
    async () => {
      const raw = await openRaw({ port: cloud.server.port, token: API_TOKEN });
      raw.send(clientFrame(JSON.stringify({ event: 'subscribe', data: { lots: [1], products: [1] } })));
      raw.send(clientFrame('half', { length: 100 }));
      raw.socket.destroy();
    },
    // Within a replay.
    async () => (await openRaw({ port: cloud.server.port, token: API_TOKEN, cursor: '1' })).socket.destroy(),
    async () => {
      const raw = await openRaw({ port: cloud.server.port, token: API_TOKEN });
      raw.send(clientFrame(Uint8Array.of(3, 232), { opcode: CLOSE }));
      expect(await raw.closed).toBe(1000);
    },
  ];
  const comeAndGo = async (count: number) => {
    let begun = 0;
    const one = async () => {
      while (begun < count) await leavings[begun++ % leavings.length]?.();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    await waitUntil('all to be forgotten', () => cloud.hub.size === 0 && openSockets() === 0);
  };
  const openSockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  const heapAfterCollection = async () => {
    expect(cloud.log.filter(({ level }) => level === 'error')).toEqual([]);
    cloud.log.length = 0;
    for (let round = 0; round < 3; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    return process.memoryUsage().heapUsed;
  };

  // Connections to a server would count as well.
  it.skipIf(onPostgres())('leave nothing behind', { timeout: 300_000 }, async () => {
    const timers = cloud.clock.pending;
    // What the first ones bring stays: compiled code, caches.
    await comeAndGo(CONNECTIONS / 10);
    const before = await heapAfterCollection();
    await comeAndGo(CONNECTIONS);
    const grown = (await heapAfterCollection()) - before;
    expect(cloud.clock.pending).toBe(timers);
    // A connection that was kept would be some kilobytes.
    expect(grown / CONNECTIONS).toBeLessThan(200);
  });
});
