/** Writes a schema so that public tools read it as the service does. Pure. */
import { isObject, type JsonObject } from './json-schema.js';

/** Descriptions in words for regular expressions that validators read differently, by the pattern in the document. */
const PATTERN_WORDS: Readonly<Record<string, string>> = {
  '[\\p{L}\\p{Nd}]/u': 'with 1 to 15 letters and digits',
  '[\\p{L}\\p{Nd}]': 'with 1 to 15 letters and digits',
};

/**
 * One schema, without those inside it: a choice of literals becomes one `enum`, and a pattern that not every tool understands becomes
 * words. The service still checks it.
 */
export function portable(schema: JsonObject): JsonObject {
  return withoutFlags(withOneEnum(schema));
}

/** JSON Schema has no flags, and some validators do not know the classes of Unicode. */
function withoutFlags(schema: JsonObject): JsonObject {
  const { pattern, ...others } = schema;
  if (typeof pattern !== 'string' || !/\/[dgimsuvy]+$|\\p\{/i.test(pattern)) return schema;
  const words = PATTERN_WORDS[pattern];
  return words === undefined ? others : { description: words, ...others };
}

/** A union of literals says each value in a schema of its own, which generators make a type of each. */
function withOneEnum(schema: JsonObject): JsonObject {
  const { anyOf, ...others } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const members = anyOf.flatMap((each: unknown) => (isUnionOnly(each) ? each.anyOf : [each]));
  const values = members.flatMap((each) => literalsOf(each) ?? []);
  const rest = members.filter((each) => literalsOf(each) === null);
  if (values.length < 2) return schema;
  const isNullable = rest.some(isNull);
  const types = [...new Set(values.map(typeOfLiteral)), ...(isNullable ? ['null'] : [])];
  const choice = { type: types.length === 1 ? types[0] : types, enum: [...values, ...(isNullable ? [null] : [])] };
  const further = rest.filter((each) => !isNull(each));
  return further.length === 0 ? { ...choice, ...others } : { anyOf: [choice, ...further], ...others };
}

const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null';

const isUnionOnly = (schema: unknown): schema is { anyOf: unknown[] } =>
  isObject(schema) && Array.isArray(schema.anyOf) && Object.keys(schema).length === 1;

/** The values of a schema that allows some and says nothing else; null for any other. */
function literalsOf(schema: unknown): unknown[] | null {
  if (!isObject(schema)) return null;
  const { type: _type, enum: values, ...others } = schema;
  return Array.isArray(values) && Object.keys(others).length === 0 ? values : null;
}

const typeOfLiteral = (value: unknown): string => (Number.isInteger(value) ? 'integer' : typeof value);
