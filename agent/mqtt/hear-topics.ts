/**
 * Hears the messages of topics at a broker, with mqtt.js. The link is made again as the reconnect ladder says. The import avoids the
 * library's index, which would load WebSocket too.
 */
import { readFileSync } from 'node:fs';
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ErrorWithSubackPacket as SubackError } from 'mqtt';
import mqttClient from 'mqtt/lib/client';
import { type Clock, sleep } from '../../shared/clock.js';
import { percentDecoded } from '../../shared/percent-decoded.js';
import { createReconnectLadder, endOfError, type LinkEnd } from '../../shared/reconnect-ladder.js';
import { errorText } from '../../shared/error-text.js';

/** A link that no answer comes through is ended after one and a half of these. */
const KEEPALIVE_S = 20;
const CONNECT_TIMEOUT_MS = 20_000;
const REFUSED = 128;
const UNANSWERED_MAX = 2;
const PORTS: Readonly<Record<string, number>> = { 'mqtt:': 1883, 'mqtts:': 8883 };

/** Node imports the CommonJS module as it is; bundlers and the test runner unwrap its default export. */
const MqttClient = 'default' in mqttClient ? mqttClient.default : (mqttClient as never);

export interface HearTopicsOptions {
  /**
   * mqtt:// or mqtts://, with name and password where the broker asks for them. `?ca=/etc/parking/broker.pem` names the file of a private
   * authority on this machine, which is read at each connection.
   */
  url: URL;
  /** PEM of a private authority; undefined: that of the address, or the machine's own list. */
  ca: string | undefined;
  /** The id by which the broker finds the session again. */
  clientId: string;
  topics: readonly string[];
  /** Further topics, heard if the broker allows the account to hear them. */
  optionalTopics?: readonly string[];
  /** Whether the broker keeps messages while the link is gone. Set it to false for messages that are worthless later. */
  keepsSession: boolean;
  clock: Clock;
  random(): number;
  signal: AbortSignal;
  /** `isRetained`: the broker held it from before. */
  onMessage(payload: Uint8Array, from: { topic: string; isRetained: boolean }): void;
  /** Called when the topics are heard. */
  onUp(): void;
  onDown(reason: string): void;
}

/** Resolves when the signal is aborted and the connection is gone. Never rejects. */
export async function hearTopics(options: HearTopicsOptions): Promise<void> {
  const { clock, random, signal } = options;
  const ladder = createReconnectLadder({ clock, random });
  const optional: OptionalTopics = { topics: options.optionalTopics ?? [], unanswered: 0 };
  while (!signal.aborted) {
    const { end, reason } = await hearOnce(options, optional, ladder.opened).catch((error: unknown) => ({
      end: 'broken' as const,
      reason: `${options.url.host}: ${errorText(error)}`,
    }));
    if (signal.aborted) return;
    options.onDown(reason);
    await sleep(clock, ladder.lost(end), signal).catch(() => undefined);
  }
}

interface OptionalTopics {
  topics: readonly string[];
  /** How often in a row the link ended instead of an answer: some brokers end the link of a client that asks for a forbidden topic. */
  unanswered: number;
}

/** Resolves when the link is gone. */
function hearOnce(
  options: HearTopicsOptions,
  optional: OptionalTopics,
  onOpened: () => void,
): Promise<{ end: LinkEnd; reason: string }> {
  const { url, signal } = options;
  return new Promise((resolve) => {
    let end: LinkEnd = 'closed';
    let reason = 'the broker closed the connection';
    const client = new MqttClient(() => openSocket(options), {
      clientId: options.clientId,
      ...(url.username === '' ? {} : { username: percentDecoded(url.username) }),
      ...(url.password === '' ? {} : { password: percentDecoded(url.password) }),
      protocolVersion: 4,
      clean: !options.keepsSession,
      keepalive: KEEPALIVE_S,
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectPeriod: 0,
      resubscribe: false,
      writeCache: false,
    });
    const leave = () => client.end(true);
    signal.addEventListener('abort', leave, { once: true });
    client.on('error', (error) => {
      reason = `${url.host}: ${errorText(error)}`;
      end = endOfError(error);
      leave();
    });
    client.once('close', () => {
      signal.removeEventListener('abort', leave);
      client.end(true);
      resolve({ end, reason });
    });
    client.on('connect', () => {
      client.subscribe([...options.topics], { qos: 1 }, (error, granted) => {
        if (error !== null || granted?.some(({ qos }) => (qos as number) === REFUSED)) {
          reason = `${url.host} refuses the topic ${options.topics.join(', ')}`;
          end = 'refused';
          leave();
        } else if (!signal.aborted) {
          subscribeOptional(client, optional, () => {
            if (signal.aborted) return;
            onOpened();
            options.onUp();
          });
        }
      });
    });
    client.on('message', (topic, payload, { retain }) => {
      if (!signal.aborted) options.onMessage(payload, { topic, isRetained: retain });
    });
    if (signal.aborted) leave();
  });
}

/** @param onAnswered called at once where there is nothing to ask for */
function subscribeOptional(
  client: InstanceType<typeof MqttClient>,
  optional: OptionalTopics,
  onAnswered: () => void,
): void {
  if (optional.topics.length === 0 || optional.unanswered >= UNANSWERED_MAX) return onAnswered();
  optional.unanswered += 1;
  client.subscribe([...optional.topics], { qos: 1 }, (error) => {
    // A refusal is an answer, too; the end of the link is none.
    if (error !== null && (error as Partial<SubackError>).packet === undefined) return;
    optional.unanswered = 0;
    onAnswered();
  });
}

function openSocket({ url, ca }: HearTopicsOptions) {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (PORTS[url.protocol] ?? 1883) : Number(url.port);
  const authority = ca ?? authorityOf(url);
  if (url.protocol !== 'mqtts:') return connectTcp({ host, port, noDelay: true });
  return connectTls({
    host,
    port,
    ...(authority === undefined ? {} : { ca: authority }),
    // An IP address cannot be used as a server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
}

/** @throws Error for people: its file cannot be read, or the address is not one of TLS */
function authorityOf({ protocol, searchParams }: URL): string | undefined {
  const file = searchParams.get('ca');
  if (file === null) return undefined;
  if (protocol !== 'mqtts:') throw new Error('ca is only for an address with mqtts://');
  if (!/^\/.+\.(pem|crt|cer)$/.test(file)) throw new Error('ca must be the path of a .pem or .crt file');
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`ca ${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'it is no file'}`, {
      cause: error,
    });
  }
}
