/**
 * A connection of an integrator: its bytes go to the service behind the front and back as they are, so that the service itself answers
 * everything, also what is no request. Requests are only looked for, and a fault acts on the bytes from the one that it is meant for.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { answerOf } from '../../../cloud/rest/http/answer-socket.js';
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

/**
 * @param options.servicePort where the service listens now; null: it is not there
 * @param options.openRealtime owns the client from then on. `head`: the request, as it came
 */
export function passConnection(options: {
  client: Socket;
  faults: Faults;
  servicePort(): number | null;
  openRealtime(realtime: { client: Socket; head: Buffer; path: string; port: number }): void;
}): void {
  const { client, faults, servicePort } = options;
  let service: Socket | null = null;
  /** Bytes that the service does not get yet: a head that is not complete, or all of it during a delay. */
  let waiting: Buffer[] = [];
  let delay: Timer | null = null;
  let linger: Timer | null = null;
  let realtimePath: string | null = null;
  let hasAsked = false;
  let losesAnswer = false;
  /** The service gets nothing more of what the client sends. */
  let isRefused = false;
  let hasClientEnded = false;

  const watch = watchRequests({
    onRequest,
    onBytes(bytes, isWithinHead) {
      if (isRefused) return;
      waiting.push(bytes);
      if (delay === null && !isWithinHead) passOn();
    },
    answer: {
      write: (bytes) => void (isRefused && client.write(bytes)),
      end: () => void (isRefused && endClient()),
    },
  });

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '').replace(/\?.*$/s, '');
    const isRealtime = request.headers.upgrade?.toLowerCase() === 'websocket';
    const fault = faults.ofRequest(request.method ?? '', path);
    losesAnswer = fault?.kind === 'lost_answer';
    if (fault?.kind === 'cut' || (losesAnswer && isRealtime)) {
      isRefused = true;
      return void client.destroy();
    }
    if (fault?.kind === 'answer') return refuse(response, fault);
    const ask = () => {
      if (servicePort() === null) return refuse(response, NOT_THERE);
      response.end();
      realtimePath = isRealtime ? path : null;
    };
    if (fault?.kind !== 'delay') return ask();
    // A connection on which the service has heard nothing yet would end during a long delay.
    if (!hasAsked) dropService();
    delay = systemClock.setTimer(fault.delay_ms, () => {
      delay = null;
      ask();
      if (!isRefused) passOn();
    });
  }

  function refuse(response: ServerResponse, fault: Refusal): void {
    const { status, retry_after_s } = fault;
    isRefused = true;
    dropService();
    if (retry_after_s !== undefined) response.setHeader('Retry-After', String(retry_after_s));
    const isTooMany = status === 429;
    const error = isTooMany
      ? new ApiError(TOO_MANY_REQUESTS)
      : new ApiError(INTERNAL, { status, message: 'This fault was asked for' });
    const answer = answerOf(error);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  function passOn(): void {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    const port = servicePort();
    if (realtimePath !== null && port !== null) return handOver({ head: bytes, path: realtimePath, port });
    openService();
    if (service === null || service.destroyed) return;
    hasAsked = true;
    if (!service.write(bytes)) client.pause();
    if (hasClientEnded) service.end();
  }

  function handOver(realtime: { head: Buffer; path: string; port: number }): void {
    watch.stop();
    client.off('data', watch.push).off('end', onClientEnd).off('drain', onClientDrain);
    dropService();
    options.openRealtime({ client, ...realtime });
  }

  function openService(): void {
    const port = servicePort();
    if (service !== null || port === null) return;
    const opened = connect({ host: SERVICE_HOST, port, noDelay: true, allowHalfOpen: true });
    service = opened;
    opened.on('data', (bytes: Buffer) => {
      if (losesAnswer && !INTERIM_ANSWER.test(bytes.toString('latin1'))) client.destroy();
      else if (!client.write(bytes)) opened.pause();
    });
    opened.on('drain', () => client.resume());
    opened.on('error', () => {});
    const onEnd = () => {
      if (service !== opened) return;
      // What waits gets another connection.
      if (delay === null) endClient();
      else dropService();
    };
    opened.on('end', onEnd).on('close', onEnd);
  }
  function dropService(): void {
    const dropped = service;
    service = null;
    hasAsked = false;
    dropped?.destroy();
  }

  function endClient(): void {
    client.end();
    client.resume();
    linger ??= systemClock.setTimer(LINGER_MS, () => client.destroy());
  }
  const onClientEnd = () => {
    hasClientEnded = true;
    if (delay !== null || isRefused) return;
    if (servicePort() === null && service === null) client.end();
    else passOn();
  };
  const onClientDrain = () => void service?.resume();

  client.on('data', watch.push).on('end', onClientEnd).on('drain', onClientDrain);
  client.on('error', () => client.destroy());
  client.once('close', () => {
    delay?.cancel();
    linger?.cancel();
    watch.stop();
    dropService();
  });
  // The service counts from the beginning of a connection how long it is idle.
  openService();
}
