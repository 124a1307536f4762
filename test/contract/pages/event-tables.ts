/** The tables of `shared/contract/events.md`, built from the schemas that check every event. Pure. */
import { z } from 'zod';
import { EVENT_SCHEMAS } from '../../../shared/events/event-schemas.js';
import { GATEWAY_ERROR_MESSAGES } from '../../../shared/errors.js';
import { code, type Table } from './markdown-page.js';
import { type JsonSchema, wordsOf } from './schema-words.js';

/** One table per event: its keys, nested ones by their path. */
export function eventTables(): Map<string, Table> {
  return new Map(
    Object.entries(EVENT_SCHEMAS).map(([event, schema]) => [
      event,
      { header: ['Key', 'Value'], rows: keyRows(z.toJSONSchema(schema)) },
    ]),
  );
}

export function gatewayErrorTable(): Table {
  const numbers = Object.entries(GATEWAY_ERROR_MESSAGES).map(([type, message]) => [type, message]);
  return { header: ['Type', 'Message'], rows: [...numbers, [code('Timeout'), 'no message']] };
}

/** Rows of keys such as `data.lot.id`, `zones[].id`; a `?` marks what may be left out. */
function keyRows(schema: JsonSchema, prefix = ''): string[][] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonSchema>; required?: string[] };
  return Object.entries(properties).flatMap(([key, inner]) => {
    const path = `${prefix}${key}`;
    const nested = nestedOf(inner);
    const mark = required.includes(key) ? '' : '?';
    if (nested === null) return [[code(`${path}${mark}`), wordsOf(inner)]];
    const list = inner.type === 'array';
    const words = list ? 'list of one object' : 'object';
    const isNullable = Array.isArray(inner.anyOf);
    return [
      [code(`${path}${mark}`), isNullable ? `${words} or null` : words],
      ...keyRows(nested, `${path}${list ? '[]' : ''}.`),
    ];
  });
}

/** The object in a value: the value itself, the item of a list, or what it is when it is not null. */
function nestedOf(schema: JsonSchema): JsonSchema | null {
  if (schema.properties !== undefined) return schema;
  if (schema.type === 'array') return nestedOf((schema.items ?? {}) as JsonSchema);
  const alternatives = (schema.anyOf ?? []) as JsonSchema[];
  return alternatives.map(nestedOf).find((each) => each !== null) ?? null;
}
