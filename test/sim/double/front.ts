/**
 * What integrators connect to: it passes everything to the service behind it and back as it came, until a fault says otherwise.
 * It is no fetch, which would decompress answers, follow redirects and straighten paths: what is tested is the service itself.
 */
import { type ClientRequest, createServer, type IncomingMessage, request as ask, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { sleep } from '../../../shared/clock.js';
import { ApiError, INTERNAL, TOO_MANY_REQUESTS } from '../../../shared/errors.js';
import { systemClock } from '../../../shared/system-clock.js';
import type { Fault, Faults } from './faults.js';
import { openTunnel, type Tunnel } from './websocket-tunnel.js';

const SERVICE_HOST = '127.0.0.1';
/** As the service's own. */
const TIMEOUTS = { headersTimeout: 20_000, requestTimeout: 60_000, keepAliveTimeout: 65_000 };

export interface Front {
  readonly port: number;
  /** Where the service listens on this machine; null: it is not there now. */
  leadTo(port: number | null): void;
  /** Ends realtime connections that are open, as the rules say. */
  applyToConnections(): void;
  close(): Promise<void>;
}

/** @throws when it cannot listen; the message says on which port and why */
export async function openFront(options: { host: string; port: number; faults: Faults }): Promise<Front> {
  const { host, faults } = options;
  let servicePort: number | null = null;
  const tunnels = new Map<Tunnel, { path: string }>();
  const isClosing = new AbortController();

  const server = createServer(TIMEOUTS, (request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = faults.ofRequest(request.method ?? '', pathOf(request));
    if (fault?.kind === 'cut') return void request.socket.destroy();
    if (fault?.kind === 'answer') return refuse(response, fault);
    if (fault?.kind === 'delay') await sleep(systemClock, fault.delay_ms, isClosing.signal);
    if (servicePort === null) return refuse(response, { kind: 'answer', status: 503, retry_after_s: 1 });
    return passOn({ request, response, port: servicePort, losesAnswer: fault?.kind === 'lost_answer' });
  }

  server.on('upgrade', (request, client, head) => {
    client.on('error', () => client.destroy());
    void upgrade(request, client, head).catch(() => client.destroy());
  });
  async function upgrade(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const path = pathOf(request);
    const fault = faults.ofRequest(request.method ?? '', path);
    if (fault?.kind === 'cut' || fault?.kind === 'lost_answer') return void client.destroy();
    if (fault?.kind === 'answer') return void client.end(rawAnswer(fault));
    if (fault?.kind === 'delay') await sleep(systemClock, fault.delay_ms, isClosing.signal);
    if (servicePort === null) return void client.end(rawAnswer({ kind: 'answer', status: 503, retry_after_s: 1 }));
    const tunnel = openTunnel({
      client,
      head: Buffer.concat([Buffer.from(headOf(request), 'latin1'), head]),
      upstream: { host: SERVICE_HOST, port: servicePort },
      onOpen() {
        tunnels.set(tunnel, { path });
        closeByRule(tunnel, path);
      },
      onEnd: () => tunnels.delete(tunnel),
    });
  }
  function closeByRule(tunnel: Tunnel, path: string): void {
    const code = faults.ofConnection(path);
    if (code !== null) tunnel.closeWith(code);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason =
        cause.code === 'EADDRINUSE' ? 'the port is taken; stop what uses it, or choose another' : cause.message;
      reject(new Error(`cannot listen on ${host}:${options.port}: ${reason}`, { cause }));
    });
    server.listen(options.port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port) {
      servicePort = port;
    },
    applyToConnections() {
      for (const [tunnel, { path }] of tunnels) closeByRule(tunnel, path);
    },
    async close() {
      isClosing.abort(new Error('the double stops'));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const tunnel of tunnels.keys()) tunnel.destroy();
      server.closeAllConnections();
      await closed;
    },
  };
}

const pathOf = (request: IncomingMessage): string => (request.url ?? '').replace(/\?.*$/s, '');

function headOf(request: IncomingMessage): string {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let at = 0; at < request.rawHeaders.length; at += 2)
    lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function passOn(options: {
  request: IncomingMessage;
  response: ServerResponse;
  port: number;
  losesAnswer: boolean;
}): void {
  const { request, response, port, losesAnswer } = options;
  const { method, url: path, rawHeaders } = request;
  const asked: ClientRequest = ask({ host: SERVICE_HOST, port, method, path, headers: rawHeaders, setHost: false });
  asked.on('response', (answered) => {
    if (losesAnswer) {
      answered.resume();
      answered.once('end', () => request.socket.destroy());
      return;
    }
    response.writeHead(answered.statusCode ?? 502, answered.statusMessage, answered.rawHeaders);
    answered.pipe(response);
    answered.once('error', () => response.destroy());
  });
  asked.once('error', () => response.destroy());
  response.once('close', () => asked.destroy());
  request.pipe(asked);
}

type Refusal = Extract<Fault, { kind: 'answer' }>;

function bodyOf({ status }: Refusal): { headers: Record<string, string>; text: string } {
  const code = status === 429 ? TOO_MANY_REQUESTS : INTERNAL;
  const error = new ApiError(code, status === 429 ? {} : { status, message: 'This fault was asked for' });
  return { headers: { 'content-type': 'application/json' }, text: JSON.stringify(error.envelope()) };
}

const retryAfterOf = ({ retry_after_s }: Refusal): Record<string, string> =>
  retry_after_s === undefined ? {} : { 'retry-after': String(retry_after_s) };

function refuse(response: ServerResponse, fault: Refusal): void {
  const { headers, text } = bodyOf(fault);
  // What the client still sends is not read.
  response.writeHead(fault.status, { ...headers, ...retryAfterOf(fault), connection: 'close' }).end(text);
}

/** The same for a socket that asked for an upgrade. */
function rawAnswer(fault: Refusal): string {
  const { headers, text } = bodyOf(fault);
  const all = { ...headers, ...retryAfterOf(fault), 'content-length': String(text.length), connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${fault.status} Fault`, ...lines, '', text].join('\r\n');
}
