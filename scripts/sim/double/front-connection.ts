/**
 * A connection of an integrator. Its bytes go to the service and back unchanged, so that the service itself answers everything, also
 * bytes that are no request. Requests are only recognised: a fault acts from the request on that it is meant for.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { answerOf } from '../../../cloud/rest/server/answer-socket.js';
import type { Timer } from '../../../shared/clock.js';
import { ApiError, INTERNAL, TOO_MANY_REQUESTS } from '../../../shared/errors.js';
import { systemClock } from '../../../shared/system-clock.js';
import type { Fault, Faults } from './faults.js';
import { watchRequests } from './request-watch.js';

export const SERVICE_HOST = '127.0.0.1';
/** How long a client may go on sending after its last answer: a connection that ends under it could lose that answer. */
const LINGER_MS = 2_000;
/** The service asks for the body of a request; its answer is still to come. */
const INTERIM_ANSWER = /^HTTP\/1\.1 1\d\d [^]*?\r\n\r\n$/;

type Refusal = Extract<Fault, { kind: 'answer' }>;
const NOT_THERE: Refusal = { kind: 'answer', status: 503, retry_after_s: 1 };

/** A connection that is passed on. */
interface Passing {
  readonly client: Socket;
  readonly faults: Faults;
  readonly service: ServiceSide;
  servicePort(): number | null;
  openRealtime: Options['openRealtime'];
  /** Stops the search for requests: the connection goes to `openRealtime`. */
  stopWatching(): void;
  /** Bytes that the service does not get yet: a head that is not complete, or all of it during a delay. */
  waiting: Buffer[];
  delay: Timer | null;
  /** The path of a request that asks for a realtime connection. */
  realtimePath: string | null;
  losesAnswer: boolean;
  /** The service gets nothing more of what the client sends. */
  isRefused: boolean;
  hasClientEnded: boolean;
}

interface Options {
  client: Socket;
  faults: Faults;
  /** Where the service listens now; null: it is not there. */
  servicePort(): number | null;
  /** Owns the client from then on. `head`: the request, as it came. */
  openRealtime(realtime: { client: Socket; head: Buffer; path: string; port: number }): void;
}

export function passConnection(options: Options): void {
  const { client, servicePort } = options;
  const endClient = createClientEnd(client);
  const service = createServiceSide(client, {
    servicePort,
    losesAnswer: () => passing.losesAnswer,
    onEnd() {
      // The bytes that wait are sent over another connection.
      if (passing.delay === null) endClient();
      else service.drop();
    },
  });
  const watch = watchRequests({
    onRequest: (request, response) => onRequest(passing, request, response),
    onBytes(bytes, isWithinHead) {
      if (passing.isRefused) return;
      passing.waiting.push(bytes);
      if (passing.delay === null && !isWithinHead) passOn(passing);
    },
    answer: {
      write: (bytes) => void (passing.isRefused && client.write(bytes)),
      end: () => void (passing.isRefused && endClient()),
    },
  });
  const onClientEnd = () => {
    passing.hasClientEnded = true;
    if (passing.delay !== null || passing.isRefused) return;
    if (servicePort() === null && !service.isOpen()) client.end();
    else passOn(passing);
  };
  const passing: Passing = {
    ...options,
    service,
    stopWatching() {
      watch.stop();
      client.off('data', watch.push).off('end', onClientEnd).off('drain', service.resume);
    },
    waiting: [],
    delay: null,
    realtimePath: null,
    losesAnswer: false,
    isRefused: false,
    hasClientEnded: false,
  };

  client.on('data', watch.push).on('end', onClientEnd).on('drain', service.resume);
  client.on('error', () => client.destroy());
  client.once('close', () => {
    passing.delay?.cancel();
    watch.stop();
    service.drop();
  });
  // Connected at once, because the service counts idle time from the beginning of a connection.
  service.open();
}

