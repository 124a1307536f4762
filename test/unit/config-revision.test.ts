import * as fc from '../property.js';
import { describe, expect, it } from 'vitest';
import {
  applyConfigMessage,
  canonicalJson,
  changeRevision,
  EMPTY_REVISION,
  type HeldSection,
  murmur3,
  revisionOf,
} from '../../shared/config-revision.js';

const jsonItem = fc.jsonValue({ maxDepth: 3 });
const sectionItems = fc.dictionary(fc.string(), jsonItem, { maxKeys: 12 }).map((items) => Object.entries(items));

/** Objects with their keys in the opposite order, all the way down. */
function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, each]) => [key, reversedKeys(each)]),
  );
}

const hex = (text: string) =>
  Array.from(murmur3(new TextEncoder().encode(text)), (word) => word.toString(16).padStart(8, '0')).join('');

const held = (items: [string, unknown][]): HeldSection => ({ items: new Map(items), revision: revisionOf(items) });

describe('murmur3', () => {
  it('gives the published values of MurmurHash3_x86_128', () => {
    expect(hex('')).toBe('00000000000000000000000000000000');
    expect(hex('The quick brown fox jumps over the lazy dog')).toBe('2f1583c3ecee2c675d7bf66ce5e91d2c');
  });
});

describe('revision of a configuration section', () => {
  it('is that of no items when empty', () => {
    expect(revisionOf([])).toBe(EMPTY_REVISION);
  });

  it('does not depend on the order of items, nor of the keys inside them', () => {
    fc.assert(
      fc.property(sectionItems, (items) => {
        const other = items.toReversed().map(([key, item]): [string, unknown] => [key, reversedKeys(item)]);
        expect(revisionOf(other)).toBe(revisionOf(items));
      }),
    );
  });

  it('is another when an item, a key or a value is another', () => {
    fc.assert(
      fc.property(sectionItems, fc.string(), jsonItem, jsonItem, (items, key, one, other) => {
        fc.pre(!items.some(([existing]) => existing === key));
        fc.pre(canonicalJson(one) !== canonicalJson(other));
        const revisions = [items, [...items, [key, one]], [...items, [key, other]], [...items, [`${key}x`, one]]].map(
          (each) => revisionOf(each as [string, unknown][]),
        );
        expect(new Set(revisions).size).toBe(4);
      }),
    );
  });

  it('follows changes without the other items', () => {
    fc.assert(
      fc.property(sectionItems, sectionItems, (before, after) => {
        expect(changeRevision(revisionOf(before), { removed: before, added: after })).toBe(revisionOf(after));
      }),
    );
  });

  it('survives the way through JSON', () => {
    fc.assert(
      fc.property(sectionItems, (items) => {
        expect(revisionOf(JSON.parse(JSON.stringify(items)) as [string, unknown][])).toBe(revisionOf(items));
      }),
    );
    expect(canonicalJson({ b: undefined, a: [undefined, -0], c: 1 })).toBe('{"a":[null,0],"c":1}');
  });
});

describe('applying a configuration message', () => {
  it('takes a delta from any section to any other, and the snapshot of it', () => {
    fc.assert(
      fc.property(sectionItems, sectionItems, (before, after) => {
        const target = new Map(after);
        const upsert = JSON.parse(JSON.stringify(Object.fromEntries(after))) as Record<string, unknown>;
        const remove = before.map(([key]) => key).filter((key) => !target.has(key));
        const section = held(before);
        const delta = { base: section.revision, revision: revisionOf(after), upsert, remove };
        expect(applyConfigMessage(section, delta)).toBe('applied');
        expect(revisionOf(section.items)).toBe(delta.revision);
        expect(section.revision).toBe(delta.revision);

        const other = held(before);
        expect(applyConfigMessage(other, { ...delta, base: null, remove: [] })).toBe('applied');
        expect(new Set(other.items.keys())).toEqual(new Set(target.keys()));
      }),
    );
  });

  it('leaves the section as it is when the base or the result is not what the message says', () => {
    const items: [string, unknown][] = [['A1', { n: 1 }]];
    const section = held(items);
    const fits = { base: section.revision, revision: revisionOf([['B2', 2]]), upsert: { B2: 2 }, remove: ['A1'] };
    for (const message of [
      { ...fits, base: EMPTY_REVISION },
      { ...fits, remove: [] },
      { ...fits, base: null, upsert: { B2: 3 } },
    ]) {
      expect(applyConfigMessage(section, message)).toBe('mismatch');
      expect(section).toEqual(held(items));
    }
    expect(applyConfigMessage(section, fits)).toBe('applied');
  });

  it('removes before it adds, as the store does', () => {
    const section = held([['A1', 1]]);
    const message = {
      base: section.revision,
      revision: revisionOf([['A1', 2]]),
      upsert: { A1: 2 },
      remove: ['A1', 'gone'],
    };
    expect(applyConfigMessage(section, message)).toBe('applied');
    expect(section.items.get('A1')).toBe(2);
  });
});
