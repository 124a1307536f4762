/** Two people who change one thing. */
import { describe, expect, it } from 'vitest';
import { mergeEdits } from '../../../cloud/console/wording/merge-edits.js';

const base = { name: 'Level 0', spots: '40', tariff_ids: [1], isPublic: true };

describe('two edits of one thing', () => {
  it('count both where each is of another field', () => {
    const mine = { ...base, spots: '45' };
    const theirs = { ...base, name: 'Deck', tariff_ids: [1, 2] };
    expect(mergeEdits(base, mine, theirs)).toEqual({
      merged: { name: 'Deck', spots: '45', tariff_ids: [1, 2], isPublic: true },
      adopted: ['name', 'tariff_ids'],
      clashes: [],
    });
  });

  it('clash where both changed a field, and not where they changed it to the same', () => {
    const mine = { ...base, spots: '45', isPublic: false };
    const theirs = { ...base, spots: '50', isPublic: false };
    expect(mergeEdits(base, mine, theirs)).toEqual({ merged: mine, adopted: [], clashes: ['spots'] });
  });

  it('are none where nobody changed anything, and where only the one did', () => {
    expect(mergeEdits(base, base, { ...base, tariff_ids: [1] })).toEqual({ merged: base, adopted: [], clashes: [] });
    const mine = { ...base, name: 'Deck' };
    expect(mergeEdits(base, mine, base)).toEqual({ merged: mine, adopted: [], clashes: [] });
  });
});
