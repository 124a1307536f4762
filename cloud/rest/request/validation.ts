/** Parses what comes in. It reports all invalid fields at once, with one error of code 23 for each. */
import type { Context } from 'hono';
import type { z } from 'zod';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { sentence } from '../resource/sentence.js';
import { restReason } from '../resource/value-reasons.js';
import { LIST_MAX } from '../resource/values.js';
import type { HttpEnv } from './http-env.js';
import { addHeader } from './reply.js';

const BODY_BYTES_MAX = 1024 * 1024;
/** The objects and lists of a body, one within the other, with the body itself. */
const BODY_DEPTH_MAX = 32;

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
  if (isDeeper(value, BODY_DEPTH_MAX)) {
    throw new ApiError(VALIDATION, { field: 'body', message: `Must be nested at most ${BODY_DEPTH_MAX} deep` });
  }
  refuseLongLists(value);
  const found = isObject(value) ? await check(value) : [];
  return validated(schema, value, found);
}

/** Whether there are more than so many objects and lists one within the other. It looks no deeper than that. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** No list of any body has more items. A schema would judge each of them, for seconds, before it counted them. */
function refuseLongLists(body: unknown): void {
  const tooLong = longLists(body, []);
  if (tooLong.length === 0) return;
  const message = sentence(restReason({ code: 'too_big', origin: 'array', maximum: LIST_MAX }) ?? '');
  throw ApiError.validation(tooLong.map((path) => ({ field: path.join('.') || 'body', message })));
}

/** The paths of the lists that are too long; it looks at nothing within them. */
function longLists(value: unknown, path: readonly string[]): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value) && value.length > LIST_MAX) return [path];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'object' ? longLists(inner, [...path, key]) : [],
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses the query's parameters by the schema; a repeated one is an array. `filter[]` and `sort[]`, as some clients write repeated ones,
 * are `filter` and `sort`.
 */
export function parseQuery<Schema extends z.ZodObject>(c: Context<HttpEnv>, schema: Schema): z.output<Schema> {
  const given = new Map<string, string[]>();
  for (const [written, values] of Object.entries(c.req.queries())) {
    const name = WRITTEN_AS_LIST.get(written) ?? written;
    given.set(name, [...(given.get(name) ?? []), ...values]);
  }
  const unknown = [...given.keys()].filter((name) => !Object.hasOwn(schema.shape, name));
  const query = [...given].map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
  return validated(
    schema,
    Object.fromEntries(query),
    unknown.map((field) => ({ field, message: 'Unknown query parameter' })),
  );
}

const WRITTEN_AS_LIST = new Map([
  ['filter[]', 'filter'],
  ['sort[]', 'sort'],
]);

function validated<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  found: readonly FieldError[] = [],
): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: (issue) => restReason({ ...issue }) });
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

/** Reads the body as text; it can be called several times. Throws 415 when it does not say that it is JSON, 413 when it is larger than allowed. */
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
    const problem = bodyProblem(c, Number(length));
    if (problem !== null) throw problem;
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
    const problem = bodyProblem(c, bytes);
    if (problem !== null) {
      // The rest is not read, so the connection cannot be used again; without this header a client would send its next request into it.
      addHeader(c, 'Connection', 'close');
      throw problem;
    }
    chunks.push(chunk);
  }
  return decoded(Buffer.concat(chunks));
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
  return bytes > bytesMaxOf(c) ? tooLarge(bytesMaxOf(c)) : null;
}

const notJson = (message: string) => new ApiError(VALIDATION, { status: 415, field: 'body', message });

/** Bytes that are no UTF-8 would be stored as replacement characters, so that different texts would become one. */
function decoded(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError(VALIDATION, { field: 'body', message: 'Is not UTF-8', cause });
  }
}

const bytesMaxOf = (c: Context<HttpEnv>): number => c.get('bodyBytesMax') ?? BODY_BYTES_MAX;

const tooLarge = (bytesMax: number) =>
  new ApiError(VALIDATION, {
    status: 413,
    field: 'body',
    message: `The body is larger than ${bytesMax === BODY_BYTES_MAX ? '1 MiB' : `${bytesMax / 1024} KiB`}`,
  });
