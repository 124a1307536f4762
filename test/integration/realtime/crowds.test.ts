/** Rooms of connections that one caller fills: the others come in all the same, and stay. */
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { ATTACKER_ADDRESS } from '../../attack/attack.js';
import { duringAttack } from '../../attack/during-attack.js';
import { holdSockets } from '../../attack/held-sockets.js';
import { API_TOKEN, RIVAL_TOKEN, seedSite } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld, type WorldOptions } from '../http/http-world.js';
import { connectRealtime, type RealtimeClient } from './listening-client.js';
import { upgradeRequest } from './raw-websocket.js';
import { runs } from '../../depth.js';

// Fewer than who may come at once: the clock stands, and nobody who is held would ever get a turn.
const ATTACKERS = runs(60, 4);
const PLACES = 20;

let cloud: CloudWorld;
const clients: RealtimeClient[] = [];
const start = async (options: WorldOptions) => {
  cloud = await startCloudWorld(options);
  await seedSite(cloud.store);
};
const join = async (token: string | null) => {
  const client = await connectRealtime(cloud.base, token === null ? {} : { path: `/v2/realtime?token=${token}` });
  clients.push(client);
  return client;
};
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.terminate();
  await cloud.close();
});

/** Resolves when the room is so full that the attacker's first connection had to go. */
async function firstOfAttackerGone(opening: string): Promise<void> {
  const socket = connect({ port: cloud.server.port, host: '127.0.0.1', localAddress: ATTACKER_ADDRESS });
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  socket.write(opening);
  await once(socket, 'close');
}

describe('a crowd without tokens', () => {
  it('is in the way of itself only', async () => {
    await start({ rooms: { waitingMax: PLACES } });
    const before = await join(null);
    const opening = () => upgradeRequest(null);
    await duringAttack(
      'websockets without a token',
      (order) => holdSockets({ port: cloud.server.port, count: ATTACKERS, opening }, order),
      async () => {
        await firstOfAttackerGone(opening());
        // One that waited before, one that comes now, and one that never has to wait.
        const during = await join(null);
        const withToken = await join(API_TOKEN);
        for (const client of [before, during]) {
          client.socket.send(JSON.stringify({ event: 'authorize', data: API_TOKEN }));
          await client.until((frames) => frames.some(({ event }) => event === 'authorized'));
        }
        expect([before, during, withToken].map(({ socket }) => socket.readyState)).toEqual([1, 1, 1]);
        expect(cloud.hub.size).toBe(3);
      },
    );
    expect(cloud.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });
});

describe('connections without a token that come faster than their pace', () => {
  it.each([
    ['of their own address, of which nothing is read', [], ''],
    ['of a client behind a proxy', ['127.0.0.1'], 'HTTP/1.1 503 Service Unavailable'],
  ])('%s, are held unanswered until it is their turn, and not for long', async (_who, trustedProxies, refusal) => {
    await start({ pace: { burst: 3, perSecond: 1, heldMs: 5_000 }, trustedProxies });
    const answers = Array.from({ length: 9 }, () => '');
    const refused = new Set<number>();
    const sockets = answers.map((_, index) => {
      const socket = connect(cloud.server.port, '127.0.0.1', () => socket.write(upgradeRequest(null)));
      socket.setEncoding('utf8').on('data', (text: string) => (answers[index] += text));
      socket.on('error', () => {}).on('close', () => refused.add(index));
      return socket;
    });
    const count = (status: number) => answers.filter((answer) => answer.startsWith(`HTTP/1.1 ${status}`)).length;
    await waitUntil('the burst', () => count(101) === 3);
    await waitUntil('the next turn', async () => {
      await cloud.clock.advance(100);
      return count(101) === 4;
    });
    await waitUntil('the others to be sent away', async () => {
      await cloud.clock.advance(100);
      return refused.size > 0 && count(101) + refused.size === 9;
    });
    for (const index of refused) expect(answers[index]?.split('\r\n')[0]).toBe(refusal);
    for (const socket of sockets) socket.destroy();
  });

  it('are no crowd of operators behind one address: each that shows its token makes way for the next', async () => {
    await start({ pace: { burst: 2, perSecond: 0.001 } });
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const client = await join(null);
        client.socket.send(JSON.stringify({ event: 'authorize', data: API_TOKEN }));
        await client.until((frames) => frames.some(({ event }) => event === 'authorized'));
      }),
    );
    expect(cloud.hub.size).toBe(20);
  });
});

describe('an account that fills the room', () => {
  it('gets all places that nobody needs, keeps what it has, and makes room for others', async () => {
    await start({ rooms: { connectionsMax: 5 } });
    const crowd = [];
    for (let count = 0; count < 5; count++) crowd.push(await join(API_TOKEN));
    await expect(join(API_TOKEN)).rejects.toMatchObject({ status: 503 });
    const byMessage = await join(null);
    byMessage.socket.send(JSON.stringify({ event: 'authorize', data: API_TOKEN }));
    expect(await byMessage.closed).toBe(1013);
    expect(cloud.hub.size).toBe(5);

    const other = await join(RIVAL_TOKEN);
    expect(await Promise.race(crowd.map(({ closed }) => closed))).toBe(1013);
    await waitUntil('its place to be free', () => cloud.hub.size === 5);
    expect(crowd.filter(({ socket }) => socket.readyState === 1)).toHaveLength(4);
    expect(other.socket.readyState).toBe(1);
  });
});

describe('a crowd that asks for nothing', () => {
  it('does not cut a request under way, nor a connection that others keep', async () => {
    await start({ socketsMax: PLACES });
    const keptAlive = new Agent({ keepAlive: true, maxSockets: 1 });
    const portOf = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = get(`${cloud.base}/healthz`, { agent: keptAlive }, (response) => {
          const port = request.socket?.localPort;
          response.resume().on('end', () => resolve(port));
        });
        request.on('error', reject);
      });
    const port = await portOf();
    const slow = connect(cloud.server.port, '127.0.0.1');
    let answer = '';
    slow.setEncoding('utf8').on('data', (text: string) => (answer += text));
    slow.write(
      'POST /v2/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
    );
    await duringAttack(
      'idle HTTP connections',
      (order) => holdSockets({ port: cloud.server.port, count: ATTACKERS }, order),
      async () => {
        await firstOfAttackerGone('');
        for (let asked = 0; asked < 5; asked++) expect((await cloud.ask('GET', '/healthz')).status).toBe(200);
        expect(await portOf()).toBe(port);
        slow.write('}');
        await waitUntil('the answer', () => answer.includes('HTTP/1.1 422'));
      },
    );
    slow.destroy();
    keptAlive.destroy();
  });
});
