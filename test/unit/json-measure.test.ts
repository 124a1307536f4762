import * as fc from '../property.js';
import { describe, expect, it } from 'vitest';
import { type JsonMeasure, measureJson, scanJson } from '../../shared/json-measure.js';
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
