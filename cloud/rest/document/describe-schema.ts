/** Gives every property of a schema its description. Pure. */
import { isObject, type JsonObject, mapValues, objectAt } from './json-schema.js';
import { lookUp, type PropertyPath } from './look-up.js';
import { portable } from './portable-schema.js';
import { PROPERTY_WORDS_BY_OWNER } from './property-words-by-owner.js';
import { PROPERTY_WORDS } from './property-words.js';

/** The descriptions of fields from their schemas, by the way to them: `Tariff.windows.price`. */
export type FieldWords = Readonly<Record<string, string>>;

/** Collects the sentences of named schemas: bodies have the same fields. */
export function wordsOfFields(schemas: JsonObject): FieldWords {
  const words: Record<string, string> = {};
  const collect = (schema: unknown, way: string): void => {
    if (Array.isArray(schema)) for (const each of schema) collect(each, way);
    if (!isObject(schema)) return;
    for (const [name, each] of Object.entries(objectAt(schema, 'properties'))) {
      const own = isObject(each) ? each.description : undefined;
      if (isWhole(own)) words[`${way}.${name}`] = own;
      collect(each, `${way}.${name}`);
    }
    for (const key of INNER_SCHEMAS) collect(schema[key], way);
  };
  for (const [name, schema] of Object.entries(schemas)) collect(schema, name);
  return words;
}

/**
 * The schema, with a description of each property in it, and as public tools read it (`portable-schema.ts`).
 * @param path of the property whose schema it is; without names for the schema of a body or answer, or one that has a name itself
 * @param fields what the fields of named schemas say, which bodies have too
 */
export function describedSchema(schema: unknown, path: PropertyPath, fields: FieldWords = {}): unknown {
  if (Array.isArray(schema)) return schema.map((each) => describedSchema(each, path, fields));
  if (!isObject(schema)) return schema;
  return mapValues(portable(schema), (value, key) => {
    if (key === 'properties' && isObject(value)) return describedProperties(value, path, fields);
    if (key === '$defs' && isObject(value)) return mapValues(value, (each) => describedSchema(each, path, fields));
    return INNER_SCHEMAS.has(key) ? describedSchema(value, path, fields) : value;
  });
}

/** Where schemas stand in a schema, beside `properties`. */
const INNER_SCHEMAS = new Set([
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  'additionalProperties',
  'contentSchema',
]);

function describedProperties(properties: JsonObject, { owners, names }: PropertyPath, fields: FieldWords): JsonObject {
  return mapValues(properties, (value, name) => {
    const path = { owners, names: [...names, name] };
    const schema = describedSchema(value, path, fields);
    if (!isObject(schema)) return schema;
    const own = schema.description;
    if (isWhole(own)) return schema;
    const words = lookUp(path, PROPERTY_WORDS_BY_OWNER, fields, PROPERTY_WORDS);
    const sentences = [words, own].filter((each) => typeof each === 'string');
    return { ...schema, ...(sentences.length === 0 ? {} : { description: sentences.map(asSentence).join(' ') }) };
  });
}

/** A field says in a whole sentence what it means; what is a part of one is about the value alone, wherever it stands. */
const isWhole = (text: unknown): text is string => typeof text === 'string' && /^[A-Z`].*[.!?]$/s.test(text);

function asSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
