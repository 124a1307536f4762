/** The tables of `shared/contract/run.md` and `site-file.md`, built from the settings and the site file's schema. Pure. */
import { z } from 'zod';
import { siteSchema } from '../../../cloud/all-resources.js';
import type { Setting } from '../../../shared/settings.js';
import { cell, code, type Table } from './markdown-page.js';
import { defaultWords, type JsonSchema, wordsOf } from './schema-words.js';

export function settingsTable(settings: Readonly<Record<string, Setting<never> | Setting<unknown>>>): Table {
  return {
    header: ['Variable', 'Default', 'Allowed', 'Meaning'],
    rows: Object.entries(settings).map(([name, setting]) => [
      code(name),
      valueText(setting.default),
      cell(setting.allowed),
      cell(setting.description),
    ]),
  };
}

const valueText = (value: unknown): string => (value === null ? 'unset' : value === '' ? 'empty' : code(String(value)));

/** One table per mapping of the site file, under the path at which it stands. */
export function siteFileTables(): Map<string, Table> {
  const tables = new Map<string, Table>();
  collect(z.toJSONSchema(siteSchema, { io: 'input', unrepresentable: 'any' }), 'the file', tables);
  return tables;
}

function collect(schema: JsonSchema, path: string, tables: Map<string, Table>): void {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonSchema>; required?: string[] };
  const entries = Object.entries(properties);
  tables.set(path, {
    header: ['Key', 'Value', 'Left out'],
    rows: entries.map(([key, inner]) => [
      code(key),
      valueWords(inner),
      defaultWords(inner, required.includes(key)) ?? 'required',
    ]),
  });
  for (const [key, inner] of entries) {
    const mapping = mappingOf(inner);
    if (mapping !== null)
      collect(mapping, `${path === 'the file' ? '' : `${path}.`}${key}${inner.type === 'array' ? '[]' : ''}`, tables);
  }
}

const valueWords = (schema: JsonSchema): string => {
  if (mappingOf(schema) === null) return wordsOf(schema);
  return schema.type === 'array' ? 'list of mappings' : 'mapping';
};

/** The mapping in a value, or in the items of a list. */
function mappingOf(schema: JsonSchema): JsonSchema | null {
  if (schema.properties !== undefined) return schema;
  if (schema.type === 'array') return mappingOf((schema.items ?? {}) as JsonSchema);
  const alternatives = (schema.anyOf ?? []) as JsonSchema[];
  return alternatives.map(mappingOf).find((each) => each !== null) ?? null;
}
