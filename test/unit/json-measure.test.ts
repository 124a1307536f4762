import * as fc from '../property.js';
import { describe, expect, it } from 'vitest';
import {
  brokenJsonBound,
  createJsonGauge,
  type JsonBound,
  type JsonBounds,
  type JsonMeasure,
  measureJson,
  scanJson,
} from '../../shared/json-measure.js';
import { HOSTILE_JSON } from '../attack/hostile-json.js';
import { runs } from '../depth.js';
import { countReads } from './counted-bytes.js';

/** How often a byte is looked at: a byte of a string by the search for its end and by the look at what comes before a quote. */
const READS_OF_A_BYTE = 2;

/** Pieces of which hostile text is made. */
const PIECES = ['{', '}', '[', ']', '"', '\\', '\\"', ',', ':', ' ', '1', 'x', '\0', '€'];
const hostileText = fc.array(fc.constantFrom(...PIECES), { maxLength: 200 }).map((pieces) => pieces.join(''));

/** What the scan says of a value that was parsed. */
function measured(value: unknown): JsonMeasure {
  if (typeof value !== 'object' || value === null) return { nesting: 0, members: 0 };
  const inner = Object.values(value).map(measured);
  return {
    nesting: 1 + Math.max(0, ...inner.map(({ nesting }) => nesting)),
    members: Math.max(0, inner.length - 1) + inner.reduce((sum, { members }) => sum + members, 0),
  };
}

/** What a scan of the text costs: reads of bytes, and calls of those who are told what it finds. */
function costOf(text: string) {
  let calls = 0;
  const { reads } = countReads(Buffer.from(text), (json) =>
    scanJson(json, { mark: () => void (calls += 1), text: () => void (calls += 1) }),
  );
  return { ...reads, calls };
}

describe('the measure of a JSON text', () => {
  it('is that of the value it stands for, however it is written', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 1, '\t'), (text, indent) => {
        const value: unknown = JSON.parse(text);
        expect(measureJson(Buffer.from(JSON.stringify(value, null, indent)))).toEqual(measured(value));
      }),
      { numRuns: runs(300) },
    );
  });

  it.each(['[', ']', '[]]', '{"a":[}', '"', '"\\"', '["a]', '{"a":"b}'])(
    'is none of what can be no JSON: %s',
    (text) => {
      expect(measureJson(Buffer.from(text))).toBeNull();
    },
  );

  it(`looks at each byte ${READS_OF_A_BYTE} times at most, and tells of each once, whatever it is`, () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.string({ unit: fc.anyCharacter, maxLength: 300 })), (text) => {
        const { most, calls } = costOf(text);
        expect(most).toBeLessThanOrEqual(READS_OF_A_BYTE);
        expect(calls).toBeLessThanOrEqual(Buffer.byteLength(text));
      }),
      { numRuns: runs(500) },
    );
  });

  it.each(Object.entries(HOSTILE_JSON))('costs no more for each byte of a longer text: %s', (_name, textOf) => {
    for (const bytes of [3_000, 30_000]) {
      const text = textOf(bytes);
      const length = Buffer.byteLength(text);
      const { most, all, calls } = costOf(text);
      expect(length).toBeGreaterThan(bytes * 0.9);
      expect([most, calls], `${length} bytes`).toEqual([
        expect.toSatisfy((count: number) => count <= READS_OF_A_BYTE),
        expect.toSatisfy((count: number) => count <= length),
      ]);
      expect(all).toBeLessThanOrEqual(READS_OF_A_BYTE * length);
    }
  });
});

const NO_BOUNDS: JsonBounds = { depth: Infinity, keysInObject: Infinity, keys: Infinity, values: Infinity };

/** What a parsed value needs of bounds. */
function needs(value: unknown): JsonBounds {
  if (typeof value !== 'object' || value === null) return { depth: 0, keysInObject: 0, keys: 0, values: 1 };
  const keys = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value)
    .map(needs)
    .reduce<JsonBounds>(
      (sum, inner) => ({
        depth: Math.max(sum.depth, inner.depth + 1),
        keysInObject: Math.max(sum.keysInObject, inner.keysInObject),
        keys: sum.keys + inner.keys,
        values: sum.values + inner.values,
      }),
      { depth: 1, keysInObject: keys, keys, values: 1 },
    );
}

