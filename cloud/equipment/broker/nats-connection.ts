/** One connection to a NATS server, over which the cloud hears the server's own events and gives it orders. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { z } from 'zod';
import { type Clock, every } from '../../../shared/clock.js';
import { createNatsParser, type NatsFrame } from './nats-parser.js';

/** The limit for TCP, TLS and the server's answer together. */
const CONNECT_TIMEOUT_MS = 10_000;
const PING_EVERY_MS = 10_000;
/** A server that does not answer for so long is gone. */
const SILENCE_MAX_MS = 25_000;
const DEFAULT_PORT = 4222;

export interface NatsLogin {
  /** Names who connects. */
  token: string;
  /** Signs what the server asks it to. */
  sign(text: string): string;
}

/** What is heard, by subject. */
export type NatsSubjects = Readonly<Record<string, (payload: string) => void>>;

export interface NatsServer {
  /** `nats://host:port`, or `tls://` when it may not be spoken to without TLS. */
  url: string;
  login: NatsLogin;
  /** PEM of the authority of its certificate; null: the machine's own list. */
  ca: string | null;
  /** Heard from the moment that the connection is made until its end. */
  subjects: NatsSubjects;
}

export interface NatsConnection {
  /** Hears a subject; `cancel` ends it. */
  subscribe(subject: string, listener: (payload: string) => void): { cancel(): void };
  publish(subject: string, payload: string, answerTo?: string): void;
  /** Resolves with the reason when the connection is over. */
  readonly ended: Promise<Error>;
  close(): void;
}

const infoSchema = z.object({ nonce: z.string().default(''), tls_required: z.boolean().default(false) });

/** @throws when the server cannot be reached, is not the one with this certificate, or does not let the cloud in */
export async function connectNats(server: NatsServer, clock: Clock): Promise<NatsConnection> {
  const { protocol, hostname, port } = new URL(server.url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const plain = connectTcp({ host, port: port === '' ? DEFAULT_PORT : Number(port), noDelay: true });
  let socket: Socket = plain;
  let isOpen = false;
  let welcome = () => {};
  const opened = new Promise<void>((resolve) => (welcome = resolve));
  const life = watchServer(clock, {
    ping: () => isOpen && socket.write('PING\r\n'),
    onEnd() {
      plain.destroy();
      socket.destroy();
    },
  });
  const subscriptions = createSubscriptions(() => socket);

  function handle(frame: NatsFrame): void {
    if ('subscription' in frame) return subscriptions.deliver(frame);
    const { line } = frame;
    if (line.startsWith('INFO ')) greet(infoSchema.parse(JSON.parse(line.slice('INFO '.length))));
    else if (line === 'PING') socket.write('PONG\r\n');
    else if (line === 'PONG') welcome();
    else if (line.startsWith('-ERR')) {
      const reason = line.slice('-ERR'.length).trim().replaceAll("'", '');
      // A refused subject costs nothing but itself. The server ends the connection when it has to.
      if (!reason.startsWith('Permissions Violation')) life.end(new Error(reason));
    }
  }
  function greet({ nonce, tls_required }: z.infer<typeof infoSchema>): void {
    // Further INFO lines report changes in the cluster.
    if (isOpen || socket !== plain) return;
    if (tls_required) {
      plain.removeAllListeners('data');
      const { ca } = server;
      // An IP address cannot be used as a server name, but is compared with the certificate's.
      const named = isIP(host) === 0 ? { servername: host } : { host };
      socket = connectTls({ socket: plain, ...(ca === null ? {} : { ca }), ...named }, () => logIn(nonce));
      readFrames(socket, life, handle);
    } else if (protocol === 'tls:')
      life.end(new Error('the server speaks no TLS: its address has to begin with nats://'));
    else logIn(nonce);
  }
  function logIn(nonce: string): void {
    socket.write(`CONNECT ${JSON.stringify(helloOf(server.login, nonce))}\r\n`);
    for (const [subject, listener] of Object.entries(server.subjects)) subscriptions.add(subject, listener);
    // The server answers it when it has done all of this.
    socket.write('PING\r\n');
  }

  readFrames(plain, life, handle);
  const failure = await Promise.race([opened, life.ended]);
  if (failure instanceof Error) throw failure;
  isOpen = true;
  life.opened();

  return {
    subscribe: subscriptions.add,
    publish(subject, payload, answerTo) {
      const to = answerTo === undefined ? subject : `${subject} ${answerTo}`;
      socket.write(`PUB ${to} ${Buffer.byteLength(payload)}\r\n${payload}\r\n`);
    },
    ended: life.ended,
    close: () => life.end(new Error('closed')),
  };
}

/** Handles what a server sends. What cannot be read, and the end of the socket, end the connection. */
function readFrames(
  socket: Socket,
  { heard, end }: Pick<ReturnType<typeof watchServer>, 'heard' | 'end'>,
  handle: (frame: NatsFrame) => void,
): void {
  const parse = createNatsParser();
  socket.on('error', end);
  socket.on('close', () => end(new Error('the server closed the connection')));
  socket.on('data', (bytes: Buffer) => {
    heard();
    try {
      for (const frame of parse(bytes)) handle(frame);
    } catch (error) {
      end(asError(error));
    }
  });
}

/** Ends a connection that takes too long to open, or whose server is silent although it is pinged. */
function watchServer(clock: Clock, { ping, onEnd }: { ping: () => void; onEnd: () => void }) {
  let heardMs = clock.monotonic();
  let resolveEnded: (error: Error) => void = () => {};
  const ended = new Promise<Error>((resolve) => (resolveEnded = resolve));
  const end = (error: Error): void => {
    timeout.cancel();
    pings.cancel();
    onEnd();
    resolveEnded(error);
  };
  const timeout = clock.setTimer(CONNECT_TIMEOUT_MS, () => end(new Error('the server does not answer')));
  const pings = every({
    clock,
    periodMs: PING_EVERY_MS,
    work() {
      if (clock.monotonic() - heardMs > SILENCE_MAX_MS) end(new Error('the server is silent'));
      else ping();
    },
    onError: (error) => end(asError(error)),
  });
  return {
    ended,
    end,
    opened: () => timeout.cancel(),
    heard() {
      heardMs = clock.monotonic();
    },
  };
}

/** The subscriptions of a connection, by the numbers that it gives them. */
function createSubscriptions(socket: () => Socket) {
  const listeners = new Map<string, (payload: string) => void>();
  let last = 0;
  return {
    deliver({ subscription, payload }: Extract<NatsFrame, { subscription: string }>): void {
      listeners.get(subscription)?.(Buffer.from(payload).toString('utf8'));
    },
    add(subject: string, listener: (payload: string) => void): { cancel(): void } {
      last += 1;
      const number = String(last);
      listeners.set(number, listener);
      socket().write(`SUB ${subject} ${number}\r\n`);
      return {
        cancel() {
          listeners.delete(number);
          if (!socket().destroyed) socket().write(`UNSUB ${number}\r\n`);
        },
      };
    },
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** @param nonce what the server asks to be signed */
const helloOf = ({ token, sign }: NatsLogin, nonce: string) => ({
  jwt: token,
  sig: sign(nonce),
  name: 'parking-cloud',
  lang: 'node',
  version: '1',
  protocol: 1,
  verbose: false,
  pedantic: false,
  headers: false,
});
