/** What comes in is parsed here: one error per invalid field, all at once, code 23. */
import type { Context } from 'hono';
import { z } from 'zod';
import { ApiError } from '../../shared/errors.js';
import type { HttpEnv } from './http-env.js';

/** Text that people type. Without NUL, which databases do not keep. */
export const plainText = (charsMax: number) =>
  z
    .string()
    .max(charsMax)
    .refine((text) => !text.includes('\0'), 'Must not contain a NUL');

export const nameText = plainText(255).min(1);

export const passwordText = plainText(1_024).min(8);

const BODY_BYTES_MAX = 1024 * 1024;

export interface FieldError {
  field: string;
  message: string;
}

/**
 * The request's JSON object as the schema has it. No body at all counts as an empty object.
 * @param check finds what no schema can know; it is given the object as it came
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
      throw new ApiError(23, { field: 'body', message: 'Malformed JSON' });
    }
  }
  const found = isObject(value) ? await check(value) : [];
  return validated(schema, value, found);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The query's parameters as the schema has them; a repeated one is an array. */
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
  const told = new Set(errors.map(({ field }) => field));
  throw ApiError.validation([...errors, ...found.filter(({ field }) => !told.has(field))]);
}

/** Array items as `ids.0`; an unknown key by its name; the whole as `body`. The first message of a field stands for all of them. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  const messages = new Map<string, string>();
  for (const issue of error.issues) {
    const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    for (const path of paths) {
      const field = path.length === 0 ? 'body' : path.join('.');
      const message = issue.code === 'unrecognized_keys' ? 'Unknown key' : issue.message;
      if (!messages.has(field)) messages.set(field, message);
    }
  }
  return [...messages].map(([field, message]) => ({ field, message }));
}

/** The body as text, however often it is asked for. Throws 413 above 1 MiB. */
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
    return c.req.text();
  }
  return c.req.header('transfer-encoding') === undefined ? '' : readStream(c);
}

/** A chunked body does not say how long it will be. */
async function readStream(c: Context<HttpEnv>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) {
      // The rest is not read, so that the connection is of no more use: a client that is not told sends its next request into it.
      c.header('Connection', 'close');
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const tooLarge = () => new ApiError(23, { status: 413, field: 'body', message: 'The body is larger than 1 MiB' });
