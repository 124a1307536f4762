/** The MQTT driver against a real broker over real sockets; only the time between pings is shortened. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes } from 'aedes';
import { afterEach, describe, expect, it } from 'vitest';
import { createMqttTransport } from '../../agent/uplink/mqtt-transport.js';
import type { LinkOptions, UplinkLink } from '../../agent/uplink/uplink-transport.js';
import type { Clock } from '../../shared/clock.js';
import type { LinkEnd } from '../../shared/reconnect-ladder.js';
import { systemClock } from '../../shared/system-clock.js';
import { FakeClock } from '../world/fake-clock.js';
import { LINK_OPTIONS, uplinkTransportConformance } from './uplink-transport-conformance.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../test/fixtures/tls/${name}.pem`, import.meta.url), 'utf8');

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Starts a broker that knows one gateway and remembers what was published. */
async function startBroker(tls?: { cert: string; key: string }) {
  const aedes = await Aedes.createBroker({ heartbeatInterval: 1_000_000 });
  const sockets: Socket[] = [];
  const published: { topic: string; payload: string; retain: boolean; qos: number }[] = [];
  aedes.authenticate = (_client, username, password, done) =>
    done(null, username === 'gateway' && password?.toString() === 'secret');
  aedes.authorizeSubscribe = (_client, subscription, done) =>
    done(null, subscription.topic.startsWith('gw/other') ? null : subscription);
  aedes.on('publish', ({ topic, payload, retain, qos }) => {
    if (!topic.startsWith('$SYS')) published.push({ topic, payload: payload.toString(), retain, qos });
  });
  const server = tls ? createTlsServer(tls) : createServer();
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.push(socket);
    aedes.handle(socket);
  });
  const port = await listen(server);
  closers.push(() => new Promise<void>((resolve) => aedes.close(resolve)));
  return {
    aedes,
    port,
    sockets,
    published,
    publish: (topic: string, payload: string) =>
      new Promise<void>((resolve, reject) => {
        const packet = { cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false } as const;
        aedes.publish(packet, (error) => (error ? reject(error) : resolve()));
      }),
  };
}

/** Opens a link and keeps its events. */
function openLink(port: number, options: Partial<LinkOptions> & { clock?: Clock } = {}) {
  const { clock = systemClock, ...linkOptions } = options;
  const messages: { topic: string; text: string }[] = [];
  const ends: { end: LinkEnd; message: string }[] = [];
  let opened = 0;
  const link: UplinkLink = createMqttTransport({ clock }).connect(
    {
      ...LINK_OPTIONS,
      url: `mqtt://127.0.0.1:${port}`,
      ...linkOptions,
    },
    {
      onOpen: () => void opened++,
      onMessage: (topic, payload) => messages.push({ topic, text: new TextDecoder().decode(payload) }),
      onEnd: (end, message) => ends.push({ end, message }),
    },
  );
  closers.push(() => link.close());
  return {
    link,
    messages,
    ends,
    opened: () => expect.poll(() => opened).toBe(1),
    ended: () =>
      expect
        .poll(() => ends)
        .toHaveLength(1)
        .then(() => ends[0]),
  };
}

/** Carries bytes between a gateway and a broker until a test makes it swallow them. */
async function startProxy(brokerPort: number) {
  const pairs: { inner: Socket; outer: Socket }[] = [];
  let isFrozen = false;
  const port = await listen(
    createServer((outer) => {
      const inner = connect(brokerPort, '127.0.0.1');
      pairs.push({ inner, outer });
      for (const socket of [inner, outer]) socket.on('error', () => undefined);
      inner.on('data', (bytes) => isFrozen || outer.write(bytes));
      outer.on('data', (bytes) => isFrozen || inner.write(bytes));
      closers.push(() => inner.destroy());
    }),
  );
  return {
    port,
    outer: () => pairs[0]?.outer,
    freeze() {
      isFrozen = true;
      for (const { outer } of pairs) outer.pause();
    },
  };
}

