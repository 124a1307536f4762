/** Parses what comes in. It reports all invalid fields at once, with one error of code 23 for each. */
import type { Context } from 'hono';
import type { z } from 'zod';
import { ApiError, ERRORS_MAX, VALIDATION } from '../../../shared/errors.js';
import { sentence } from '../resource/sentence.js';
import { restReason } from '../resource/value-reasons.js';
import { LIST_MAX } from '../field/values.js';
import { readBody } from './body.js';
import type { HttpEnv } from './http-env.js';
import { inShare } from './long-work.js';

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
  const value = await inShare(c, text.length, () => parseText(text));
  const found = isObject(value) ? await check(value) : [];
  return inShare(c, text.length, () => validated(schema, value, found));
}

function parseText(text: string): unknown {
  let value: unknown = {};
  try {
    if (text.length > 0) value = JSON.parse(text);
  } catch {
    throw new ApiError(VALIDATION, { field: 'body', message: 'Malformed JSON' });
  }
  refuseLongLists(value);
  return value;
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

/**
 * Names array items `ids.0`, an unknown key by its name, and the whole `body`. Of each field it keeps only the first message. Thousands of
 * fields may be wrong, of which an answer tells few (`ApiError.validation`): only those have their words.
 */
export function fieldErrors(error: z.ZodError): FieldError[] {
  const found = new Map<string, FieldError>();
  for (const issue of error.issues) {
    const isUnknown = issue.code === 'unrecognized_keys';
    const paths = isUnknown ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    for (const path of paths) {
      const field = path.length === 0 ? 'body' : path.join('.');
      if (found.has(field)) continue;
      const isShown = found.size < ERRORS_MAX;
      found.set(field, { field, message: isShown ? (isUnknown ? 'Unknown key' : sentence(issue.message)) : '' });
    }
  }
  return [...found.values()];
}
