import { connect, type Socket } from 'node:net';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAedesBroker } from '../../../cloud/equipment/broker/aedes-broker.js';
import type { BrokerLimits } from '../../../cloud/equipment/broker/aedes-state.js';
import type { Broker, UpMessage } from '../../../cloud/equipment/broker/broker.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import { downTopic, upTopic } from '../../../shared/topics.js';
import { credentials } from '../gateway/link-gateway.js';
import { NORTH_GATEWAY as A, passwordOf, SECOND_GATEWAY as B } from '../gateway/link-site.js';
import { pictureOf, waitingBytes } from './large-messages.js';
import { FakeClock } from '../../world/fake-clock.js';
import { createTestLog, type LogLine } from '../../world/test-log.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

let broker: Broker & { readonly port: number };
let registry: Registry;
let log: LogLine[];
let received: UpMessage[];
const clients: MqttClient[] = [];
const sockets: Socket[] = [];
let asked: string[];
/** Keys of terminals. */
const registered = new Set<string>();
let slowAnswer: (isAccepted: boolean) => void;

async function start(limits: Partial<BrokerLimits> = {}) {
  const { lines, logger } = createTestLog();
  log = lines;
  registry = new Registry();
  received = [];
  asked = [];
  broker = await createAedesBroker({
    host: '127.0.0.1',
    port: 0,
    clock: new FakeClock(),
    logger,
    limits,
    registry,
    isTerminalRegistered: async (key) => registered.has(key),
    async authenticate(uuid, password) {
      asked.push(uuid);
      if (password === 'the database is down') throw new Error('down');
      if (password === 'slow') return new Promise((resolve) => (slowAnswer = resolve));
      return password === passwordOf(uuid);
    },
  });
  broker.onMessage(async (message) => void received.push(message));
}

beforeEach(() => start());
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
  for (const socket of sockets.splice(0)) socket.destroy();
  await broker.close();
});

async function join(uuid: GatewayUuid, more: IClientOptions = {}): Promise<MqttClient> {
  const options = { ...credentials(uuid), reconnectPeriod: 0, keepalive: 20, ...more };
  const before = connectionsOf(uuid);
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, options, false);
  await waitUntil('the broker to know the gateway', () => connectionsOf(uuid) > before);
  client.on('error', () => {});
  clients.push(client);
  return client;
}

const connectionsOf = (uuid: GatewayUuid): number =>
  log.filter(({ message, fields }) => message === 'gateway connected' && fields.uuid === uuid).length;

/** How the broker answers a connection attempt: a CONNACK code, or closed without one. */
function refusalOf(more: IClientOptions): Promise<number | 'closed'> {
  const client = mqtt.connect(`mqtt://127.0.0.1:${broker.port}`, {
    ...credentials(A),
    reconnectPeriod: 0,
    keepalive: 20,
    ...more,
  });
  clients.push(client);
  return new Promise((resolve, reject) => {
    client.on('connect', () => reject(new Error('it was let in')));
    client.on('error', (error) => resolve('code' in error && typeof error.code === 'number' ? error.code : 'closed'));
    client.on('close', () => resolve('closed'));
  });
}

const closed = (client: MqttClient) => waitUntil('the broker to cut the connection', () => !client.connected);
const warnings = () => log.filter(({ level }) => level === 'warn').map(({ message }) => message);
const texts = () => received.map(({ uuid, channel, payload }) => [uuid, channel, Buffer.from(payload).toString()]);

describe('who is let in', () => {
  it.each<[string, IClientOptions, number]>([
    ['a wrong password', { password: passwordOf(B) }, 5],
    ['no password', { password: undefined as never }, 4],
    ["another gateway's name", { username: B, password: passwordOf(B) }, 4],
    ['no name', { username: undefined as never, password: undefined as never }, 4],
    ['a client id that is no uuid', { clientId: 'gateway', username: 'gateway' }, 2],
    ['a uuid in upper case', { clientId: 'ABCDEF11-1111-4111-8111-111111111111' }, 2],
    ['a wildcard for a client id', { clientId: '+', username: '+' }, 2],
    ['a session that is kept', { clean: false }, 2],
    [
      "a last will on another gateway's presence",
      { will: { topic: upTopic(B, 'presence'), payload: Buffer.from('x'), qos: 0, retain: true } },
      2,
    ],
    [
      'a last will that reaches down',
      { will: { topic: downTopic(A, 'config'), payload: Buffer.from('x'), qos: 0, retain: false } },
      2,
    ],
    ['no keepalive', { keepalive: 0 }, 6],
    ['a keepalive that finds a dead link too late', { keepalive: 121 }, 6],
    ['a password that cannot be checked', { password: 'the database is down' }, 5],
  ])('not with %s', async (_what, more, code) => {
    expect(await refusalOf(more)).toBe(code);
    await waitUntil('the refusal to be logged', () => log.some(({ level }) => level === 'warn'));
    const clientId = String(more.clientId ?? A);
    expect(log.filter(({ level }) => level === 'warn').map(({ fields }) => fields)).toEqual([
      { client_id: clientId, remote: '127.0.0.1', reason: expect.any(String) },
    ]);
    expect(broker.ready).toBe(true);
  });

  it('never an anonymous one, nor one that a wrong password would put in its place', async () => {
    const client = await join(A);
    await refusalOf({ password: 'guess' });
    await refusalOf({ clientId: '', username: A });
    expect(client.connected).toBe(true);
    expect(asked).toEqual([A, A]);
  });
});

