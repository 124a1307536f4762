/** Gives every property of a schema its description. Pure. */
import { isObject, type JsonObject, mapValues } from './json-schema.js';
import { lookUp, type PropertyPath } from './look-up.js';
import { portable } from './portable-schema.js';
import { PROPERTY_WORDS_BY_OWNER } from './property-words-by-owner.js';
import { PROPERTY_WORDS } from './property-words.js';

/** The sentence about a property; undefined for one that nobody has described. */
export const wordsOfProperty = (path: PropertyPath): string | undefined =>
  lookUp(path, PROPERTY_WORDS_BY_OWNER, PROPERTY_WORDS);

/**
 * The schema, with a description of each property in it, and as public tools read it (`portable-schema.ts`).
 * @param path of the property whose schema it is; without names for the schema of a body or answer, or one that has a name itself
 */
export function describedSchema(schema: unknown, path: PropertyPath): unknown {
  if (Array.isArray(schema)) return schema.map((each) => describedSchema(each, path));
  if (!isObject(schema)) return schema;
  return mapValues(portable(schema), (value, key) => {
    if (key === 'properties' && isObject(value)) return describedProperties(value, path);
    if (key === '$defs' && isObject(value)) return mapValues(value, (each) => describedSchema(each, path));
    return INNER_SCHEMAS.has(key) ? describedSchema(value, path) : value;
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

function describedProperties(properties: JsonObject, { owners, names }: PropertyPath): JsonObject {
  return mapValues(properties, (value, name) => {
    const path = { owners, names: [...names, name] };
    const schema = describedSchema(value, path);
    if (!isObject(schema)) return schema;
    const sentences = [wordsOfProperty(path), schema.description].filter((each) => typeof each === 'string');
    return { ...schema, ...(sentences.length === 0 ? {} : { description: sentences.map(asSentence).join(' ') }) };
  });
}

/** What a schema says of itself may be a part of a sentence. */
function asSentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