uplinkTransportConformance('MQTT transport over a real broker', async () => {
  const broker = await startBroker();
  let password = 'secret';
  return {
    transport: createMqttTransport({ clock: systemClock }),
    options: {
      ...LINK_OPTIONS,
      url: `mqtt://127.0.0.1:${broker.port}`,
      get password() {
        return password;
      },
    },
    published: broker.published,
    deliver: (topic, payload) => void broker.publish(topic, payload),
    refuse: () => {
      password = 'wrong';
    },
    cut: () => broker.sockets.at(-1)?.destroy(),
    settle: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
});

describe('MQTT transport', () => {
  it('opens, publishes with a receipt, hears its topics, and retains', async () => {
    const broker = await startBroker();
    const { link, messages, opened } = openLink(broker.port);
    await opened();
    await link.publish('gw/me/up/presence', 'online', { qos: 1, retain: true });
    await link.publish('gw/me/up/report', 'r', { qos: 0, retain: false });
    await broker.publish('gw/me/down/ack', 'ä');
    await broker.publish('gw/you/down/ack', 'not mine');
    await broker.publish('gw/me/down/config', 'c');
    await expect.poll(() => messages).toHaveLength(2);
    expect(messages).toEqual([
      { topic: 'gw/me/down/ack', text: 'ä' },
      { topic: 'gw/me/down/config', text: 'c' },
    ]);
    expect(broker.published.slice(0, 2)).toEqual([
      { topic: 'gw/me/up/presence', payload: 'online', retain: true, qos: 1 },
      { topic: 'gw/me/up/report', payload: 'r', retain: false, qos: 0 },
    ]);
  });

  it('subscribes at QoS 0, for which no broker has to store anything', async () => {
    const broker = await startBroker();
    const asked: number[] = [];
    broker.aedes.on('subscribe', (subscriptions) => void asked.push(...subscriptions.map(({ qos }) => qos)));
    await openLink(broker.port, { subscriptions: ['gw/me/down/+', 'gw/me/up/presence'] }).opened();
    expect(asked).toEqual([0, 0]);
  });

  it('carries payloads of several megabytes, both ways', async () => {
    const broker = await startBroker();
    const { link, messages, opened } = openLink(broker.port);
    await opened();
    const large = 'x'.repeat(5_000_000);
    await link.publish('gw/me/up/records', large, { qos: 1, retain: false });
    // The receipt is written before the broker hands the message on.
    await expect.poll(() => broker.published[0]?.payload.length).toBe(large.length);
    await broker.publish('gw/me/down/config', large);
    await expect.poll(() => messages[0]?.text.length).toBe(large.length);
  });

  it('leaves its will when the link is cut, and none when it says goodbye', async () => {
    const broker = await startBroker();
    const polite = openLink(broker.port);
    await polite.opened();
    await polite.link.close();
    await expect.poll(() => broker.aedes.connectedClients).toBe(0);
    expect(broker.published).toEqual([]);
    expect(polite.ends).toEqual([]);
    await expect(polite.link.publish('gw/me/up/report', '', { qos: 0, retain: false })).rejects.toThrow(/gone/);

    const proxy = await startProxy(broker.port);
    const cut = openLink(proxy.port);
    await cut.opened();
    proxy.outer()?.resetAndDestroy();
    expect((await cut.ended())?.end).toBe('broken');
    broker.sockets.at(-1)?.destroy();
    await expect
      .poll(() => broker.published)
      .toEqual([{ topic: 'gw/me/up/presence', payload: 'will', retain: true, qos: 1 }]);
  });

  it('distinguishes a refusal from a broken link', async () => {
    const broker = await startBroker();
    expect(await openLink(broker.port, { password: 'wrong' }).ended()).toMatchObject({ end: 'refused' });
    expect(await openLink(broker.port, { subscriptions: ['gw/me/down/+', 'gw/other/down/+'] }).ended()).toMatchObject({
      end: 'refused',
      message: expect.stringContaining('subscribing'),
    });
    const closedPort = await listen(createServer((socket) => socket.destroy()));
    expect(['broken', 'closed']).toContain((await openLink(closedPort).ended())?.end);
    expect(await openLink(1).ended()).toMatchObject({
      end: 'absent',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    const noName = { url: 'mqtt://no-such-host.invalid' };
    expect(await openLink(0, noName).ended()).toMatchObject({
      end: 'broken',
      message: expect.stringContaining('no-such-host'),
    });
  });

  it('reports when the broker closes, and gives up what it had not confirmed', async () => {
    const broker = await startBroker();
    const { link, opened, ended, ends } = openLink(broker.port);
    await opened();
    broker.aedes.authorizePublish = () => undefined;
    const unconfirmed = link.publish('gw/me/up/records', 'x', { qos: 1, retain: false });
    const rejected = expect(unconfirmed).rejects.toThrow();
    for (const socket of broker.sockets) socket.end();
    expect(await ended()).toEqual({ end: 'closed', message: 'the broker closed the connection' });
    await rejected;
    await link.close();
    expect(ends).toHaveLength(1);
  });

  it('refuses an address that no broker can have', () => {
    expect(() => openLink(0, { url: 'http://127.0.0.1' })).toThrow(/mqtt:\/\/ or mqtts:\/\//);
  });
});

describe('MQTT transport over TLS', () => {
  const key = fixture('broker-key');

  it('accepts a certificate of the authority it was given, and no other', async () => {
    const cert = fixture('broker-cert');
    const broker = await startBroker({ cert, key });
    const url = `mqtts://127.0.0.1:${broker.port}`;
    const trusted = openLink(0, { url, ca: cert });
    await trusted.opened();
    await trusted.link.publish('gw/me/up/report', 'r', { qos: 1, retain: false });
    expect(await openLink(0, { url, ca: null }).ended()).toMatchObject({
      end: 'broken',
      message: expect.stringMatching(/self.signed/),
    });
  });

  it('refuses a certificate that has expired', async () => {
    const cert = fixture('expired-cert');
    const broker = await startBroker({ cert, key });
    const link = openLink(0, { url: `mqtts://localhost:${broker.port}`, ca: cert });
    expect(await link.ended()).toMatchObject({ end: 'broken', message: expect.stringContaining('expired') });
  });
});

describe('a link on which nothing comes through', () => {
  it('lives on while the broker answers, and is found within 45 s when it is half-open', async () => {
    const broker = await startBroker();
    const proxy = await startProxy(broker.port);
    const clock = new FakeClock();
    const { opened, ends } = openLink(proxy.port, { clock });
    await opened();
    const pings: number[] = [];
    broker.aedes.on('ping', () => pings.push(clock.monotonic()));
    for (let period = 1; period <= 20; period++) {
      await clock.advance(14_000);
      await expect.poll(() => pings).toHaveLength(period);
      // The answer is already under way.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(ends).toEqual([]);
    proxy.freeze();
    await clock.advance(45_000);
    expect(ends).toEqual([{ end: 'broken', message: expect.stringContaining('nothing came through') }]);
  });

  it('lives on while a slow line still accepts bytes', async () => {
    const slowPort = createServer();
    const accepted = new Promise<Socket>((resolve) => slowPort.on('connection', resolve));
    const broker = await startBroker();
    const port = await listen(slowPort);
    const clock = new FakeClock();
    const { link, opened, ends } = openLink(port, { clock });
    const outer = await accepted;
    const inner = connect(broker.port, '127.0.0.1');
    closers.push(() => inner.destroy());
    inner.pipe(outer);
    outer.on('data', (bytes) => inner.write(bytes));
    await opened();
    // From here on the line accepts bytes only when the test lets it, and answers nothing.
    inner.unpipe(outer);
    inner.resume();
    outer.pause();
    link.publish('gw/me/up/records', 'x'.repeat(60_000_000), { qos: 1, retain: false }).catch(() => undefined);
    let acceptedCount = 0;
    outer.removeAllListeners('data').on('data', (bytes) => {
      acceptedCount += bytes.length;
    });
    for (let period = 1; period <= 6; period++) {
      const target = acceptedCount + 4_000_000;
      outer.resume();
      await expect.poll(() => acceptedCount, { interval: 1 }).toBeGreaterThan(target);
      outer.pause();
      await clock.advance(14_000);
    }
    expect(ends).toEqual([]);
    await clock.advance(45_000);
    expect(ends).toHaveLength(1);
  });
});
