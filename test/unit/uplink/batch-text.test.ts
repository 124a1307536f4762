import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { splitBatch } from '../../../cloud/traffic/ingest/read/batch-text-parser.js';
import { BATCH_RECORDS_MAX } from '../../../shared/uplink-bounds.js';
import { HOSTILE_JSON } from '../../attack/hostile-json.js';
import { runs } from '../../depth.js';
import { countReads } from '../counted-bytes.js';

/** How deep a value is nested, and how many commas its text has outside of strings. */
function measured(value: unknown): { nesting: number; members: number } {
  if (typeof value !== 'object' || value === null) return { nesting: 0, members: 0 };
  const inner = Object.values(value).map(measured);
  return {
    nesting: 1 + Math.max(0, ...inner.map(({ nesting }) => nesting)),
    members: Math.max(0, inner.length - 1) + inner.reduce((sum, { members }) => sum + members, 0),
  };
}

/** The search for a string's end, the look at what comes before it, the reading itself, and each of the pieces that are cut out. */
const READS_MAX = 6;

const texts = (json: string) => splitBatch(Buffer.from(json));

const readsOf = (json: Uint8Array) => countReads(json, splitBatch);

/** Pieces of which hostile text is made. */
const PIECES = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  '\\"',
  ',',
  ':',
  ' ',
  '"records"',
  '"records":[',
  '1',
  'x',
  '\u0000',
  '€',
];
const hostileText = fc.array(fc.constantFrom(...PIECES), { maxLength: 200 }).map((pieces) => pieces.join(''));

describe('the text of a batch', () => {
  it('is split into what a JSON parser finds, however it is written', () => {
    const record = fc.oneof(
      fc.json(),
      fc.json({ maxDepth: 6 }),
      fc.string().map((text) => JSON.stringify(text)),
    );
    const space = fc.constantFrom('', ' ', '\n\t', '\r\n ');
    const batch = fc.record({
      records: fc.array(record, { maxLength: BATCH_RECORDS_MAX }),
      space,
      isFirst: fc.boolean(),
    });
    fc.assert(
      fc.property(batch, ({ records, space: s, isFirst }) => {
        const list = `"records"${s}:${s}[${s}${records.join(`${s},${s}`)}${s}]`;
        // Text that looks like the list, where it is none.
        const frame = `"epoch"${s}:"records",${s}"lane":{"records":[1,2]}`;
        const json = `${s}{${s}${isFirst ? `${list},${frame}` : `${frame},${list}`}${s}}${s}`;
        const found = texts(json);
        if ('problem' in found) throw new Error(found.problem);
        const whole = JSON.parse(json) as { records: unknown[] };
        expect(found.records.map(({ json: text }) => JSON.parse(Buffer.from(text).toString()))).toEqual(whole.records);
        expect(found.records.map(({ nesting, members }) => ({ nesting, members }))).toEqual(
          records.map((text) => measured(JSON.parse(text))),
        );
        expect(JSON.parse(found.frame)).toEqual({ ...whole, records: [] });
      }),
      { numRuns: runs(100) },
    );
  });

  it('never throws and is read a few times at most, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.string({ unit: fc.anyCharacter, maxLength: 300 })), (text) => {
        const { result, reads } = readsOf(Buffer.from(text));
        expect(reads.most).toBeLessThanOrEqual(READS_MAX);
        if ('problem' in result) expect(result.problem).not.toBe('');
        else expect(result.records.length).toBeLessThanOrEqual(BATCH_RECORDS_MAX);
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    ['backslashes', `{"records":["${'\\'.repeat(20_001)}`],
    ['escaped quotes', `{"records":["${'\\"'.repeat(20_000)}"]}`],
    ['strings', `{"records":[${'"",'.repeat(20_000)}""]}`],
    ['keys of a list', `{${'"records":1,'.repeat(5_000)}"records":[]}`],
    ['spaces before a list', `{"records"${' '.repeat(20_000)}:[]}`],
    ['keys and spaces', `{"records"${' '.repeat(200)}:`.repeat(100)],
  ])('is read a few times at most: %s', (_name, text) => {
    expect(readsOf(Buffer.from(text)).reads.most).toBeLessThanOrEqual(READS_MAX);
  });

  const places = {
    'as the batch': (text: string) => text,
    'as a record': (text: string) => `{"epoch":1,"records":[{"seq":1},${text},{"seq":3}]}`,
    'before the records': (text: string) => `{"epoch":${text},"records":[1]}`,
    'behind the records': (text: string) => `{"records":[1],"epoch":${text}}`,
    'as many records': (text: string) => `{"records":[${`${text},`.repeat(3)}${text}]}`,
  };
  const cases = Object.entries(HOSTILE_JSON).flatMap(([name, textOf]) =>
    Object.entries(places).map(([place, inPlace]) => [name, place, (bytes: number) => inPlace(textOf(bytes))] as const),
  );

  it.each(cases)(`costs at most ${READS_MAX} reads for each byte of a longer text: %s, %s`, (_name, _place, textOf) => {
    for (const bytes of [1_000, 10_000]) {
      const json = Buffer.from(textOf(bytes));
      const { most, all } = readsOf(json).reads;
      expect([most <= READS_MAX, all <= READS_MAX * json.length], `${most} of a byte, ${all} in all`).toEqual([
        true,
        true,
      ]);
    }
  });
});