describe('topics', () => {
  it('take what a gateway tells of itself', async () => {
    const client = await join(A);
    await client.publishAsync(upTopic(A, 'records'), 'one', { qos: 1 });
    await client.publishAsync(upTopic(A, 'report'), 'two', { qos: 0 });
    await waitUntil('both messages', () => received.length === 2);
    expect(texts()).toEqual([
      [A, 'records', 'one'],
      [A, 'report', 'two'],
    ]);
  });

  it.each([
    upTopic(B, 'records'),
    upTopic(B, 'presence'),
    downTopic(A, 'config'),
    downTopic(B, 'config'),
    `gw/${A}/up/secrets`,
    `gw/${A}/up/records/more`,
    `gw/${A.toUpperCase()}/up/records`,
    '$SYS/x/heartbeat',
    'anything',
  ])('do not take %s: the gateway is cut off, and it is logged', async (topic) => {
    const other = await join(B);
    const heard: string[] = [];
    other.on('message', (on) => heard.push(on));
    await other.subscribeAsync([`gw/${B}/down/+`, upTopic(B, 'presence')]);
    const client = await join(A);
    client.publish(topic, 'forged', { qos: 0 });
    await closed(client);
    expect(warnings()).toContain('publish refused');
    expect(received).toEqual([]);
    expect(other.connected).toBe(true);
    expect(heard).toEqual([]);
  });

  it.each([
    ['retained beside presence', { qos: 0, retain: true }],
    ['with QoS 2', { qos: 2, retain: false }],
  ] as const)('do not take records %s', async (_what, options) => {
    const client = await join(A);
    client.publish(upTopic(A, 'records'), 'x', options);
    await closed(client);
    expect(received).toEqual([]);
  });

  it.each([
    '#',
    '+/+/+/+',
    'gw/#',
    `gw/+/down/+`,
    `gw/${B}/down/+`,
    `gw/${B}/up/presence`,
    `gw/${A}/up/+`,
    `gw/${A}/#`,
    '$SYS/#',
    '$share/group/gw/+/up/+',
  ])('are not heard through %s', async (filter) => {
    const client = await join(A);
    const [grant] = await client.subscribeAsync(filter).catch(() => [{ qos: 128 }]);
    expect(grant?.qos).toBe(128);
    expect(warnings()).toContain('subscription refused');
    const heard: string[] = [];
    client.on('message', (topic) => heard.push(topic));
    const other = await join(B);
    await other.publishAsync(upTopic(B, 'presence'), 'online', { qos: 1, retain: true });
    await broker.publish(B, 'config', 'secret');
    await broker.publish(A, 'ack', 'mine');
    await waitUntil('the own message', () => heard.length > 0);
    expect(heard).toEqual([downTopic(A, 'ack')]);
  });
});

