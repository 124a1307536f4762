/**
 * Driver: MQTT 3.1.1 over TCP or TLS with mqtt.js, which only speaks the protocol here: it queues nothing, connects once, and
 * does not judge the link. Imported past its index, which brings WebSocket and SOCKS along.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import mqttClient from 'mqtt/lib/client';
import { type Clock, every } from '../../shared/clock.js';
import type { LinkEnd } from './uplink-machine.js';
import type { LinkListener, LinkOptions, UplinkLink, UplinkTransport } from './uplink-transport.js';

/** Told to the broker, which gives the link up after one and a half of it. */
const KEEPALIVE_S = 30;
const PING_PERIOD_MS = 14_000;
/** A half-open link is found after this and one ping period, at the latest. */
const SILENCE_MAX_MS = 28_000;
/** TCP, TLS and the broker's answer together. */
const CONNECT_TIMEOUT_MS = 20_000;
const GOODBYE_TIMEOUT_MS = 2_000;
const DEFAULT_PORTS = new Map([
  ['mqtt:', 1883],
  ['mqtts:', 8883],
]);

type MqttClient = InstanceType<typeof mqttClient.default>;

export function createMqttTransport({ clock }: { clock: Clock }): UplinkTransport {
  return { connect: (options, listener) => openLink(options, { listener, clock }) };
}

function openLink(options: LinkOptions, { listener, clock }: { listener: LinkListener; clock: Clock }): UplinkLink {
  const socket = openSocket(options);
  const client = speakMqtt(socket, options);
  const unsettled = new Set<(error: Error) => void>();
  let isOver = false;

  function release(message: string): void {
    isOver = true;
    liveness.cancel();
    for (const reject of unsettled) reject(new Error(message));
  }
  function finish(end: LinkEnd, message: string): void {
    if (isOver) return;
    release(message);
    client.end(true);
    socket.destroy();
    listener.onEnd(end, message);
  }

  const liveness = watchLiveness({
    socket,
    clock,
    ping: () => client.connected && client.sendPing(),
    onSilence: (silence_ms) => finish('broken', `nothing came through for ${Math.round(silence_ms / 1000)} s`),
  });
  socket.on('end', () => finish('closed', 'the broker closed the connection'));
  socket.on('close', () => finish('broken', 'the connection is gone'));
  client.on('error', (error) => finish(isRefusal(error) ? 'refused' : 'broken', error.message));
  client.on('connect', () => {
    client.subscribe(options.subscriptions, { qos: 1 }, (error) => {
      if (error) finish('refused', `subscribing failed: ${error.message}`);
      else if (!isOver) listener.onOpen();
    });
  });
  client.on('message', (topic, payload) => {
    if (!isOver) listener.onMessage(topic, payload);
  });

  return {
    publish: (topic, payload, publishOptions) =>
      new Promise((resolve, reject) => {
        const settle = (error?: Error | null) => {
          unsettled.delete(settle);
          if (error) reject(error);
          else resolve();
        };
        if (isOver) return reject(new Error('the link is gone'));
        unsettled.add(settle);
        client.publish(topic, payload, publishOptions, settle);
      }),
    close() {
      if (!isOver) {
        release('the link is being closed');
        client.end(false);
      }
      return closed(socket, clock);
    },
  };
}

function openSocket({ url, ca }: LinkOptions): Socket {
  const { protocol, hostname, port: givenPort } = new URL(url);
  const defaultPort = DEFAULT_PORTS.get(protocol);
  if (defaultPort === undefined) throw new Error(`the broker's address ${url} must begin with mqtt:// or mqtts://`);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const port = givenPort === '' ? defaultPort : Number(givenPort);
  if (protocol === 'mqtt:') return connectTcp({ host, port, noDelay: true });
  const socket = connectTls({
    host,
    port,
    ...(ca === null ? {} : { ca }),
    // An address is no server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
  socket.setNoDelay(true);
  return socket;
}

function speakMqtt(socket: Socket, { clientId, username, password, will }: LinkOptions): MqttClient {
  return new mqttClient.default(() => socket, {
    clientId,
    username,
    password,
    protocolVersion: 4,
    clean: true,
    keepalive: KEEPALIVE_S,
    // Its own judgement takes a slow upload for a dead link, and anything that is sent for a sign of life.
    timerVariant: NO_TIMER,
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: true },
  });
}

const NO_TIMER = { set: () => 0, clear() {} };

/** CONNACK says no with a number; sockets fail with a name. */
function isRefusal(error: Error): boolean {
  return 'code' in error && typeof error.code === 'number';
}

/** Pings, and tells when neither an answer came nor waiting bytes went out. */
function watchLiveness(options: { socket: Socket; clock: Clock; ping(): void; onSilence(silence_ms: number): void }): {
  cancel(): void;
} {
  const { socket, clock } = options;
  let received = 0;
  let queued = 0;
  let drained = 0;
  let alive_ms = clock.monotonic();
  return every({
    clock,
    periodMs: PING_PERIOD_MS,
    work() {
      const nowDrained = socket.bytesWritten - socket.writableLength;
      // Bytes that left a queue went into the kernel because earlier ones were acknowledged by the other side.
      if (socket.bytesRead > received || (queued > 0 && nowDrained > drained)) alive_ms = clock.monotonic();
      received = socket.bytesRead;
      queued = socket.writableLength;
      drained = nowDrained;
      const silence_ms = clock.monotonic() - alive_ms;
      if (silence_ms >= SILENCE_MAX_MS) options.onSilence(silence_ms);
      else options.ping();
    },
    onError: () => options.onSilence(clock.monotonic() - alive_ms),
  });
}

function closed(socket: Socket, clock: Clock): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = clock.setTimer(GOODBYE_TIMEOUT_MS, () => socket.destroy());
    socket.once('close', () => {
      timer.cancel();
      resolve();
    });
  });
}
