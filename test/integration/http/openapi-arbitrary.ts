/** What a client may send to a schema of the document: what fits, what nearly fits, and what does not at all. */
import * as fc from '../../property.js';
import type { JsonSchema, OpenApiDocument } from '../../contract/openapi-document.js';

export const HOSTILE_TEXT = [
  "' or 1=1; --",
  '"; drop table accounts; --',
  '${7*7}{{7*7}}<script>alert(1)</script>',
  '../../etc/passwd',
  '\u0000',
  '\r\nX-Injected: 1',
  '%00%0a',
  '\u202Eetalp \u{1F697}',
  '٣',
  '=1+1',
  '__proto__',
  'e\u0301'.repeat(100),
];

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.anyCharacter }),
  fc.constantFrom(...HOSTILE_TEXT),
  fc.constant('x'.repeat(5_000)),
);

const hostileNumber = fc.constantFrom(-1, 0, 0.5, 1e21, -1e308, Number.MAX_SAFE_INTEGER, 2 ** 53, 2 ** 63);

export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  text,
  hostileNumber,
  fc.constantFrom(null, [], {}, [[]], [null], true, JSON.parse('{"__proto__":{"a":1}}')),
);

/** Mostly what fits, so that handlers are reached, and now and then with one thing wrong. */
export function arbitraryOf(schema: JsonSchema, document: OpenApiDocument): fc.Arbitrary<unknown> {
  const fitting = fittingOf(schema, document);
  const spoiled = fc.tuple(fitting, fc.oneof(text, fc.constantFrom('name', 'id', '__proto__')), junk).map(spoil);
  const replaced = fc.tuple(fitting, fc.nat(), junk).map(([value, at, other]) => {
    const keys = Object.keys(isObject(value) ? value : {});
    return spoil([value, keys[at % Math.max(1, keys.length)] ?? 'x', other]);
  });
  return fc.oneof({ weight: 3, arbitrary: fitting }, spoiled, { weight: 2, arbitrary: replaced }, junk);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const spoil = ([value, key, other]: [unknown, string, unknown]): unknown =>
  isObject(value) ? { ...value, [key]: other } : other;

function fittingOf(schema: JsonSchema, document: OpenApiDocument): fc.Arbitrary<unknown> {
  const inner = (each: unknown) => fittingOf((each ?? {}) as JsonSchema, document);
  if (typeof schema.$ref === 'string') {
    return inner(document.components.schemas[schema.$ref.split('/').at(-1) ?? '']);
  }
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (choices !== undefined) return fc.oneof(...choices.map(inner));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  const types = [schema.type].flat();
  if (types.includes('null') && types.length > 1) {
    return fc.oneof(fc.constant(null), inner({ ...schema, type: types.filter((each) => each !== 'null') }));
  }
  switch (types[0]) {
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
      const requiredKeys = (schema.required ?? []) as string[];
      return fc.record(Object.fromEntries(properties.map(([key, value]) => [key, inner(value)])), { requiredKeys });
    }
    case 'array':
      return fc.array(inner(schema.items), { maxLength: 4 });
    case 'integer':
    case 'number': {
      const min = Math.max(Number(schema.minimum ?? -1_000), -1_000_000);
      const max = Math.min(Number(schema.maximum ?? 100_000), 1_000_000);
      return fc.oneof(fc.integer({ min, max: Math.max(min, max) }), fc.integer({ min, max: Math.max(min, 5) }));
    }
    case 'boolean':
      return fc.boolean();
    case 'string':
      return schema.format === 'email'
        ? fc.emailAddress()
        : schema.format === 'date-time'
          ? fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
          : fc.oneof(text, fc.string({ minLength: 8, maxLength: 40 }));
    default:
      return junk;
  }
}
