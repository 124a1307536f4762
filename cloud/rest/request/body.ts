/** Reads the bodies of requests, each within the bounds of its route (REST contract, "Common rules"). Nothing of a body is parsed here. */
import type { Context } from 'hono';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { createJsonGauge, type JsonBound, type JsonBounds, type JsonGauge } from '../../../shared/json-measure.js';
import type { HttpEnv } from './http-env.js';
import { addHeader } from './reply.js';

/** What a body may have, in bytes. */
export const BODY_BYTES = {
  /** Of a request with a bearer whose route says nothing else. */
  usual: 64 * 1024,
  command: 4 * 1024,
  /** Of a call that does many things at once. */
  bulk: 4 * 1024 * 1024,
  /** Of a request without a bearer. */
  stranger: 8 * 1024,
} as const;

/** The bound of a route's bodies. */
export interface BodyBound {
  /** It moves a product, for which somebody waits: its body is short, and it waits for nothing else that its caller asks. */
  isCommand?: true;
  /** In bytes; left out: as much as its kind has. */
  bodyBytesMax?: number;
}

/** @param hasBearer whether the request comes with one */
export const bodyBytesMaxOf = ({ isCommand, bodyBytesMax }: BodyBound, hasBearer: boolean): number =>
  bodyBytesMax ?? (isCommand === true ? BODY_BYTES.command : hasBearer ? BODY_BYTES.usual : BODY_BYTES.stranger);

/** What is judged while a body arrives, because parsing what breaks it would cost the thread more than sending it costs anybody. */
export const BODY_BOUNDS: JsonBounds = {
  /** The objects and lists of a body, one within the other, with the body itself. */
  depth: 32,
  keysInObject: 256,
  /** Several times what the largest bulk call has. */
  keys: 100_000,
  values: 200_000,
};

const BROKEN: Readonly<Record<JsonBound, string>> = {
  depth: `Must be nested at most ${BODY_BOUNDS.depth} deep`,
  keysInObject: `Must have at most ${BODY_BOUNDS.keysInObject} keys in one object`,
  keys: `Must have at most ${BODY_BOUNDS.keys} keys`,
  values: `Must have at most ${BODY_BOUNDS.values} values`,
};

/** Up to this length a body is judged when all of it is there. */
const READ_AT_ONCE_BYTES = 64 * 1024;

/**
 * Reads the body as text; it can be called several times. Throws 415 when it does not say that it is JSON, 413 when it is larger than allowed,
 * 422 when it is nested deeper or has more keys than any body may, or is no UTF-8.
 */
export function readBody(c: Context<HttpEnv>): Promise<string> {
  const known = c.get('body');
  if (known !== undefined) return known;
  const text = readOnce(c);
  c.set('body', text);
  return text;
}

async function readOnce(c: Context<HttpEnv>): Promise<string> {
  const gauge = createJsonGauge(BODY_BOUNDS);
  const length = c.req.header('content-length');
  if (length === undefined && c.req.header('transfer-encoding') === undefined) return '';
  const problem = bodyProblem(c, Number(length ?? 0));
  if (problem !== null) throw problem;
  if (length === undefined || Number(length) > READ_AT_ONCE_BYTES) return readStream(c, gauge);
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  hold(gauge, bytes);
  return decoded(bytes);
}

/** A body is judged piece by piece: one that is chunked does not say its length, and one that breaks a bound is read no further. */
async function readStream(c: Context<HttpEnv>, gauge: JsonGauge): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of c.req.raw.body ?? []) {
      bytes += chunk.byteLength;
      const problem = bodyProblem(c, bytes);
      if (problem !== null) throw problem;
      hold(gauge, chunk);
      chunks.push(chunk);
    }
  } catch (error) {
    // The rest is not read, so the connection cannot be used again; without this header a client would send its next request into it.
    addHeader(c, 'Connection', 'close');
    throw error;
  }
  return decoded(Buffer.concat(chunks));
}

/** @throws ApiError 422 on the whole body when it has more than any body may */
function hold(gauge: JsonGauge, bytes: Uint8Array): void {
  const broken = gauge.add(bytes);
  if (broken !== null) throw new ApiError(VALIDATION, { field: 'body', message: BROKEN[broken] });
}

/** `application/json`, or a type that ends in `+json`. Of parameters only the character set that JSON has anyway. */
const JSON_TYPE =
  /^(?:application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json) *(?:; *charset *= *(?:utf-8|"utf-8") *)?$/i;

/**
 * What is wrong with a body before it is read; null: nothing. It has to say that it is JSON, because a page of somebody else may have a browser
 * send any text here unasked, but nothing with this type (REST contract, "Common rules").
 * @param bytes its length, or as much of it as came
 */
function bodyProblem(c: Context<HttpEnv>, bytes: number): ApiError | null {
  if (bytes === 0) return null;
  if (c.req.header('content-encoding') !== undefined) return notJson('Must not have a Content-Encoding');
  if (!JSON_TYPE.test(c.req.header('content-type')?.trim() ?? ''))
    return notJson('Must be of the type application/json');
  const bytesMax = c.get('bodyBytesMax') ?? BODY_BYTES.usual;
  return bytes > bytesMax ? tooLarge(bytesMax) : null;
}

const notJson = (message: string) => new ApiError(VALIDATION, { status: 415, field: 'body', message });

const tooLarge = (bytesMax: number) =>
  new ApiError(VALIDATION, {
    status: 413,
    field: 'body',
    message: `The body is larger than ${bytesInWords(bytesMax)}`,
  });

/** `64 KiB`, `4 MiB` */
export const bytesInWords = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`;

/** Bytes that are no UTF-8 would be stored as replacement characters, so that different texts would become one. */
function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError(VALIDATION, { field: 'body', message: 'Is not UTF-8', cause });
  }
}
