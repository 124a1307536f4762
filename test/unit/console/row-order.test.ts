import { describe, expect, it } from 'vitest';
import { whyApart } from '../../../cloud/console/wording/counts-apart.js';
import { CONSOLE_WORDS as en } from '../../../cloud/console/wording/en.js';
import { lateOf, newestFirst } from '../../../cloud/console/wording/reading-order.js';
import { inRowOrder, pressedOrder, rowOrderOf } from '../../../cloud/console/wording/row-order.js';

const at = (minute: number): string => new Date(Date.UTC(2026, 10, 29, 20, minute)).toISOString();
/** @param came in which minute it arrived */
const reading = (id: number, minute: number, came = minute, others: object = {}) => ({
  id,
  created_at: at(minute),
  updated_at: at(came),
  corrected_at: null,
  access_decision: 'triggered',
  ...others,
});
const idsOf = (items: readonly { id: number }[]): number[] => items.map(({ id }) => id);

describe('the order of readings', () => {
  it('is by when vehicles stood there, and for the same moment by what arrived last', () => {
    const arrived = [reading(1, 10), reading(2, 40), reading(3, 12, 41), reading(4, 40)];
    expect(idsOf(arrived.toSorted(newestFirst))).toEqual([4, 2, 3, 1]);
  });

  it('marks what arrived late, also when it is all that arrived', () => {
    expect([...lateOf([reading(1, 10), reading(2, 12, 41), reading(3, 13, 41), reading(4, 41)])]).toEqual([2, 3]);
    expect([...lateOf([reading(1, 10, 12), reading(2, 20)])]).toEqual([]);
  });

  it('does not take the hand of a person for an arrival', () => {
    const corrected = reading(1, 10, 50, { corrected_at: at(50) });
    const letIn = reading(2, 11, 50, { access_decision: 'denied' });
    expect([...lateOf([corrected, letIn, reading(3, 50)])]).toEqual([]);
    // Later reads had arrived before: these two were late whatever happened to them since.
    const lateToo = [
      { ...corrected, id: 4 },
      { ...letIn, id: 5 },
    ];
    expect([...lateOf([reading(3, 50), ...lateToo])]).toEqual([4, 5]);
  });

  it('does not call a history late that was written out of order, each reading at its time', () => {
    expect([...lateOf([reading(1, 40), reading(2, 10)])]).toEqual([]);
  });
});

describe('the order of rows', () => {
  const columns = [
    { key: 'plate', isDownFirst: false },
    { key: 'entered', isDownFirst: true },
  ];
  const usual = { by: 'entered', isDown: true };

  it.each([
    ['', usual],
    ['plate', { by: 'plate', isDown: false }],
    ['-plate', { by: 'plate', isDown: true }],
    ['entered', { by: 'entered', isDown: false }],
    ['-', usual],
    ['"><img src=x>', usual],
  ])('is read from the address %j', (text, wanted) => {
    expect(rowOrderOf(text, columns, usual)).toEqual(wanted);
  });

  it('changes with each press on a head, and the address is empty in the usual one', () => {
    const [plate, entered] = columns as [(typeof columns)[0], (typeof columns)[0]];
    const press = (column: typeof plate, text: string) => pressedOrder(column, rowOrderOf(text, columns, usual), usual);
    expect([press(plate, ''), press(plate, 'plate'), press(plate, '-plate')]).toEqual(['plate', '-plate', 'plate']);
    expect([press(entered, ''), press(entered, 'entered'), press(entered, 'plate')]).toEqual(['entered', '', '']);
  });

  it('leaves equal rows as they were, both ways', () => {
    const rows = [
      { id: 1, due: 2 },
      { id: 2, due: 5 },
      { id: 3, due: 2 },
    ];
    const byDue = (a: { due: number }, b: { due: number }) => a.due - b.due;
    expect(idsOf(inRowOrder(rows, byDue, { by: 'due', isDown: false }))).toEqual([1, 3, 2]);
    expect(idsOf(inRowOrder(rows, byDue, { by: 'due', isDown: true }))).toEqual([2, 1, 3]);
  });
});

describe('taken and inside', () => {
  const zone = (occupied_count: number, sensors: number | null) => ({ occupied_count, counts: { sensors } });

  it('are not explained while they are the same', () => {
    expect(whyApart([zone(3, 3), zone(1, null)], 4, en)).toBeNull();
  });

  it('differ by what sensors see, or by stays that do not count any more', () => {
    expect(whyApart([zone(14, 14)], 10, en)).toBe(en.overview.whySensors);
    expect(whyApart([zone(14, null)], 29, en)).toBe(en.overview.whyStays);
  });
});
