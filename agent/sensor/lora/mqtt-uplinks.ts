/**
 * Hears the messages of a topic at a broker, with mqtt.js. The session is kept at the broker, which holds what comes while the link is
 * gone; the link is made again with growing, random pauses. The import avoids the library's index, which would load WebSocket too.
 */
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import mqttClient from 'mqtt/lib/client';
import { backoffDelayMs, type BackoffLimits } from '../../../shared/backoff.js';
import { type Clock, sleep } from '../../../shared/clock.js';

const RECONNECT: BackoffLimits = { baseMs: 500, maxMs: 30_000 };
/** A link that no answer comes through is ended after one and a half of these. */
const KEEPALIVE_S = 20;
const CONNECT_TIMEOUT_MS = 20_000;
const REFUSED = 128;
const PORTS: Readonly<Record<string, number>> = { 'mqtt:': 1883, 'mqtts:': 8883 };

/** Node imports the CommonJS module as it is; bundlers and the test runner unwrap its default export. */
const MqttClient = 'default' in mqttClient ? mqttClient.default : (mqttClient as never);

export interface MqttUplinksOptions {
  /** mqtt:// or mqtts://, with name and password where the broker asks for them. */
  url: URL;
  /** PEM of a private authority; undefined: the machine's own list. */
  ca: string | undefined;
  /** By which the broker knows the session again. */
  clientId: string;
  topic: string;
  clock: Clock;
  random(): number;
  signal: AbortSignal;
  onMessage(payload: Uint8Array): void;
  /** The topic is heard. */
  onUp(): void;
  onDown(reason: string): void;
}

/** Resolves when the signal is aborted and the connection is gone. Never rejects. */
export async function hearMqttUplinks(options: MqttUplinksOptions): Promise<void> {
  const { clock, random, signal } = options;
  for (let attempt = 0; !signal.aborted; attempt++) {
    const { reason, wasUp } = await hearOnce(options);
    if (wasUp) attempt = 0;
    if (signal.aborted) return;
    options.onDown(reason);
    await sleep(clock, backoffDelayMs(RECONNECT, attempt, random()), signal).catch(() => undefined);
  }
}

/** Resolves when the link is gone. */
function hearOnce(options: MqttUplinksOptions): Promise<{ reason: string; wasUp: boolean }> {
  const { url, signal } = options;
  return new Promise((resolve) => {
    let wasUp = false;
    let reason = 'the broker closed the connection';
    const client = new MqttClient(() => openSocket(options), {
      clientId: options.clientId,
      ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
      ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
      protocolVersion: 4,
      clean: false,
      keepalive: KEEPALIVE_S,
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectPeriod: 0,
      resubscribe: false,
      writeCache: false,
    });
    const end = () => client.end(true);
    signal.addEventListener('abort', end, { once: true });
    client.on('error', (error) => {
      reason = `${url.host}: ${error.message}`;
      end();
    });
    client.once('close', () => {
      signal.removeEventListener('abort', end);
      client.end(true);
      resolve({ reason, wasUp });
    });
    client.on('connect', () => {
      client.subscribe(options.topic, { qos: 1 }, (error, granted) => {
        if (error !== null || granted?.some(({ qos }) => (qos as number) === REFUSED)) {
          reason = `${url.host} refuses the topic ${options.topic}`;
          end();
        } else if (!signal.aborted) {
          wasUp = true;
          options.onUp();
        }
      });
    });
    client.on('message', (_topic, payload) => {
      if (!signal.aborted) options.onMessage(payload);
    });
    if (signal.aborted) end();
  });
}

function openSocket({ url, ca }: MqttUplinksOptions) {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (PORTS[url.protocol] ?? 1883) : Number(url.port);
  if (url.protocol !== 'mqtts:') return connectTcp({ host, port, noDelay: true });
  return connectTls({
    host,
    port,
    ...(ca === undefined ? {} : { ca }),
    // An IP address cannot be used as a server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
}
