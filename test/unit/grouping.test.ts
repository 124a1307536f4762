import { describe, expect, it } from 'vitest';
import { groupBy, inPieces, pushTo } from '../../shared/grouping.js';

describe('groups', () => {
  it('come in the order of their first values, with the values in their own order', () => {
    const groups = groupBy(['pear', 'fig', 'plum', 'kiwi', 'nut'], (word) => word.length);
    expect([...groups]).toEqual([
      [4, ['pear', 'plum', 'kiwi']],
      [3, ['fig', 'nut']],
    ]);
  });

  it('are none of no values', () => {
    expect(groupBy([], () => 1).size).toBe(0);
  });

  it('grow at the end', () => {
    const lists = new Map([['a', [1]]]);
    pushTo(lists, 'a', 2);
    pushTo(lists, 'b', 3);
    expect(Object.fromEntries(lists)).toEqual({ a: [1, 2], b: [3] });
  });
});

describe('pieces', () => {
  it.each([
    [0, []],
    [1, [[0]]],
    [3, [[0, 1, 2]]],
    [4, [[0, 1, 2], [3]]],
  ])('hold at most three of %i values', (count, pieces) => {
    expect(inPieces([...Array(count).keys()], 3)).toEqual(pieces);
  });
});
