import { array, assert, dictionary, property, string, type Arbitrary } from '../../property.js';
import { describe, expect, it } from 'vitest';
import {
  deltaText,
  EMPTY_SECTION,
  nextSection,
  snapshotText,
} from '../../../cloud/doors/configuration/config-section.js';
import { applyConfigMessage, EMPTY_REVISION, revisionOf, type HeldSection } from '../../../shared/config-revision.js';
import { configMessageSchema } from '../../../shared/gateway-config.js';
import type { OutboxEpoch } from '../../../shared/uplink.js';

const applied = { epoch: '0'.repeat(32) as OutboxEpoch, seq: 3 };
const read = (text: string) => configMessageSchema.parse(JSON.parse(text));
const items: Arbitrary<Record<string, { text: string }>> = dictionary(
  string({ minLength: 1, maxLength: 3 }),
  string({ maxLength: 2 }).map((text) => ({ text })),
  { maxKeys: 8, noNullPrototype: true },
);

describe('a configuration section', () => {
  it('is the same at the gateway after a snapshot and any deltas, and its revision is that of its items', () => {
    assert(
      property(items, array(items, { maxLength: 6 }), (first, changes) => {
        const held: HeldSection = { revision: EMPTY_REVISION, items: new Map() };
        let state = nextSection(EMPTY_SECTION, Object.entries(first));
        expect(applyConfigMessage(held, read(snapshotText('plates', state, null)))).toBe('applied');
        for (const change of changes) {
          const next = nextSection(state, Object.entries(change));
          expect(applyConfigMessage(held, read(deltaText('plates', { from: state, to: next, applied })))).toBe(
            'applied',
          );
          expect(held.items).toEqual(new Map(Object.entries(change)));
          expect(next.revision).toBe(revisionOf(Object.entries(change)));
          state = next;
        }
      }),
    );
  });

  it('is the same object when nothing changed, in whatever order the items come', () => {
    const state = nextSection(EMPTY_SECTION, [
      ['a', { n: 1 }],
      ['b', { n: 2 }],
    ]);
    const again = nextSection(state, [
      ['b', { n: 2 }],
      ['a', { n: 1 }],
    ]);
    expect(again).toBe(state);
    expect(nextSection(EMPTY_SECTION, [])).toBe(EMPTY_SECTION);
  });

  it('travels as what changed, with what is in it already', () => {
    const from = nextSection(EMPTY_SECTION, [
      ['kept', 1],
      ['changed', 1],
      ['gone', 1],
    ]);
    const to = nextSection(from, [
      ['kept', 1],
      ['changed', 2],
      ['"new"', 1],
    ]);
    expect(read(deltaText('sessions', { from, to, applied }))).toEqual({
      section: 'sessions',
      base: from.revision,
      revision: to.revision,
      upsert: { changed: 2, '"new"': 1 },
      remove: ['gone'],
      applied,
    });
    expect(read(deltaText('sessions', { from: to, to, applied }))).toMatchObject({ upsert: {}, remove: [], applied });
  });
});
