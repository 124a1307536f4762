/** Whether a call of a webhook is genuine, as Standard Webhooks has it, by WebCrypto. */
import type { EventName, EventPayload } from '../events/event-schemas.js';
import { wakefulClock } from '../system-clock.js';
import { isObject } from './parking-error.js';

/** The body of a call: an event with its payload. */
export type WebhookCall = {
  [Name in EventName]: {
    type: Name;
    /** When it happened. */
    timestamp: string;
    data: EventPayload<Name>;
  };
}[EventName];

export interface WebhookRequest {
  /** `whsec_...`, which the answer to the webhook's creation showed. */
  secret: string;
  /** The headers of the request; names in lower case where it is no `Headers`. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The text as it came, before `JSON.parse`. */
  body: string;
  /** How far the call's time may be from now; 300 s when left out. */
  toleranceS?: number;
  /** Milliseconds since 1970; the runtime's own when left out. */
  now?: number;
}

/** A call that is not from the service, or that is an old one which somebody sent again. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

const TOLERANCE_S = 300;
const SECRET_PREFIX = /^whsec_/;

/** @returns the event and its payload. Throws a `WebhookError` that says what is wrong. */
export async function verifyWebhook({ secret, headers, body, toleranceS, now }: WebhookRequest): Promise<WebhookCall> {
  const header = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== 'string' || value === '') throw new WebhookError(`The header ${name} is missing`);
    return value;
  };
  const [id, sentS, signatures] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')];
  const ageS = Math.abs((now ?? wakefulClock.now()) / 1000 - Number(sentS));
  // Not `>`: a value that is no number is never near enough.
  if (!(ageS <= (toleranceS ?? TOLERANCE_S))) throw new WebhookError('The call is too old, or its time is none');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytesOf(secret.replace(SECRET_PREFIX, '')), algorithm, false, [
    'verify',
  ]);
  const signed = new TextEncoder().encode(`${id}.${sentS}.${body}`);
  // A secret that is being changed signs beside the new one: any signature will do.
  const verdicts = await Promise.all(
    signatures.split(' ').map(async (each) => {
      const [version, signature = ''] = each.split(',');
      // `verify` compares in constant time.
      return version === 'v1' && isBase64(signature) && crypto.subtle.verify('HMAC', key, bytesOf(signature), signed);
    }),
  );
  if (!verdicts.includes(true)) throw new WebhookError('No signature is of this secret');
  const call: unknown = JSON.parse(body);
  if (!isCall(call)) throw new WebhookError('The body is no event');
  return call;
}

/** The signature says that the service wrote it, and its schemas hold what stands deeper. */
const isCall = (call: unknown): call is WebhookCall =>
  isObject(call) && typeof call.type === 'string' && isObject(call.data);

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/.test(text);

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
