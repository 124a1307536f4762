/** The tables of `shared/contract/uplink.md`, built from the schemas of what travels over MQTT. Pure. */
import { z } from 'zod';
import { CONFIG_SECTIONS } from '../../../shared/gateway-config.js';
import { DOWN_CHANNELS, UP_CHANNELS } from '../../../shared/topics.js';
import { recordPayloadSchema } from '../../../shared/uplink.js';
import { code, type Table } from './markdown-page.js';
import type { JsonSchema } from './schema-words.js';

export function uplinkTables(): Map<string, Table> {
  return new Map([
    ['Topics', topicTable()],
    ['Kinds of record', recordTable()],
    ['Sections', sectionTable()],
  ]);
}

function topicTable(): Table {
  const rows = [...UP_CHANNELS.map((channel) => `up/${channel}`), ...DOWN_CHANNELS.map((channel) => `down/${channel}`)];
  return { header: ['Topic'], rows: rows.map((topic) => [code(`gw/<uuid>/${topic}`)]) };
}

function recordTable(): Table {
  const { oneOf, anyOf } = z.toJSONSchema(recordPayloadSchema, { unrepresentable: 'any' }) as JsonSchema;
  const kinds = (oneOf ?? anyOf ?? []) as { properties: Record<string, JsonSchema> }[];
  return {
    header: ['Kind', 'Keys'],
    rows: kinds.map(({ properties: { kind, ...keys } }) => [code(String(kind?.const)), keysText(keys)]),
  };
}

function sectionTable(): Table {
  return {
    header: ['Section', 'Keys of an item'],
    rows: Object.entries(CONFIG_SECTIONS).map(([section, schema]) => {
      const { properties } = z.toJSONSchema(schema, { unrepresentable: 'any' }) as {
        properties: Record<string, JsonSchema>;
      };
      return [code(section), keysText(properties)];
    }),
  };
}

const keysText = (keys: Readonly<Record<string, JsonSchema>>): string => code(Object.keys(keys).join(' '));
