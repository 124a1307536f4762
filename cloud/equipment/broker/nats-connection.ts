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
  const listeners = new Map<string, (payload: string) => void>();
  let numbers = 0;
  let heardMs = clock.monotonic();
  let isWelcome: (() => void) | undefined;
  let end: (error: Error) => void = () => undefined;
  const ended = new Promise<Error>((resolve) => {
    end = (error) => {
      timeout.cancel();
      pings.cancel();
      plain.destroy();
      socket.destroy();
      resolve(error);
    };
  });
  const timeout = clock.setTimer(CONNECT_TIMEOUT_MS, () => end(new Error('the server does not answer')));
  const pings = every({
    clock,
    periodMs: PING_EVERY_MS,
    work() {
      if (clock.monotonic() - heardMs > SILENCE_MAX_MS) end(new Error('the server is silent'));
      else if (isWelcome === undefined) socket.write('PING\r\n');
    },
    onError: (error) => end(asError(error)),
  });

  function listen(to: Socket): void {
    const parse = createNatsParser();
    to.on('error', end);
    to.on('close', () => end(new Error('the server closed the connection')));
    to.on('data', (bytes: Buffer) => {
      heardMs = clock.monotonic();
      try {
        for (const frame of parse(bytes)) handle(frame);
      } catch (error) {
        end(asError(error));
      }
    });
  }
  function handle(frame: NatsFrame): void {
    if ('subscription' in frame) {
      listeners.get(frame.subscription)?.(Buffer.from(frame.payload).toString('utf8'));
      return;
    }
    const { line } = frame;
    if (line.startsWith('INFO ')) welcomed(infoSchema.parse(JSON.parse(line.slice('INFO '.length))));
    else if (line === 'PING') socket.write('PONG\r\n');
    else if (line === 'PONG') isWelcome?.();
    else if (line.startsWith('-ERR')) refused(line.slice('-ERR'.length).trim().replaceAll("'", ''));
  }
  function welcomed(info: z.infer<typeof infoSchema>): void {
    // A server tells of changes in its cluster by further INFO lines.
    if (isWelcome === undefined || socket !== plain) return;
    if (info.tls_required) {
      plain.removeAllListeners('data');
      const { ca } = server;
      // An IP address cannot be used as a server name, but is compared with the certificate's.
      const named = isIP(host) === 0 ? { servername: host } : { host };
      socket = connectTls({ socket: plain, ...(ca === null ? {} : { ca }), ...named }, () => logIn(info.nonce));
      listen(socket);
    } else if (protocol === 'tls:') end(new Error('the server speaks no TLS: its address has to begin with nats://'));
    else logIn(info.nonce);
  }
  function logIn(nonce: string): void {
    socket.write(`CONNECT ${JSON.stringify(helloOf(server.login, nonce))}\r\n`);
    for (const [subject, listener] of Object.entries(server.subjects)) subscribe(subject, listener);
    // Its answer comes when all of this is done.
    socket.write('PING\r\n');
  }
  function subscribe(subject: string, listener: (payload: string) => void): { cancel(): void } {
    numbers += 1;
    const number = String(numbers);
    listeners.set(number, listener);
    socket.write(`SUB ${subject} ${number}\r\n`);
    return {
      cancel() {
        listeners.delete(number);
        if (!socket.destroyed) socket.write(`UNSUB ${number}\r\n`);
      },
    };
  }
  /** A refused subject costs nothing but itself; the server ends the connection by itself when it has to. */
  function refused(reason: string): void {
    if (!reason.startsWith('Permissions Violation')) end(new Error(reason));
  }

  listen(plain);
  const isOpen = new Promise<void>((resolve) => {
    isWelcome = resolve;
  });
  const failure = await Promise.race([isOpen, ended]);
  if (failure instanceof Error) throw failure;
  isWelcome = undefined;
  timeout.cancel();

  return {
    subscribe,
    publish(subject, payload, answerTo) {
      const to = answerTo === undefined ? subject : `${subject} ${answerTo}`;
      socket.write(`PUB ${to} ${Buffer.byteLength(payload)}\r\n${payload}\r\n`);
    },
    ended,
    close: () => end(new Error('closed')),
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
