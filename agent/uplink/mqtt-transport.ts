/**
 * Driver: MQTT 3.1.1 over TCP or TLS with mqtt.js, which only speaks the protocol here: it queues nothing, connects once, and does not
 * judge the link. The import avoids its index, which would load WebSocket and SOCKS too.
 */
import type { Duplex } from 'node:stream';
import mqttClient from 'mqtt/lib/client';
import { type Clock, every } from '../../shared/clock.js';
import { endOfError, type LinkEnd } from '../../shared/reconnect-ladder.js';
import { type MqttSocket, openMqttSocket } from './mqtt-socket.js';
import type { LinkListener, LinkOptions, UplinkLink, UplinkTransport } from './uplink-transport.js';
import { errorText } from '../../shared/error-text.js';

/** The broker hears of this period, and ends the link when no packet comes for one and a half of it. */
const KEEPALIVE_S = 30;
const PING_PERIOD_MS = 14_000;
/** A half-open link is found after this and one ping period, at the latest. */
const SILENCE_MAX_MS = 28_000;
/** The limit for TCP, TLS and the broker's answer together. */
const CONNECT_TIMEOUT_MS = 20_000;
const GOODBYE_TIMEOUT_MS = 2_000;

/** Node imports the CommonJS module as it is; bundlers and the test runner unwrap its default export. */
const MqttClient = 'default' in mqttClient ? mqttClient.default : (mqttClient as never);
type MqttClient = InstanceType<typeof mqttClient.default>;

export function createMqttTransport({ clock }: { clock: Clock }): UplinkTransport {
  return { connect: (options, listener) => openLink(options, { listener, clock }) };
}

function openLink(options: LinkOptions, { listener, clock }: { listener: LinkListener; clock: Clock }): UplinkLink {
  const { url, ca } = options;
  const mqttSocket = openMqttSocket({ url, ca });
  const { socket, stream } = mqttSocket;
  const client = speakMqtt(stream, options);
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
    mqttSocket,
    clock,
    ping: () => client.connected && client.sendPing(),
    onSilence: (silence_ms) => finish('broken', `nothing came through for ${Math.round(silence_ms / 1000)} s`),
  });
  socket.on('end', () => finish('closed', 'the broker closed the connection'));
  socket.on('close', () => finish('broken', 'the connection is gone'));
  client.on('error', (error) => finish(endOfError(error), explainedMessage(error)));
  client.on('connect', () => {
    // Messages from the cloud are acknowledged by messages of their own, and nothing is kept for an absent gateway. A
    // subscription of QoS 1 would cost some brokers a stored stream for each gateway.
    client.subscribe(options.subscriptions, { qos: 0 }, (error) => {
      if (error) finish('refused', `subscribing failed: ${errorText(error)}`);
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

function speakMqtt(stream: Duplex, { clientId, username, password, will }: LinkOptions): MqttClient {
  return new MqttClient(() => stream, {
    clientId,
    username,
    password,
    protocolVersion: 4,
    clean: true,
    keepalive: KEEPALIVE_S,
    // The library's own timer mistakes a slow upload for a dead link, and anything that is sent for a sign of life.
    timerVariant: NO_TIMER,
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    // The cache would hold 65,536 buffers (8 MB) only to save writing two bytes at a time.
    writeCache: false,
    will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: true },
  });
}

const NO_TIMER = { set: () => 0, clear() {} };

/** Pings, and reports when no answer came and no waiting byte left. */
function watchLiveness(options: {
  mqttSocket: MqttSocket;
  clock: Clock;
  ping(): void;
  onSilence(silence_ms: number): void;
}): {
  cancel(): void;
} {
  const { clock } = options;
  const { socket, stream, acceptedBytes } = options.mqttSocket;
  let received = 0;
  let accepted = 0;
  let hadQueue = false;
  let alive_ms = clock.monotonic();
  return every({
    clock,
    periodMs: PING_PERIOD_MS,
    work() {
      // While bytes wait, the kernel accepts more only after the other side has acknowledged earlier ones.
      const isAlive = socket.bytesRead > received || (hadQueue && acceptedBytes() > accepted);
      if (isAlive) alive_ms = clock.monotonic();
      received = socket.bytesRead;
      accepted = acceptedBytes();
      hadQueue = stream.writableLength > 0;
      const silence_ms = clock.monotonic() - alive_ms;
      if (silence_ms >= SILENCE_MAX_MS) options.onSilence(silence_ms);
      else options.ping();
    },
    onError: () => options.onSilence(clock.monotonic() - alive_ms),
  });
}

function closed(socket: MqttSocket['socket'], clock: Clock): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = clock.setTimer(GOODBYE_TIMEOUT_MS, () => socket.destroy());
    socket.once('close', () => {
      timer.cancel();
      resolve();
    });
  });
}

const WRONG_AUTHORITY =
  'it is of another authority than the one this gateway was told when it was claimed: is somebody else there, or has the authority changed? Then claim the gateway again';

/** The faults of the broker's certificate in words for an installer, by Node.js' code of the error. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID:
    "it is for other names than the broker's address: have one issued for this address, or correct MQTT_PUBLIC_URL of the cloud",
  CERT_HAS_EXPIRED: 'it has expired: renew it at the broker',
  CERT_NOT_YET_VALID: 'it is not valid yet: is the clock of this device right?',
  DEPTH_ZERO_SELF_SIGNED_CERT: WRONG_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: WRONG_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: WRONG_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: WRONG_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: WRONG_AUTHORITY,
  CERT_SIGNATURE_FAILURE: WRONG_AUTHORITY,
};

/** Returns the error's message; if it is about the broker's certificate, with the fault and how to mend it. */
function explainedMessage(error: Error): string {
  const problem = 'code' in error && typeof error.code === 'string' ? PROBLEMS[error.code] : undefined;
  return problem === undefined
    ? errorText(error)
    : `the broker's certificate is refused: ${problem} (${errorText(error)})`;
}
