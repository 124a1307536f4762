/** Driver: webhooks over HTTP and HTTPS, to public addresses only, without following redirects. */
import type { LookupAddress } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../../../shared/clock.js';
import { createNameResolver, type Resolve } from './name-resolver.js';
import { isPublicAddress } from './public-address.js';
import { parseRetryAfter } from './retry-after-parser.js';
import { parseStatusLine } from './status-line-parser.js';
import type { WebhookAnswer, WebhookRequest, WebhookSender } from './webhook-sender.js';
import { hostOf } from './webhook-url.js';
import { errorText } from '../../../shared/error-text.js';

const TIMEOUT_MS = 15_000;
/**
 * The status alone acknowledges a delivery. The rest of an answer is received and thrown away, because some receivers give up their work
 * when the connection closes. A rest that is too long, takes too long, or is one of too many at once is cut off.
 */
const REST = { bytesMax: 64 * 1024, ms: 5_000, togetherMax: 100 };
/** Some send policies and cookies of 20 KB and more. An answer with more is judged by its status line, and cut off. */
const HEADER_BYTES_MAX = 64 * 1024;

/** Each delivery has its own connection, because a receiver may close a kept one at the wrong moment. */
const CONNECTIONS = { keepAlive: false };
const AGENTS = { http: new http.Agent(CONNECTIONS), https: new https.Agent(CONNECTIONS) };

/** The error codes of resolvers; those of connections have other names. */
const NAME_CODES = new Set([
  'ENOTFOUND',
  'ENODATA',
  'ESERVFAIL',
  'EREFUSED',
  'ETIMEOUT',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
]);

/** A delivery failed before there was an answer. The message is for the delivery log. */
class DeliveryFailed extends Error {}

/**
 * @param options.allowPrivate WEBHOOK_ALLOW_PRIVATE: also loopback, link-local and private addresses
 * @param options.resolve resolves a name to its addresses
 */
export function createHttpWebhookSender(options: {
  allowPrivate: boolean;
  clock: Clock;
  resolve?: Resolve;
}): WebhookSender {
  const { allowPrivate, clock, resolve = createNameResolver() } = options;
  const letEnd = createRests(clock);

  /** Resolves and checks the addresses. The connection uses exactly these, even if the name resolves to others a moment later. */
  const addressesOf = async (host: string): Promise<LookupAddress[]> => {
    const family = isIP(host);
    const addresses = family > 0 ? [{ address: host, family }] : await resolve(host);
    if (addresses.length === 0) throw new DeliveryFailed('The name has no address');
    if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
      throw new DeliveryFailed('The address is not a public one');
    }
    return addresses;
  };

  return {
    async post(request) {
      const limit = new AbortController();
      const timer = clock.setTimer(TIMEOUT_MS, () =>
        limit.abort(new DeliveryFailed(`No answer within ${TIMEOUT_MS / 1_000} s`)),
      );
      const { signal } = limit;
      const stop = () => limit.abort(request.signal.reason);
      request.signal.addEventListener('abort', stop);
      try {
        request.signal.throwIfAborted();
        const addresses = await unless(signal, addressesOf(hostOf(new URL(request.url))));
        return await exchange(request, { addresses, signal, clock, letEnd });
      } catch (error) {
        return { statusCode: null, error: reasonOf(signal.aborted ? signal.reason : error) };
      } finally {
        timer.cancel();
        request.signal.removeEventListener('abort', stop);
      }
    },
  };
}

/** @returns a function that receives the rest of an answer within its bounds; an open rest does not keep the process running */
function createRests(clock: Clock): (response: http.IncomingMessage) => void {
  const coming = new Set<http.IncomingMessage>();
  return (response) => {
    const [oldest] = coming;
    if (coming.size >= REST.togetherMax) oldest?.destroy();
    coming.add(response);
    const timer = clock.setTimer(REST.ms, () => response.destroy());
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > REST.bytesMax) response.destroy();
    });
    response.on('error', () => undefined);
    response.once('close', () => {
      timer.cancel();
      coming.delete(response);
    });
    response.socket.unref();
  };
}

function exchange(
  { url, headers, body }: WebhookRequest,
  deps: {
    addresses: LookupAddress[];
    signal: AbortSignal;
    clock: Clock;
    letEnd: (response: http.IncomingMessage) => void;
  },
): Promise<WebhookAnswer> {
  const { addresses, signal, clock, letEnd } = deps;
  const [client, agent] = url.startsWith('https:') ? [https, AGENTS.https] : [http, AGENTS.http];
  // The connection calls this instead of a name server.
  const known: LookupFunction = (_name, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, addresses);
    else if (first !== undefined) callback(null, first.address, first.family);
  };
  return new Promise((resolve, reject) => {
    const request = client.request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent,
      lookup: known,
      maxHeaderSize: HEADER_BYTES_MAX,
      signal,
    });
    const statusSaid = watchStatus(request);
    // What cannot be read, or does not come, after the status line changes nothing.
    request.on('error', (error) => {
      const statusCode = statusSaid();
      if (statusCode === null) reject(error);
      else resolve({ statusCode });
    });
    request.once('response', (response) => {
      const { statusCode = 0 } = response;
      const retryAfterMs = parseRetryAfter(statusCode, response.headers['retry-after'], clock.now());
      resolve({ statusCode, ...(retryAfterMs === null ? {} : { retryAfterMs }) });
      letEnd(response);
    });
    // A connection may close without an error, after an answer that would switch protocols.
    request.once('close', () => reject(new DeliveryFailed('The connection was closed without an answer')));
    request.end(body);
  });
}

/**
 * Keeps the beginning of an answer until its headers are read. Nothing else is read by it, and its connection is not used again: so what
 * two readers would understand differently does no harm.
 * @returns a function that gives the status of which the answer's line has come; null: none
 */
function watchStatus(request: http.ClientRequest): () => number | null {
  let beginning = '';
  request.once('socket', (socket) => {
    const keep = (chunk: Buffer) => {
      beginning += chunk.toString('latin1', 0, HEADER_BYTES_MAX - beginning.length);
    };
    // Before the client reads it, which destroys a connection at the first wrong byte.
    socket.prependListener('data', keep);
    request.once('response', () => socket.off('data', keep));
  });
  return () => parseStatusLine(beginning);
}

/** Stops waiting for work that cannot be aborted. */
function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([work, aborted]);
}

function reasonOf(error: unknown): string {
  if (error instanceof DeliveryFailed) return errorText(error);
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code !== null && NAME_CODES.has(code)) return `The name cannot be resolved (${code})`;
  if (code?.startsWith('HPE_')) return `The answer is no HTTP (${code})`;
  if (code !== null) return `No connection (${code})`;
  return error instanceof Error ? errorText(error) : 'The delivery failed';
}
