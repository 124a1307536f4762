/** Answers what never becomes a request of the app: upgrades that are refused, and what the HTTP parser cannot read. */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError, NOT_FOUND, VALIDATION } from '../../shared/errors.js';
import { type HostProblem, hostProblem } from '../../shared/request-host.js';
import { RetryLaterError } from '../limit/retry-later-error.js';

/** Answers with the error envelope, and ends the connection. */
export function answerSocket(socket: Duplex, error: ApiError, headers: Record<string, string> = {}): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(error.envelope());
  const lines = Object.entries({ ...headersOf(error, body), ...headers }).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`;
  socket.once('finish', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.end(`${[status, ...lines].join('\r\n')}\r\n\r\n${body}`);
}

/** Answers a request that the app does not get, and ends the connection. */
export function answerUnread(response: ServerResponse, error: ApiError): void {
  const body = JSON.stringify(error.envelope());
  response.writeHead(error.status, headersOf(error, body)).end(body);
}

/** The headers of an answer after which the connection ends. */
export function headersOf(error: ApiError, body: string): Record<string, string> {
  return {
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': randomUUID(),
    ...(error.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(error instanceof RetryLaterError ? { 'Retry-After': String(error.retryAfterS) } : {}),
  };
}

const refused = (status: number, message: string) => new ApiError(VALIDATION, { status, message });

const HOST_ERRORS: Readonly<Record<HostProblem, ApiError>> = {
  missing: refused(400, 'The Host header is missing'),
  several: refused(400, 'There is more than one Host header: send one'),
  other: refused(400, 'The address of the request names another host than the Host header'),
};

/**
 * What a request is refused for that the server itself would refuse without a body, or take for what one of its two hosts says: a proxy
 * before it may have believed the other; null: nothing.
 */
export function unreadable(request: IncomingMessage): ApiError | null {
  const problem = hostProblem(request);
  return problem === null ? null : HOST_ERRORS[problem];
}

/** Answers in the envelope where the server has words of its own. */
export function answerWhatIsNoRequest(server: Server): void {
  /** The last answer that each connection waits for. */
  const awaited = new WeakMap<Duplex, ServerResponse<IncomingMessage>>();
  server.on('request', (request, response) => void awaited.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = () =>
      answerSocket(socket, PARSER_ERRORS[error.code ?? ''] ?? refused(400, 'This is no HTTP request'));
    const response = awaited.get(socket);
    if (error.code === 'ECONNRESET') socket.destroy();
    else if (response === undefined || response.writableFinished) answer();
    // The request before it was read to its end, and its answer comes first.
    else if (response.req.complete) response.once('finish', answer);
    // Within an answer that has begun, another one would be read as a part of it.
    else if (response.headersSent) socket.destroy();
    else answer();
  });
  server.on('checkExpectation', (_request, response) =>
    answerUnread(response, refused(417, 'No other expectation than 100-continue is met')),
  );
  // A client that takes the service for a proxy.
  server.on('connect', (_request, socket) => answerSocket(socket, new ApiError(NOT_FOUND)));
}

const PARSER_ERRORS: Readonly<Record<string, ApiError>> = {
  HPE_HEADER_OVERFLOW: refused(431, 'The headers of the request are too large'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: refused(413, 'The extensions of the chunks are too large'),
  ERR_HTTP_REQUEST_TIMEOUT: refused(408, 'The request took too long to arrive'),
};
