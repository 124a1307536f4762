/** Whole HTTP requests at a rate: made-up bearers, sign-ins, bodies that are expensive to read, questions that are expensive to answer. */
import { Agent, request } from 'node:http';
import { type AttackCounts, type AttackOrder, atRate, createCounts } from './attack.js';

export interface RequestContent {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface RequestFlood {
  port: number;
  perSecond: number;
  inFlightMax: number;
  contentOf(number: number): RequestContent;
}

const ignore = () => {};

/** Counts the answers by status, and as `no answer` those that were cut off. */
export async function floodRequests(
  { port, contentOf, ...rate }: RequestFlood,
  order: AttackOrder,
): Promise<AttackCounts> {
  const { counts, add } = createCounts();
  const agent = new Agent({ keepAlive: true, maxSockets: rate.inFlightMax });
  const send = ({ method, path, headers = {}, body }: RequestContent) =>
    new Promise<void>((resolve) => {
      add('sent');
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const sent = request({
        agent,
        host: order.to ?? '127.0.0.1',
        port,
        localAddress: order.from,
        method,
        path,
        signal: order.signal,
        headers: { ...length, ...headers },
      });
      sent.once('response', (response) => {
        add(`answered ${response.statusCode}`);
        response.resume();
        response.once('close', resolve);
        response.on('error', ignore);
      });
      // An answer before the body's end gives the socket back while it is written to: the request no longer hears that the write failed.
      sent.once('socket', (socket) => {
        if (socket.listenerCount('error', ignore) === 0) socket.on('error', ignore);
      });
      sent.on('error', () => {
        if (!order.signal.aborted) add('no answer');
        resolve();
      });
      sent.end(body);
    });
  await atRate(rate, order, (number) => send(contentOf(number)));
  agent.destroy();
  return counts;
}
