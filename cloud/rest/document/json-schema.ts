/** JSON schemas as the documents have them. Pure. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object that stands at a key; empty where there is none. */
export function objectAt(value: unknown, key: string): JsonObject {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

/** The object with each of its values mapped. */
export const mapValues = (value: JsonObject, map: (each: unknown, key: string) => unknown): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, each]) => [key, map(each, key)]));

/** The types that a schema allows, without null. */
export const typesOf = (schema: JsonObject): unknown[] => [schema.type ?? []].flat().filter((type) => type !== 'null');
