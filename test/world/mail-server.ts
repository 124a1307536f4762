/** A mail server on this machine, of a library that nobody here wrote: it accepts mails, or does what servers do when they do not. */
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** An answer of the server: `new Refusal(451, 'Come back later')`. */
export class Refusal extends Error {
  constructor(
    readonly responseCode: number,
    text: string,
  ) {
    super(text);
  }
}

export interface ReceivedMail {
  /** The envelope. */
  from: string;
  to: string[];
  raw: string;
  parsed: ParsedMail;
  isTls: boolean;
  user: string | undefined;
}

export interface MailServer {
  readonly port: number;
  /** What was accepted, in its order. */
  readonly received: ReceivedMail[];
  /** How often a client connected. */
  readonly connections: number;
  /** What it does with a sender, a receiver, and a message when it has it all; each may wait. */
  onSender: (address: string) => Promise<void> | void;
  onReceiver: (address: string) => Promise<void> | void;
  onMessage: (mail: ReceivedMail) => Promise<void> | void;
  /** Cuts all connections of a server without TLS. */
  cut(): void;
  close(): Promise<void>;
}

/** @param options of the library: TLS, authentication. Left out: neither */
export async function startMailServer(
  options: SMTPServerOptions & { port?: number; login?: { user: string; password: string } } = {},
): Promise<MailServer> {
  const { port = 0, login, ...others } = options;
  const received: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    disabledCommands: [...(others.key === undefined ? ['STARTTLS'] : []), ...(login === undefined ? ['AUTH'] : [])],
    authOptional: login === undefined,
    // It does not ask a name server for the clients' names.
    disableReverseLookup: true,
    closeTimeout: 100,
    ...others,
    onAuth({ username, password }, _session, callback) {
      const isRight = username === login?.user && password === login?.password;
      callback(isRight ? null : new Error('Wrong user or password'), { user: username });
    },
    onConnect(_session, callback) {
      connections += 1;
      callback();
    },
    onMailFrom({ address }, _session, callback) {
      void answer(callback, () => handle.onSender(address));
    },
    onRcptTo({ address }, _session, callback) {
      void answer(callback, () => handle.onReceiver(address));
    },
    onData(stream, session, callback) {
      const { mailFrom, rcptTo } = session.envelope;
      void answer(callback, async () => {
        const raw = await buffer(stream);
        const mail = {
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: raw.toString('utf8'),
          parsed: await simpleParser(raw),
          isTls: session.secure,
          user: typeof session.user === 'string' ? session.user : undefined,
        };
        await handle.onMessage(mail);
        received.push(mail);
      });
    },
  });
  // Clients that go away, or do not trust the certificate.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.server.address();
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const handle: MailServer = {
    port: address === null || typeof address === 'string' ? 0 : address.port,
    received,
    get connections() {
      return connections;
    },
    onSender: () => {},
    onReceiver: () => {},
    onMessage: () => {},
    cut,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return handle;
}

/** Answers the client what the work leads to. */
async function answer(callback: (error?: Error) => void, work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
  } catch (error) {
    callback(error as Error);
    return;
  }
  callback();
}

/** For `onMessage` or `onReceiver`: never answers. */
export const forever = async (): Promise<never> => {
  for (;;) await sleep(1_000, undefined, { ref: false });
};
