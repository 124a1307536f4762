/**
 * A connection of the cloud to an external broker, made again for ever when it is lost. It speaks what every broker has: MQTT 3.1.1 at
 * QoS 0 with a clean session. What is lost on the way is sent again by those who need it, and nothing piles up at the broker.
 */
import { randomUUID } from 'node:crypto';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { type BackoffLimits, createLinkWaits } from '../../../shared/backoff.js';
import type { Clock, Timer } from '../../../shared/clock.js';
import { inPieces } from '../../../shared/grouping.js';
import type { Logger } from '../../../shared/logger.js';
import { type BrokerAddress, brokerError } from './broker-address.js';

export interface BrokerMessage {
  topic: string;
  payload: Buffer;
  /** The broker kept it from before; it was not published now. */
  isRetained: boolean;
}

export interface MqttConnectionOptions {
  address: BrokerAddress;
  /** What the connection is for: a part of its client id and of log lines. */
  purpose: string;
  clock: Clock;
  logger: Logger;
  onMessage(message: BrokerMessage): void;
  /** Called when it is lost, before it is made again. */
  onLost?(problem: Error): void;
  /** Called when it was made again. The broker has forgotten its subscriptions. */
  onReopen(): void;
}

export interface MqttConnection {
  readonly isOpen: boolean;
  /** Rejects when there is no connection, and when the broker reads too slowly. */
  publish(topic: string, payload: string): Promise<void>;
  /** Rejects when the broker refuses it, and when the connection is lost. */
  subscribe(filters: readonly string[]): Promise<void>;
  unsubscribe(filters: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

const KEEPALIVE_S = 30;
const CONNECT_TIMEOUT_MS = 10_000;
/** How much may wait to be sent before the broker counts as too slow. */
const SEND_BUFFER_BYTES_MAX = 64 * 1024 * 1024;
/** Fewer packets than one by one, and each is far below any broker's limit. */
const FILTERS_PER_PACKET = 100;
const PAUSES: BackoffLimits = { baseMs: 500, maxMs: 10_000 };
const PAUSE_MIN_MS = 100;
/** A connection that stood shorter is no success. */
const GOOD_AFTER_MS = 10_000;

/** Resolves with the first connection; rejects with what to do when it cannot be made. */
export async function openMqttConnection(options: MqttConnectionOptions): Promise<MqttConnection> {
  const { address, clock, logger, purpose } = options;
  const log = { broker: address.shown, purpose };
  const answers = createAwaitedAnswers();
  const pauses = createLinkWaits({ limits: PAUSES, goodAfterMs: GOOD_AFTER_MS, clock, random: Math.random });
  let client: MqttClient;
  let isClosing = false;
  let timer: Timer | undefined;

  async function connect(): Promise<void> {
    const attempt = beginConnection(options, (problem) => {
      answers.failAll(problem);
      options.onLost?.(problem);
      if (isClosing) return;
      logger.warn({ err: problem, ...log }, 'the connection to the broker is lost');
      again();
    });
    // Already now, so that `close` ends a connection that is being made.
    ({ client } = attempt);
    await attempt.opened;
    pauses.opened();
  }

  function again(): void {
    timer = clock.setTimer(Math.max(PAUSE_MIN_MS, pauses.lost()), () => {
      connect().then(
        () => {
          logger.info(log, 'connected to the broker again');
          options.onReopen();
        },
        (error: unknown) => {
          if (isClosing) return;
          logger.warn({ err: error, ...log }, 'the broker cannot be reached: it is tried again');
          again();
        },
      );
    });
  }

  function whileConnected(work: () => Promise<unknown>): Promise<void> {
    if (!client.connected) return Promise.reject(new Error('there is no connection to the broker'));
    return answers.wait(work);
  }

  async function inPackets(filters: readonly string[], work: (part: string[]) => Promise<unknown>): Promise<void> {
    for (const part of inPieces(filters, FILTERS_PER_PACKET)) await whileConnected(() => work(part));
  }

  await connect().catch((error: unknown) => {
    throw brokerError(address, error);
  });
  return {
    get isOpen() {
      return client.connected && !isClosing;
    },
    async publish(topic, payload) {
      if (client.stream.writableLength > SEND_BUFFER_BYTES_MAX) throw new Error('the broker reads too slowly');
      await whileConnected(() => client.publishAsync(topic, payload, { qos: 0 }));
    },
    subscribe: (filters) => inPackets(filters, (part) => client.subscribeAsync(part, { qos: 0 })),
    unsubscribe: (filters) => inPackets(filters, (part) => client.unsubscribeAsync(part)),
    async close() {
      isClosing = true;
      timer?.cancel();
      await client.endAsync(!client.connected);
    },
  };
}

/**
 * Begins one connection.
 * @param onLost called when the connection was open and has ended
 * @returns `opened` rejects with the reason when the connection cannot be made
 */
function beginConnection(
  { address, purpose, onMessage }: MqttConnectionOptions,
  onLost: (problem: Error) => void,
): { client: MqttClient; opened: Promise<void> } {
  const client = mqtt.connect(optionsOf(address, purpose));
  let problem = new Error('it ends the connection. Is it an MQTT broker?');
  const note = (error: Error) => {
    problem = error;
  };
  client.on('error', note);
  // The library keeps most errors of the socket to itself.
  client.stream.on('error', note);
  client.on('message', (topic, payload, { retain }) => onMessage({ topic, payload, isRetained: retain }));
  const opened = new Promise<void>((resolve, reject) => {
    let isOpened = false;
    client.once('connect', () => {
      isOpened = true;
      resolve();
    });
    client.once('close', () => {
      client.end(true);
      if (isOpened) onLost(problem);
      else reject(problem);
    });
  });
  return { client, opened };
}

/** The answers of the broker that callers wait for: when the connection ends, the library neither resolves nor rejects them. */
function createAwaitedAnswers() {
  const waiting = new Set<(error: Error) => void>();
  return {
    /** Settles as the work does, or rejects with `failAll`. */
    wait(work: () => Promise<unknown>): Promise<void> {
      return new Promise((resolve, reject) => {
        waiting.add(reject);
        work()
          .then(() => resolve(), reject)
          .finally(() => waiting.delete(reject));
      });
    },
    failAll(problem: Error): void {
      for (const fail of waiting) fail(problem);
    },
  };
}

function optionsOf({ url, ca }: BrokerAddress, purpose: string): IClientOptions {
  const { protocol, hostname, port, username, password } = new URL(url);
  return {
    protocol: protocol === 'mqtts:' ? 'mqtts' : 'mqtt',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (protocol === 'mqtts:' ? 8883 : 1883) : Number(port),
    ...(username === '' ? {} : { username: decodeURIComponent(username), password: decodeURIComponent(password) }),
    ...(ca === null ? {} : { ca }),
    // Each process, and each connection, has its own: a broker cuts off the earlier one of two with the same.
    clientId: `cloud-${purpose}-${randomUUID()}`,
    protocolVersion: 4,
    clean: true,
    keepalive: KEEPALIVE_S,
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    writeCache: false,
  };
}