/** The bytes cut into pieces of these lengths, again and again. */
function piecesOf(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

function brokenInPieces(bytes: Uint8Array, lengths: readonly number[], bounds: JsonBounds): JsonBound | null {
  const gauge = createJsonGauge(bounds);
  return piecesOf(bytes, lengths).reduce<JsonBound | null>((_, piece) => gauge.add(piece), null);
}

const NAMES = ['depth', 'keysInObject', 'keys', 'values'] as const;
const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const bounds = fc.record({
  depth: fc.integer({ min: 0, max: 4 }),
  keysInObject: fc.integer({ min: 0, max: 4 }),
  keys: fc.integer({ min: 0, max: 8 }),
  values: fc.integer({ min: 0, max: 12 }),
});
const anyValue = fc.jsonValue({
  maxDepth: 5,
  stringUnit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'x', '€', '😀'),
});

describe('the gauge of a JSON text', () => {
  it('holds a value to exactly what it needs, however it is written and cut', () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(0, 1, '\t'), lengths, (value, indent, cuts) => {
        const text = JSON.stringify(value, null, indent);
        const needed = needs(JSON.parse(text));
        const bytes = Buffer.from(`\uFEFF${text}`);
        expect(brokenInPieces(bytes, cuts, needed)).toBeNull();
        expect(brokenJsonBound(text, needed)).toBeNull();
        for (const name of NAMES.filter((each) => needed[each] > 0)) {
          const tooLow = { ...NO_BOUNDS, [name]: needed[name] - 1 };
          expect(brokenInPieces(bytes, cuts, tooLow)).toBe(name);
          expect(brokenJsonBound(text, tooLow)).toBe(name);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('lets nothing through that JSON.parse would make more of', () => {
    fc.assert(
      fc.property(hostileText, bounds, lengths, (text, held, cuts) => {
        const bytes = Buffer.from(text);
        const broken = brokenInPieces(bytes, cuts, held);
        expect(brokenInPieces(bytes, [bytes.length || 1], held)).toBe(broken);
        expect(brokenJsonBound(text, held)).toBe(broken);
        const value = parsed(text);
        if (value === undefined || broken !== null) return;
        const needed = needs(value);
        for (const name of NAMES) expect(needed[name]).toBeLessThanOrEqual(held[name]);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('counts a key that comes again', () => {
    expect(brokenJsonBound('{"a":1,"a":1,"a":1}', { ...NO_BOUNDS, keysInObject: 2 })).toBe('keysInObject');
    expect(brokenJsonBound('[{"a":1},{"a":1},{"a":1}]', { ...NO_BOUNDS, keysInObject: 1, keys: 2 })).toBe('keys');
  });

  it('holds a picture in a text to nothing but one value', () => {
    const picture = 'A'.repeat(100_000);
    expect(brokenJsonBound(`{"image":"${picture}"}`, { depth: 1, keysInObject: 1, keys: 1, values: 2 })).toBeNull();
  });

  it.each(Object.entries(HOSTILE_JSON))(
    'reads each byte of hostile text once, and no more once it is refused: %s',
    (_name, textOf) => {
      const held = { depth: 32, keysInObject: 256, keys: 10_000, values: 20_000 };
      const bytes = Buffer.from(textOf(1_000_000));
      const { result, reads } = countReads(bytes, (json) => createJsonGauge(held).add(json));
      expect(reads.most).toBeLessThanOrEqual(READS_OF_A_BYTE);
      if (result !== null) expect(reads.all).toBeLessThan(200_000);
      const value = parsed(bytes.toString());
      if (value === undefined || result !== null) return;
      for (const name of NAMES) expect(needs(value)[name]).toBeLessThanOrEqual(held[name]);
    },
  );
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
