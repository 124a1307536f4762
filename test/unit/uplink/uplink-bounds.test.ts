import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { partsOfReport } from '../../../agent/uplink/reports.js';
import { claimBodySchema } from '../../../cloud/equipment/gateway/claim-body.js';
import { EPOCH_MS_MAX, REPORTED_MAX, textSchema } from '../../../shared/uplink-bounds.js';
import { type GatewayReport, gatewayReportSchema } from '../../../shared/uplink-reports.js';
import {
  helloSchema,
  presenceSchema,
  recordBatchSchema,
  recordPayloadSchema,
  uplinkRecordSchema,
} from '../../../shared/uplink.js';

/** All that a gateway says. The payload of a record is judged by itself, after the size of its text. */
const SAID_BY_GATEWAYS = {
  hello: helloSchema,
  presence: presenceSchema,
  batch: recordBatchSchema,
  record: uplinkRecordSchema.omit({ payload: true }),
  payload: recordPayloadSchema,
  report: gatewayReportSchema,
  claim: claimBodySchema,
};

type JsonSchema = Record<string, unknown>;

/** A pattern from the first to the last character that repeats nothing without a bound. */
const isBoundedPattern = (pattern: unknown): boolean =>
  typeof pattern === 'string' && /^\^.*\$$/.test(pattern) && !/[*+]|\{\d+,\}/.test(pattern);

const STRING_MAX = 12 * 1024 * 1024;

/** Lists what has no bound, by its path. */
function unbounded(schema: JsonSchema, path: string): string[] {
  const inner = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([key, each]) =>
    unbounded(each, `${path}.${key}`),
  );
  for (const kind of ['anyOf', 'oneOf', 'allOf']) {
    for (const each of (schema[kind] ?? []) as JsonSchema[]) inner.push(...unbounded(each, path));
  }
  if (schema.const !== undefined || schema.enum !== undefined) return inner;
  switch (schema.type) {
    case 'string': {
      const isBounded = Number(schema.maxLength ?? Infinity) <= STRING_MAX || isBoundedPattern(schema.pattern);
      return isBounded ? inner : [...inner, `${path}: a string without a maximum`];
    }
    case 'integer':
    case 'number': {
      const least = Number(schema.minimum ?? schema.exclusiveMinimum ?? -Infinity);
      const most = Number(schema.maximum ?? Infinity);
      const isBounded = least >= Number.MIN_SAFE_INTEGER && most <= Number.MAX_SAFE_INTEGER;
      return isBounded ? inner : [...inner, `${path}: a number without bounds`];
    }
    case 'array': {
      const isBounded = Number(schema.maxItems ?? Infinity) <= 1_000;
      return [
        ...inner,
        ...unbounded(schema.items as JsonSchema, `${path}[]`),
        ...(isBounded ? [] : [`${path}: a list without a maximum`]),
      ];
    }
    case 'object': {
      const values = schema.additionalProperties;
      if (typeof values !== 'object' || values === null) return inner;
      const names = (schema.propertyNames ?? {}) as JsonSchema;
      return [...inner, ...unbounded(values as JsonSchema, `${path}{}`), ...unbounded(names, `${path} keys`)];
    }
    default:
      return schema.type === undefined && inner.length === 0 && Object.keys(schema).length === 0
        ? [`${path}: anything`]
        : inner;
  }
}

describe('what a gateway says', () => {
  it.each(Object.entries(SAID_BY_GATEWAYS))('%s has a bound everywhere', (name, schema) => {
    const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
    const found = unbounded(described, name);
    // The records of a batch are judged one by one.
    expect(found.filter((each) => each !== 'batch.records[].payload: anything')).toEqual([]);
  });

  it('takes no more than three bytes a character as JSON', () => {
    const everything = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    const schema = textSchema(1);
    for (const character of everything) {
      const bytes = Buffer.byteLength(JSON.stringify(schema.parse(character)));
      if (bytes > 3 + '""'.length) throw new Error(`character ${character.charCodeAt(0)} takes ${bytes} bytes`);
    }
  });

  it.each([
    ['the clock of a hello', helloSchema.shape.mono_ms],
    ['the clock of a record', uplinkRecordSchema.shape.mono_ms],
    ['the time of an event', uplinkRecordSchema.shape.wall_ms],
    [
      'what a report derives from two moments',
      gatewayReportSchema.shape.parking_gateways.unwrap().element.shape.heard_ago_ms,
    ],
    ['how far a clock is from another', gatewayReportSchema.shape.health.unwrap().shape.clock.shape.offset_ms],
  ])('is read as whole milliseconds: %s', (_name, schema) => {
    for (const [sent, read] of [
      [5_000.3141, 5_000],
      [5_000.75, 5_001],
      [EPOCH_MS_MAX, EPOCH_MS_MAX],
    ]) {
      expect(schema.parse(sent)).toBe(read);
    }
    for (const wrong of [EPOCH_MS_MAX + 0.25, NaN, Infinity, '1']) expect(schema.safeParse(wrong).success).toBe(false);
  });

  it('has only whole numbers where parts of one mean nothing', () => {
    expect(uplinkRecordSchema.shape.seq.safeParse(1.5).success).toBe(false);
    expect(presenceSchema.shape.connection.safeParse(1.5).success).toBe(false);
  });

  it('names no more sections than there can be', () => {
    const config = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`s${index}`, '']));
    expect(helloSchema.shape.config.safeParse(config).success).toBe(false);
  });
});

describe('a report of more than the cloud reads at once', () => {
  it('is sent in parts that the cloud reads', () => {
    const heard = Array.from({ length: 2 * REPORTED_MAX + 1 }, (_, id) => ({
      parking_gateway_id: id,
      heard_ago_ms: 1,
    }));
    const report: GatewayReport = { products: [], parking_gateways: heard };
    const parts = partsOfReport(report);
    expect(parts).toHaveLength(3);
    for (const part of parts) expect(gatewayReportSchema.safeParse(part).error).toBeUndefined();
    expect(parts.flatMap(({ parking_gateways = [] }) => parking_gateways)).toEqual(heard);
    expect(partsOfReport({ products: [] })).toEqual([{ products: [] }]);
  });
});
