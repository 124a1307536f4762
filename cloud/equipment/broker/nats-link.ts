/** Keeps a connection to one of the servers of a NATS cluster, and asks the cluster over it. */
import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { type BackoffLimits, createLinkWaits } from '../../../shared/backoff.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import { errorText } from '../../../shared/error-text.js';
import type { Logger } from '../../../shared/logger.js';

const PAUSES: BackoffLimits = { baseMs: 500, maxMs: 5_000 };
/** A connection that ended sooner does not count as a success. */
const GOOD_AFTER_MS = 10_000;
/** The limit for TCP, TLS and the server's answer together. */
const CONNECT_TIMEOUT_MS = 10_000;
/** A server that leaves two pings without an answer is gone. */
const PINGS = { pingInterval: 10_000, maxPingOut: 2 };
const CLOSED = 'the server closed the connection';

export interface NatsLogin {
  /** Names who connects. */
  token: string;
  /** Signs what the server asks it to. */
  sign(text: string): string;
}

export interface NatsLinkOptions {
  /** Addresses of servers of one cluster: `nats://host:port`, or `tls://` when it may not be spoken to without TLS. */
  urls: readonly string[];
  login: NatsLogin;
  /** PEM of the authority of the servers' certificates; null: the machine's own list. */
  ca: string | null;
  /** What is heard on each subject for as long as the link is kept. */
  subjects: Readonly<Record<string, (payload: string) => void>>;
  /** Called at each connection after the first. */
  onReturn(): void;
  clock: Clock;
  logger: Logger;
}

export interface NatsLink {
  /**
   * Publishes, and resolves with the answers: at once when `answersMax` have come, else with those that came within `waitMs`, maybe none.
   * Rejects while there is no connection, and when it ends.
   */
  request(subject: string, payload: string, how: { answersMax: number; waitMs: number }): Promise<string[]>;
  close(): Promise<void>;
}

/** @throws when none of the servers lets the cloud in, with the reason of each */
export async function openNatsLink(options: NatsLinkOptions): Promise<NatsLink> {
  const { urls, clock, logger } = options;
  const stop = new AbortController();
  const pauses = createLinkWaits({ limits: PAUSES, goodAfterMs: GOOD_AFTER_MS, clock, random: Math.random });
  let connection: NatsConnection | null = null;

  /** Connects to the first server that can be reached. */
  async function connectToAny(): Promise<NatsConnection> {
    const reasons: string[] = [];
    for (const url of urls) {
      try {
        return await connectTo(url, options);
      } catch (error) {
        reasons.push(`${url}: ${reasonOf(error)}`);
      }
    }
    throw new Error(reasons.join('; '));
  }
  async function keep(first: NatsConnection): Promise<void> {
    for (let current: NatsConnection | null = first; current !== null; ) {
      connection = current;
      pauses.opened();
      if (current !== first) options.onReturn();
      const reason: unknown = await current.closed();
      connection = null;
      if (stop.signal.aborted) return;
      logger.warn({ reason: reasonOf(reason ?? CLOSED) }, 'the connection to NATS ended');
      current = await comeBack();
    }
  }
  async function comeBack(): Promise<NatsConnection | null> {
    for (;;) {
      try {
        await sleep(clock, pauses.lost(), stop.signal);
        const made = await connectToAny();
        if (!stop.signal.aborted) return made;
        await made.close();
      } catch (error) {
        if (!stop.signal.aborted) logger.warn({ err: error }, 'NATS cannot be reached');
      }
      if (stop.signal.aborted) return null;
    }
  }
  const kept = keep(await connectToAny());

  return {
    async request(subject, payload, { answersMax, waitMs }) {
      if (connection === null) throw new Error('there is no connection to NATS');
      const how = { strategy: 'count', maxMessages: answersMax, maxWait: waitMs } as const;
      const answers: string[] = [];
      try {
        for await (const answer of await connection.requestMany(subject, payload, how)) answers.push(answer.string());
      } catch (error) {
        if (!(error instanceof errors.NoRespondersError)) throw error;
      }
      return answers;
    },
    async close() {
      stop.abort(new Error('closed'));
      await connection?.close();
      await kept;
    },
  };
}

/** The library connects once: which server is next, and when, is decided here. */
async function connectTo(url: string, { login, ca, subjects }: NatsLinkOptions): Promise<NatsConnection> {
  const { protocol, hostname } = new URL(url);
  const open = (tls: { host: string; ca?: string } | null): Promise<NatsConnection> =>
    connect({
      servers: url,
      name: 'parking-cloud',
      authenticator: (nonce) => ({ jwt: login.token, sig: login.sign(nonce ?? '') }),
      tls,
      reconnect: false,
      timeout: CONNECT_TIMEOUT_MS,
      ...PINGS,
    });
  // An IP address cannot be used as a server name, but is compared with the certificate's.
  const tls = { host: hostname.replace(/^\[(.*)\]$/, '$1'), ...(ca === null ? {} : { ca }) };
  const made = await open(tls).catch((error: unknown) => {
    if (!errorText(error).endsWith("does not support 'tls'")) throw error;
    if (protocol === 'nats:') return open(null);
    throw new Error('the server speaks no TLS: its address has to begin with nats://');
  });
  for (const [subject, listener] of Object.entries(subjects))
    made.subscribe(subject, { callback: (error, message) => void (error ?? listener(message.string())) });
  // The server answers when it has done all of this.
  await made.flush();
  return made;
}

/** The library hides what the socket said behind an error of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.TimeoutError) return 'the server does not answer';
  const text = errorText(error instanceof Error ? (error.cause ?? error) : error);
  return text.endsWith('an undefined error') ? CLOSED : text;
}
