/**
 * The HTTP listener of agent and cloud. It limits how long a request may take, and answers what is not a valid request. A complete request is
 * always answered before its connection is closed, even if invalid data follows it. Requests that are refused before they reach the listener
 * are reported by `onRefused`.
 */
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type HostProblem, hostProblem } from '../request-host.js';
import { errorText } from '../error-text.js';

/** The answer to a request that does not reach the listener. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Why a request is refused; `message` is for people. */
export interface Refusal {
  status: number;
  message: string;
}

export interface RefusedRequest {
  address: string;
  /** Why it was refused, for people. */
  reason: string;
  /** The path of the request; null: not known. */
  path: string | null;
}

const HOST_REFUSALS: Readonly<Record<HostProblem, Refusal>> = {
  missing: { status: 400, message: 'The Host header is missing' },
  several: { status: 400, message: 'There is more than one Host header: send one' },
  other: { status: 400, message: 'The address of the request names another host than the Host header' },
};
const NO_REQUEST: Refusal = { status: 400, message: 'This is no HTTP request' };
const PARSER_REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers of the request are too large' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The extensions of the chunks are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request took too long to arrive' },
};
const EXPECTATION: Refusal = { status: 417, message: 'No other expectation than 100-continue is met' };
/** The refusal of a client that uses the listener as a proxy. */
const PROXY: Refusal = { status: 404, message: 'Resource not found' };

/**
 * Returns why a request must be refused because of its host; null: it is fine. Node's server would refuse some of these requests without an
 * explanation. It would accept others that name two hosts, of which a proxy in front may have believed the other one.
 */
export function hostRefusal(request: IncomingMessage): Refusal | null {
  const problem = hostProblem(request);
  return problem === null ? null : HOST_REFUSALS[problem];
}

/**
 * @param options.create `createServer` of HTTP or HTTPS
 * @param options.isHostNeeded whether a request to this URL needs a Host header, which some devices do not send. Left out: always
 * @param options.answer turns a refusal into an answer
 */
export function createBoundedServer<Made extends Server>(options: {
  create: (options: ServerOptions, listener: RequestListener) => Made;
  listener: RequestListener;
  timeouts: Pick<
    ServerOptions,
    'headersTimeout' | 'requestTimeout' | 'keepAliveTimeout' | 'connectionsCheckingInterval'
  >;
  isHostNeeded?: (path: string) => boolean;
  answer: (refusal: Refusal) => Answer;
  onRefused?: (refused: RefusedRequest) => void;
}): Made {
  const { create, listener, timeouts, isHostNeeded = () => true, answer, onRefused = () => {} } = options;
  const underWay = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();
  const ending = new WeakSet<Duplex>();

  function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    const { socket, url = null } = request;
    onRefused({ address: socket.remoteAddress ?? '', reason: refusal.message, path: url });
    const { status, headers, body } = answer(refusal);
    response.writeHead(status, { ...headers, Connection: 'close' }).end(body);
  }

  // With `requireHostHeader` Node would refuse a request without a Host header by an answer without a body.
  const server = create({ ...timeouts, requireHostHeader: false }, (request, response) => {
    const refusal = hostRefusal(request);
    const isAccepted = refusal === null || (refusal === HOST_REFUSALS.missing && !isHostNeeded(request.url ?? ''));
    if (isAccepted) listener(request, response);
    else refuse(request, response, refusal);
  });
  server.on('checkExpectation', (request, response) => refuse(request, response, EXPECTATION));
  server.on('connect', ({ url = null }, socket) => {
    onRefused({ address: addressOf(socket), reason: PROXY.message, path: url });
    answerSocket(socket, answer(PROXY));
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    underWay.set(socket, { request, response });
    response.once('close', () => {
      if (underWay.get(socket)?.response === response) underWay.delete(socket);
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer; reason?: string }, socket) => {
    if (ending.has(socket)) return;
    ending.add(socket);
    const { code = '', rawPacket, reason = errorText(error) } = error;
    const last = underWay.get(socket);
    if (last?.request.complete === true) {
      if (!last.response.headersSent) last.response.shouldKeepAlive = false;
      last.response.once('finish', () => socket.end());
      return;
    }
    // A connection that broke off needs no answer.
    if (code === 'ECONNRESET' || code === 'EPIPE') return void socket.destroy();
    const refusal = PARSER_REFUSALS[code] ?? NO_REQUEST;
    const path = last?.request.url ?? pathIn(rawPacket);
    onRefused({ address: addressOf(socket), reason: `${refusal.message}: ${reason}`, path });
    // A second answer would be read as a part of the one that has begun.
    if (last?.response.headersSent === true) socket.destroy();
    else answerSocket(socket, answer(refusal));
  });
  return server;
}

/** Answers on a connection whose request has no `ServerResponse`, and closes the connection. */
export function answerSocket(socket: Duplex, { status, headers, body }: Answer): void {
  if (!socket.writable) return void socket.destroy();
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  socket.once('finish', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.end(`${[`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines].join('\r\n')}\r\n\r\n${body}`);
}

/** @throws Error that says what to do when the server cannot listen. @param place.settings the names of the settings for host and port */
export function listen(
  server: Server,
  { host, port, settings }: { host: string; port: number; settings: { host: string; port: string } },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => {
      const reasons: Record<string, string> = {
        EADDRINUSE: `port ${port} is in use. Stop the other program, or set ${settings.port} to a free one`,
        EACCES: `port ${port} needs more rights. Set ${settings.port} to one above 1023`,
        EADDRNOTAVAIL: `this machine does not have that address. Set ${settings.host} to one of its own`,
        ENOTFOUND: `the name has no address. Set ${settings.host} to an address of this machine`,
      };
      const reason = reasons[cause.code ?? ''] ?? errorText(cause);
      reject(new Error(`Cannot listen on ${host}: ${reason}.`, { cause }));
    };
    server.once('error', onError);
    server.listen(port, host, () => {
      server.removeListener('error', onError);
      resolve();
    });
  });
}

const addressOf = (socket: Duplex): string => (socket as Socket).remoteAddress ?? '';

/** A longer request line is not searched for its path. The addresses of pushes are shorter. */
const REQUEST_LINE_BYTES_MAX = 2_048;

function pathIn(packet: Buffer | undefined): string | null {
  const line = packet?.subarray(0, REQUEST_LINE_BYTES_MAX).toString('latin1') ?? '';
  return /^[A-Z]+ (\/\S*)/.exec(line)?.[1] ?? null;
}
