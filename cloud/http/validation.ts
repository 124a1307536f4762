/** Parses what comes in. It reports all invalid fields at once, with one error of code 23 for each. */
import type { Context } from 'hono';
import type { z } from 'zod';
import { ApiError, VALIDATION } from '../../shared/errors.js';
import { sentence } from '../resource/sentence.js';
import type { HttpEnv } from './http-env.js';

const BODY_BYTES_MAX = 1024 * 1024;

export interface FieldError {
  field: string;
  message: string;
}

/**
 * Parses the request's JSON object by the schema. A request without a body counts as an empty object.
 * @param check finds problems that no schema can know; it gets the object as it came
 */
export async function parseBody<Schema extends z.ZodType>(
  c: Context<HttpEnv>,
  schema: Schema,
  check: (value: Readonly<Record<string, unknown>>) => Promise<FieldError[]> = async () => [],
): Promise<z.output<Schema>> {
  const text = await readBody(c);
  let value: unknown = {};
  if (text.length > 0) {
    try {
      value = JSON.parse(text);
    } catch {
      throw new ApiError(VALIDATION, { field: 'body', message: 'Malformed JSON' });
    }
  }
  const found = isObject(value) ? await check(value) : [];
  return validated(schema, value, found);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses the query's parameters by the schema; a repeated one is an array. */
export function parseQuery<Schema extends z.ZodType>(c: Context<HttpEnv>, schema: Schema): z.output<Schema> {
  const given = Object.entries(c.req.queries()).map(([name, values]) => [
    name,
    values.length === 1 ? values[0] : values,
  ]);
  return validated(schema, Object.fromEntries(given));
}

function validated<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  found: readonly FieldError[] = [],
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success && found.length === 0) return parsed.data;
  const errors = parsed.success ? [] : fieldErrors(parsed.error);
  const reported = new Set(errors.map(({ field }) => field));
  throw ApiError.validation([...errors, ...found.filter(({ field }) => !reported.has(field))]);
}

/** Names array items `ids.0`, an unknown key by its name, and the whole `body`. Of each field it keeps only the first message. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  const messages = new Map<string, string>();
  for (const issue of error.issues) {
    const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    for (const path of paths) {
      const field = path.length === 0 ? 'body' : path.join('.');
      const message = issue.code === 'unrecognized_keys' ? 'Unknown key' : sentence(issue.message);
      if (!messages.has(field)) messages.set(field, message);
    }
  }
  return [...messages].map(([field, message]) => ({ field, message }));
}

/** Reads the body as text; it can be called several times. Throws 413 above 1 MiB. */
export async function readBody(c: Context<HttpEnv>): Promise<string> {
  const known = c.get('bodyText');
  if (known !== undefined) return known;
  const text = await readOnce(c);
  c.set('bodyText', text);
  return text;
}

async function readOnce(c: Context<HttpEnv>): Promise<string> {
  const length = c.req.header('content-length');
  if (length !== undefined) {
    if (Number(length) > BODY_BYTES_MAX) throw tooLarge();
    return decoded(await c.req.arrayBuffer());
  }
  return c.req.header('transfer-encoding') === undefined ? '' : readStream(c);
}

/** A chunked body does not say its length, so it is counted while it is read. */
async function readStream(c: Context<HttpEnv>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) {
      // The rest is not read, so the connection cannot be used again; without this header a client would send its next request into it.
      c.header('Connection', 'close');
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  return decoded(Buffer.concat(chunks));
}

/** Bytes that are no UTF-8 would be stored as replacement characters, so that different texts would become one. */
function decoded(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError(VALIDATION, { field: 'body', message: 'Is not UTF-8', cause });
  }
}

const tooLarge = () =>
  new ApiError(VALIDATION, { status: 413, field: 'body', message: 'The body is larger than 1 MiB' });