describe('messages of one gateway', () => {
  it('come in their order, one at a time, while others are not held up', async () => {
    const started: string[] = [];
    const release: (() => void)[] = [];
    broker.onMessage(async ({ uuid, payload }) => {
      started.push(`${uuid === A ? 'A' : 'B'}${Buffer.from(payload).toString()}`);
      if (uuid === A) await new Promise<void>((resolve) => release.push(resolve));
    });
    const [a, b] = [await join(A), await join(B)];
    for (const n of [1, 2, 3]) a.publish(upTopic(A, 'records'), String(n), { qos: 1 });
    await waitUntil('the first message', () => started.length === 1);
    await b.publishAsync(upTopic(B, 'records'), '1', { qos: 1 });
    expect(started).toEqual(['A1', 'B1']);
    for (const n of [2, 3]) {
      release.shift()?.();
      await waitUntil('the next message', () => started.length === n + 1);
    }
    release.shift()?.();
    expect(started).toEqual(['A1', 'B1', 'A2', 'A3']);
  });

  it('wait at the gateway while the cloud is busy: what it holds of them is bounded', async () => {
    const release: (() => void)[] = [];
    const busy = new Promise<void>((resolve) => release.push(resolve));
    broker.onMessage(() => busy);
    const client = await join(A);
    const payload = Buffer.alloc(100_000, 'x');
    let acknowledged = 0;
    const sent = Array.from({ length: 300 }, () =>
      client.publishAsync(upTopic(A, 'records'), payload, { qos: 1 }).then(() => {
        acknowledged += 1;
      }),
    );
    await waitUntil('the first message', () => received.length > 0);
    const { stream } = client;
    // 30 MB do not fit into what may wait and the sockets' buffers: the sender is left with the rest.
    await waitUntil('the sender to be held up', () => acknowledged > 90 && stream.writableLength > 1_000_000);
    // While another gateway is answered again and again the broker would read on from this one.
    const other = await join(B);
    for (let round = 0; round < 50; round++) await other.publishAsync(upTopic(B, 'report'), 'x', { qos: 1 });
    expect(acknowledged).toBeLessThan(110);
    release[0]?.();
    await Promise.all(sent);
    expect(received.filter(({ uuid }) => uuid === A)).toHaveLength(300);
  });

  it('are read of no new connection of a gateway of which too much waits', async () => {
    const release: (() => void)[] = [];
    broker.onMessage(async ({ uuid }) => {
      if (uuid === A) await new Promise<void>((resolve) => release.push(resolve));
    });
    const first = await join(A);
    const payload = pictureOf(6_000_000);
    first.publish(upTopic(A, 'records'), payload, { qos: 0 });
    first.publish(upTopic(A, 'records'), payload, { qos: 0 });
    await expect.poll(() => waitingBytes(registry)).toBeGreaterThan(2 * 6_000_000);
    // The next one is not answered, and not cut off after it has sent all that it may: it waits at the door.
    const next = mqtt.connect(`mqtt://127.0.0.1:${broker.port}`, {
      ...credentials(A),
      reconnectPeriod: 0,
      keepalive: 20,
    });
    clients.push(next);
    await waitUntil('the second connection', () => asked.length === 2);
    await (await join(B)).publishAsync(upTopic(B, 'report'), 'x', { qos: 1 });
    expect(next.connected).toBe(false);
    release.shift()?.();
    await waitUntil('the next message', () => release.length === 1);
    release.shift()?.();
    await waitUntil('the second connection to be let in', () => next.connected);
    next.publish(upTopic(A, 'records'), 'small', { qos: 0 });
    await waitUntil('the last message', () => release.length === 1);
    release.shift()?.();
    expect(received.filter(({ uuid }) => uuid === A).map(({ payload: { length } }) => length)).toEqual([6e6, 6e6, 5]);
    expect(warnings()).toEqual([]);
  });

  it('are not read either of a gateway that was revoked while it waited', async () => {
    const release: (() => void)[] = [];
    broker.onMessage(async ({ uuid }) => {
      if (uuid === A) await new Promise<void>((resolve) => release.push(resolve));
    });
    const first = await join(A);
    for (let i = 0; i < 2; i++) first.publish(upTopic(A, 'records'), pictureOf(6_000_000), { qos: 0 });
    await expect.poll(() => waitingBytes(registry)).toBeGreaterThan(2 * 6_000_000);
    const next = mqtt.connect(`mqtt://127.0.0.1:${broker.port}`, { ...credentials(A), reconnectPeriod: 0 });
    clients.push(next);
    let refusal: Error | undefined;
    next.on('error', (error) => (refusal = error));
    await waitUntil('the second connection', () => asked.length === 2);
    await broker.disconnect(A);
    for (let i = 0; i < 2; i++) {
      await waitUntil('a message', () => release.length === 1);
      release.shift()?.();
    }
    await waitUntil('the second connection to be refused', () => refusal !== undefined);
    expect(refusal?.message).toMatch(/Not authorized/i);
    expect(warnings()).toContain('gateway connection refused');
  });

  it('do not keep pings from being answered while the cloud is busy', async () => {
    const release: (() => void)[] = [];
    broker.onMessage(() => new Promise<void>((resolve) => release.push(resolve)));
    const client = await join(A);
    let pings = 0;
    client.on('packetreceive', ({ cmd }) => (pings += cmd === 'pingresp' ? 1 : 0));
    client.publish(upTopic(A, 'records'), 'slow', { qos: 1 });
    await waitUntil('the message', () => release.length === 1);
    // Sent by the test: by a keepalive of a second the link would end when the machine stands still for half of one.
    for (const count of [1, 2, 3]) {
      client.sendPing();
      await waitUntil('an answered ping', () => pings === count);
    }
    expect(client.connected).toBe(true);
    release[0]?.();
  });

  it('go on after one that could not be taken', async () => {
    broker.onMessage(async ({ payload }) => {
      if (Buffer.from(payload).toString() === 'bad') throw new Error('no');
    });
    const client = await join(A);
    await client.publishAsync(upTopic(A, 'records'), 'bad', { qos: 1 });
    await client.publishAsync(upTopic(A, 'records'), 'good', { qos: 1 });
    expect(texts().map(([, , text]) => text)).toEqual(['bad', 'good']);
    expect(log.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});

const will = (text: string): IClientOptions => ({
  will: { topic: upTopic(A, 'presence'), payload: Buffer.from(text), qos: 1, retain: true },
});

describe('presence', () => {
  it('is told by the last will when the connection breaks, and kept for the gateway itself', async () => {
    const client = await join(A, will('offline'));
    await client.publishAsync(upTopic(A, 'presence'), 'online', { qos: 1, retain: true });
    client.stream.destroy();
    await waitUntil('the last will', () => received.length === 2);
    expect(texts()[1]).toEqual([A, 'presence', 'offline']);
    const again = await join(A);
    const heard: string[] = [];
    again.on('message', (_topic, payload) => heard.push(payload.toString()));
    await again.subscribeAsync(upTopic(A, 'presence'));
    await waitUntil('the retained presence', () => heard.length > 0);
    expect(heard).toEqual(['offline']);
  });

  it('is not told by the will of a connection that a newer one replaced', async () => {
    const old = await join(A, will('offline of the old'));
    const client = await join(A, will('offline of the new'));
    await closed(old);
    await client.publishAsync(upTopic(A, 'presence'), 'online', { qos: 1, retain: true });
    client.stream.destroy();
    await waitUntil('the last will of the new connection', () => received.length === 2);
    expect(texts().map(([, , text]) => text)).toEqual(['online', 'offline of the new']);
  });

  it('is not told when the cloud itself stops', async () => {
    const client = await join(A, will('offline'));
    await broker.close();
    await closed(client);
    expect(received).toEqual([]);
    expect(broker.ready).toBe(false);
  });
});

describe('limits', () => {
  it('cut off a packet over the limit before it is collected, also of one who never gave a password', async () => {
    await broker.close();
    await start({ messageBytesMax: 10_000, connectBytesMax: 500 });
    const client = await join(A);
    await client.publishAsync(upTopic(A, 'records'), Buffer.alloc(9_000, 'x'), { qos: 1 });
    client.publish(upTopic(A, 'records'), Buffer.alloc(11_000, 'x'), { qos: 1 });
    await closed(client);
    expect(received).toHaveLength(1);

    const stranger = connect(broker.port, '127.0.0.1');
    sockets.push(stranger);
    stranger.on('error', () => {});
    let isClosed = false;
    stranger.on('close', () => (isClosed = true));
    stranger.write(Uint8Array.from([0x10, 0x80, 0x80, 0x80, 0x04]));
    await waitUntil('the stranger to be cut off', () => isClosed);
    expect(warnings().filter((message) => message === 'MQTT packet refused')).toHaveLength(2);
  });

  it('let a large message pass, if it is a picture', async () => {
    const client = await join(A);
    const picture = pictureOf(5_000_000);
    await client.publishAsync(upTopic(A, 'records'), picture, { qos: 1 });
    await client.publishAsync(upTopic(A, 'records'), picture);
    await client.publishAsync(upTopic(A, 'records'), Buffer.alloc(256 * 1024, 'x'), { qos: 1 });
    expect(received.map(({ payload }) => payload.byteLength)).toEqual([picture.length, picture.length, 256 * 1024]);
  });

  it.each([
    ['records', 256 * 1024, { qos: 1 }],
    ['records', 256 * 1024, { qos: 0 }],
    ['hello', 16 * 1024, { qos: 1 }],
    ['presence', 4 * 1024, { qos: 1, retain: true }],
    ['report', 2 * 1024 * 1024, { qos: 0 }],
  ] as const)(
    'cut off who begins a larger message than %s has, before it is read whole',
    async (channel, bytes, options) => {
      const client = await join(A);
      // The half that is sent announces the rest, which never comes.
      const [topic, isNumbered] = [upTopic(A, channel), options.qos === 1];
      const rest = 2 + topic.length + (isNumbered ? 2 : 0) + bytes + 1;
      const digits = [(rest & 0x7f) | 0x80, ((rest >> 7) & 0x7f) | 0x80, ((rest >> 14) & 0x7f) | 0x80, rest >> 21];
      const fixed = Uint8Array.from([0x30 | (options.qos << 1) | ('retain' in options ? 1 : 0), ...digits]);
      const begun = Buffer.concat([
        fixed,
        Uint8Array.from([0, topic.length]),
        Buffer.from(topic),
        Uint8Array.from(isNumbered ? [0, 7] : []),
        Buffer.alloc(2_000, 'x'),
      ]);
      client.stream.write(begun);
      await closed(client);
      expect(received).toEqual([]);
      expect(warnings()).toContain('MQTT packet refused');
    },
  );

  it('cut off one who connects and says nothing', async () => {
    await broker.close();
    await start({ connectTimeoutMs: 50 });
    const stranger = connect(broker.port, '127.0.0.1');
    sockets.push(stranger);
    let isClosed = false;
    stranger.on('error', () => {});
    stranger.on('close', () => (isClosed = true));
    await waitUntil('the stranger to be cut off', () => isClosed);
  });

  it('cut off a gateway that does not read what is sent to it, and nobody else', async () => {
    await broker.close();
    await start({ sendBufferBytesMax: 1_000_000 });
    const [slow, other] = [await join(A), await join(B)];
    slow.stream.pause();
    const text = 'x'.repeat(900_000);
    for (let n = 0; n < 100 && slow.connected; n++) {
      void broker.publish(A, 'config', text);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await waitUntil('it to be noticed', () => warnings().includes('gateway reads too slowly and is disconnected'));
    const heard: string[] = [];
    other.on('message', (topic) => heard.push(topic));
    await broker.publish(B, 'ack', 'x');
    await waitUntil('the message of the other', () => heard.length > 0);
  });

  it('find a link that died without a word', async () => {
    const silent = connect(broker.port, '127.0.0.1');
    sockets.push(silent);
    silent.on('error', () => {});
    silent.write(connectPacket(A, { keepaliveS: 1 }));
    await waitUntil('the connection', () => connectionsOf(A) === 1);
    await waitUntil('the dead link to be found', () => log.some(({ message }) => message === 'gateway disconnected'));
    expect(log.find(({ message }) => message === 'gateway link ended')?.fields.reason).toBe('keep alive timeout');
  });
});

const field = (text: string) => [0, text.length, ...Buffer.from(text)];

/** CONNECT of MQTT 3.1.1 with user name, password and a clean session. */
function connectPacket(uuid: GatewayUuid, { keepaliveS }: { keepaliveS: number }): Uint8Array {
  const body = [...field('MQTT'), 4, 0xc2, 0, keepaliveS, ...field(uuid), ...field(uuid), ...field(passwordOf(uuid))];
  return Uint8Array.from([0x10, (body.length % 128) | 0x80, Math.floor(body.length / 128), ...body]);
}

describe('the cloud', () => {
  it('reaches a gateway that is there, in order, and nobody else', async () => {
    const client = await join(A);
    const heard: string[] = [];
    client.on('message', (topic, payload) => heard.push(`${topic} ${payload.toString()}`));
    await broker.publish(B, 'ack', 'nobody there');
    for (const n of [1, 2, 3]) void broker.publish(A, 'config', String(n));
    await waitUntil('three messages', () => heard.length === 3);
    expect(heard).toEqual([1, 2, 3].map((n) => `${downTopic(A, 'config')} ${n}`));
  });

  it('ends a connection', async () => {
    const client = await join(A);
    await broker.disconnect(A);
    await closed(client);
  });

  it('ends a connection that is only being made: its password was looked up before', async () => {
    const refused = refusalOf({ password: 'slow' });
    await waitUntil('the password to be asked for', () => asked.length > 0);
    await broker.disconnect(A);
    slowAnswer(true);
    expect(await refused).toBe(5);
  });

  it('says which port is taken, and what to do', async () => {
    const options = {
      host: '127.0.0.1',
      port: broker.port,
      authenticate: async () => true,
      isTerminalRegistered: async () => false,
      clock: new FakeClock(),
      logger: createTestLog().logger,
    };
    await expect(createAedesBroker(options)).rejects.toThrow(
      `MQTT broker cannot listen on 127.0.0.1:${broker.port} (EADDRINUSE): another program listens there`,
    );
  });
});
