/** One request to the service, tried again when that is safe and of use. */
import { backoffDelayMs, type BackoffLimits } from '../backoff.js';
import { type Clock, sleep } from '../clock.js';
import type { CallOptions, Method } from './operation-types.js';
import { errorOf, isObject, ParkingError } from './parking-error.js';

export interface TransportOptions {
  /** `https://HOST`, or what stands before `/v2` there. */
  baseUrl: string;
  /** A user token or an API token; left out for what needs none. */
  token?: string | undefined;
  send: typeof fetch;
  clock: Clock;
  /** A number in [0, 1). */
  random: () => number;
  /** How often a request is tried. */
  triesMax: number;
}

export interface AnyCall extends CallOptions {
  path?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

/** A warning of something that was accepted, and is perhaps not meant. */
export interface Warning {
  /** `plate_taken`: another one has the plate, too. */
  code: string;
  message: string;
  /** The field of the body, as errors name it. */
  field: string;
}

/** An answer that is a success. */
export interface Answer {
  /** `data` of the envelope; all of an answer without one; the text of a file. */
  data: unknown;
  /** The paging of a list. */
  meta: unknown;
  /** The warnings of a change that was made; most often none. */
  warnings: readonly Warning[];
  /** The version of the one thing that was answered, for `ifMatch`; null for anything else. */
  etag: string | null;
}

export type Transport = (method: Method, path: string, call?: AnyCall) => Promise<Answer>;

export const TIMEOUT_MS = 30_000;

const RETRY_BACKOFF: BackoffLimits = { baseMs: 500, maxMs: 30_000 };
/** Whoever is to wait longer is told instead. */
const RETRY_AFTER_MAX_S = 60;
const RETRIED = new Set([429, 502, 503, 504]);
const UNPROCESSABLE = 422;
const KEY_BYTES = 16;

export function createTransport(options: TransportOptions): Transport {
  const { clock, random, triesMax } = options;

  return async (method, path, call = {}) => {
    const url = addressOf(options.baseUrl, path, call);
    const headers = headersOf(options, method, call);
    const init = { method: method.toUpperCase(), headers, ...bodyOf(call) };
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await tryOnce(options, url, init, call);
      if (!(outcome instanceof ParkingError)) return outcome;
      if (attempt + 1 >= triesMax || !isWorthAnotherTry(outcome, attempt)) throw outcome;
      const waitMs = (outcome.retryAfter ?? 0) * 1000 + backoffDelayMs(RETRY_BACKOFF, attempt, random());
      await sleep(clock, waitMs, call.signal);
    }
  };
}

/**
 * Every request can be repeated: a POST by its key, the others because they do the same again. A key that is refused at a repeat may
 * belong to the first try, which is still under way.
 */
function isWorthAnotherTry({ status, errors, retryAfter }: ParkingError, attempt: number): boolean {
  if ((retryAfter ?? 0) > RETRY_AFTER_MAX_S) return false;
  const isUnderWay = status === UNPROCESSABLE && attempt > 0 && errors.some(({ field }) => field === 'idempotency_key');
  return status === 0 || RETRIED.has(status) || isUnderWay;
}

/** Throws the reason of the caller's signal alone. */
async function tryOnce(
  { send, clock }: TransportOptions,
  url: string,
  init: RequestInit,
  { signal, timeoutMs = TIMEOUT_MS }: CallOptions,
): Promise<Answer | ParkingError> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.setTimer(timeoutMs, () => controller.abort(new Error(`No answer within ${timeoutMs} ms`)));
  try {
    const response = await send(url, { ...init, signal: controller.signal });
    return answerOf(response, await response.text(), clock.now());
  } catch (cause) {
    signal?.throwIfAborted();
    return new ParkingError({ message: 'The service did not answer', cause: controller.signal.reason ?? cause });
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * Reads the answer of the service. Whatever stands between may send a page of its own, with any status: that is no
 * answer of the service.
 */
function answerOf(response: Response, text: string, now: number): Answer | ParkingError {
  if (!response.ok) return errorOf(response, text, now);
  const type = response.headers.get('content-type') ?? '';
  const body: unknown = type.includes('json') ? jsonIn(text) : text;
  if (body === undefined || type.includes('html')) return errorOf(response, text, now);
  const { data = body, meta = null, warnings = [] } = isObject(body) ? body : {};
  // An object of another kind may have such a key, too.
  return { data, meta, warnings: Array.isArray(warnings) ? warnings : [], etag: response.headers.get('etag') };
}

/** @returns undefined when it is not JSON */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function addressOf(baseUrl: string, path: string, { path: ids = {}, query = {} }: AnyCall): string {
  const named = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new TypeError(`${path} needs ${name} in path`);
    return encodeURIComponent(id);
  });
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (each === undefined ? [] : [[name, String(each)] as [string, string]])),
  );
  return `${baseUrl.replace(/\/+$/, '')}${named}${pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`}`;
}

function headersOf({ token }: TransportOptions, method: Method, call: AnyCall): Record<string, string> {
  return {
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(method === 'post' ? { 'Idempotency-Key': call.idempotencyKey ?? generateKey() } : {}),
    ...(call.ifMatch === undefined ? {} : { 'If-Match': call.ifMatch }),
  };
}

const bodyOf = ({ body }: AnyCall): RequestInit => (body === undefined ? {} : { body: JSON.stringify(body) });

/** `crypto.randomUUID` is missing in pages that came over plain HTTP. */
const generateKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