/** A request's head is complete: the fault that it is meant for acts, or the service is asked. */
function onRequest(passing: Passing, request: IncomingMessage, response: ServerResponse): void {
  const { client, faults, service } = passing;
  const path = (request.url ?? '').replace(/\?.*$/s, '');
  const isRealtime = request.headers.upgrade?.toLowerCase() === 'websocket';
  const fault = faults.ofRequest(request.method ?? '', path);
  passing.losesAnswer = fault?.kind === 'lost_answer';
  if (fault?.kind === 'cut' || (passing.losesAnswer && isRealtime)) {
    passing.isRefused = true;
    return void client.destroy();
  }
  if (fault?.kind === 'answer') return refuse(passing, response, fault);
  const ask = () => {
    if (passing.servicePort() === null) return refuse(passing, response, NOT_THERE);
    response.end();
    passing.realtimePath = isRealtime ? path : null;
  };
  if (fault?.kind !== 'delay') return ask();
  // The service would end an idle connection during a long delay.
  if (!service.hasAsked()) service.drop();
  passing.delay = systemClock.setTimer(fault.delay_ms, () => {
    passing.delay = null;
    ask();
    if (!passing.isRefused) passOn(passing);
  });
}

function refuse(passing: Passing, response: ServerResponse, { status, retry_after_s }: Refusal): void {
  passing.isRefused = true;
  passing.service.drop();
  if (retry_after_s !== undefined) response.setHeader('Retry-After', String(retry_after_s));
  const isTooMany = status === 429;
  const error = isTooMany
    ? new ApiError(TOO_MANY_REQUESTS)
    : new ApiError(INTERNAL, { status, message: 'This fault was asked for' });
  const answer = answerOf(error);
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

/** Gives the service what waits. */
function passOn(passing: Passing): void {
  const { client, service, realtimePath } = passing;
  const bytes = Buffer.concat(passing.waiting);
  passing.waiting = [];
  const port = passing.servicePort();
  if (realtimePath !== null && port !== null) {
    passing.stopWatching();
    service.drop();
    return passing.openRealtime({ client, head: bytes, path: realtimePath, port });
  }
  service.open();
  if (!service.write(bytes)) client.pause();
  if (passing.hasClientEnded) service.end();
}

type ServiceSide = ReturnType<typeof createServiceSide>;

/** Opens the connection to the service, whose answers go to the client. */
function createServiceSide(
  client: Socket,
  options: { servicePort(): number | null; losesAnswer(): boolean; onEnd(): void },
) {
  let service: Socket | null = null;
  let hasAsked = false;
  return {
    isOpen: () => service !== null,
    /** Whether it was sent anything over this connection. */
    hasAsked: () => hasAsked,
    /** Connects, unless it is connected or the service is not there. */
    open(): void {
      const port = options.servicePort();
      if (service !== null || port === null) return;
      const opened = connect({ host: SERVICE_HOST, port, noDelay: true, allowHalfOpen: true });
      service = opened;
      opened.on('data', (bytes: Buffer) => {
        if (options.losesAnswer() && !INTERIM_ANSWER.test(bytes.toString('latin1'))) client.destroy();
        else if (!client.write(bytes)) opened.pause();
      });
      opened.on('drain', () => client.resume());
      opened.on('error', () => {});
      const onEnd = () => void (service === opened && options.onEnd());
      opened.on('end', onEnd).on('close', onEnd);
    },
    /** @returns false when the client has to wait until it takes more */
    write(bytes: Buffer): boolean {
      if (service === null || service.destroyed) return true;
      hasAsked = true;
      return service.write(bytes);
    },
    end: () => void (service?.destroyed === false && service.end()),
    resume: () => void service?.resume(),
    drop(): void {
      const dropped = service;
      service = null;
      hasAsked = false;
      dropped?.destroy();
    },
  };
}

/** @returns ends the connection to the client, who may go on sending for a while */
function createClientEnd(client: Socket): () => void {
  let linger: Timer | null = null;
  client.once('close', () => linger?.cancel());
  return () => {
    client.end();
    client.resume();
    linger ??= systemClock.setTimer(LINGER_MS, () => client.destroy());
  };
}
