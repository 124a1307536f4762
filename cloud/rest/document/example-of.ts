/** Builds the example of a body or answer from the values of its properties. Pure. */
import { isObject, type JsonObject, mapValues, objectAt, typesOf } from './json-schema.js';
import { lookUp, ownersOfSchema, type PropertyPath } from './look-up.js';
import { PROPERTY_EXAMPLES } from './property-examples.js';

/** The named schemas of the document. */
export type NamedSchemas = JsonObject;

/** An example of an answer: all that it can show. */
export function exampleOf(schema: unknown, path: PropertyPath, named: NamedSchemas): unknown {
  if (!isObject(schema)) return null;
  const known = path.names.length === 0 ? undefined : lookUp(path, PROPERTY_EXAMPLES);
  if (known !== undefined && isAllowed(known, schema)) return known;
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').pop() ?? '';
    return exampleOf(named[name], { owners: ownersOfSchema(name), names: [] }, named);
  }
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [alternative] = [schema.anyOf ?? schema.oneOf ?? []].flat();
  if (alternative !== undefined) return exampleOf(alternative, path, named);
  return ofType(schema, path, named);
}

function ofType(schema: JsonObject, { owners, names }: PropertyPath, named: NamedSchemas): unknown {
  const [type] = typesOf(schema);
  if (type === 'object') {
    return mapValues(objectAt(schema, 'properties'), (each, name) =>
      exampleOf(each, { owners, names: [...names, name] }, named),
    );
  }
  if (type === 'array') return [exampleOf(schema.items, { owners, names }, named)];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  return schema.format === 'date-time' ? '2026-03-02T08:15:30.000Z' : type === 'string' ? 'text' : null;
}

/** Whether the value is of a type and one of the values that the schema allows: a name may have values of several kinds. */
function isAllowed(value: unknown, schema: JsonObject): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  const types = [schema.type ?? []].flat();
  const own = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  return types.length === 0 || types.includes(own) || (types.includes('integer') && Number.isInteger(value));
}

/** An example of a request's body: what it must have, or where all may be left out one thing that it can have. */
export function exampleOfBody(schema: unknown, path: PropertyPath, named: NamedSchemas): unknown {
  const properties = objectAt(schema, 'properties');
  const required = isObject(schema) && Array.isArray(schema.required) ? schema.required : [];
  const [first] = Object.keys(properties);
  const shown = required.length > 0 ? required : first === undefined ? [] : [first];
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => shown.includes(name))
      .map(([name, each]) => [name, exampleOf(each, { owners: path.owners, names: [name] }, named)]),
  );
}
