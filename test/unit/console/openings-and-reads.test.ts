import { describe, expect, it } from 'vitest';
import { filterOfKind } from '../../../cloud/console/wording/audit-kinds.js';
import { CONSOLE_WORDS } from '../../../cloud/console/wording/en.js';
import { findEntries } from '../../../cloud/console/wording/find-entries.js';
import {
  countsByGate,
  countsByHour,
  countsByHourOfDay,
  type HourlyCount,
} from '../../../cloud/console/wording/opening-counts.js';
import { filterOfPlate } from '../../../cloud/console/wording/read-search.js';

const count = (of: Partial<HourlyCount>): HourlyCount => ({
  product_id: 1,
  period_start: null,
  hour: null,
  openings_count: 1,
  failed_count: 0,
  ...of,
});

describe('counts of openings', () => {
  it('stand at the hours of the plot, those of all gates together', () => {
    const starts = [0, 3_600_000, 7_200_000];
    const at = (ms: number) => new Date(ms).toISOString();
    const counts = [
      count({ period_start: at(0), openings_count: 2, failed_count: 1 }),
      count({ period_start: at(0), product_id: 2 }),
      count({ period_start: at(7_200_000), openings_count: 5 }),
      count({ period_start: at(99) }),
    ];
    expect(countsByHour(counts, starts)).toEqual({ asked: [3, 0, 5], failed: [1, 0, 0] });
  });

  it('by the hour of the day have 24 points', () => {
    const { asked, failed } = countsByHourOfDay([count({ hour: 7, openings_count: 4, failed_count: 2 })]);
    expect([asked.length, asked[7], failed[7], asked[8]]).toEqual([24, 4, 2, 0]);
  });

  it('by gate name the busiest hour, the gate with the most first', () => {
    const counts = [
      count({ hour: 7, openings_count: 4 }),
      count({ hour: 8, openings_count: 1, failed_count: 1 }),
      count({ product_id: 2, hour: 0, openings_count: 9 }),
    ];
    expect(countsByGate(counts)).toEqual([
      { product_id: 2, asked: 9, failed: 0, busiest: 0 },
      { product_id: 1, asked: 5, failed: 1, busiest: 7 },
    ]);
  });
});

describe('the search for a plate among all reads', () => {
  it.each([
    ['', false, []],
    [' ZG 12 ', false, ['plate:like:ZG 12']],
    ['ZG 12', true, ['plate:look_alike:ZG 12']],
    ['ZG?12*', false, ['plate:match:ZG?12*']],
    ['ZG?12*', true, ['plate:match:ZG?12*']],
  ])('%j, alike %s: %j', (plate, isAlike, filter) => {
    expect(filterOfPlate({ plate, isAlike })).toEqual(filter);
  });

  const pathsFor = (text: string) =>
    findEntries(text, { views: [], lots: [], products: [], forms: [], people: [] }, CONSOLE_WORDS).flatMap(
      ({ name, target }) => ('path' in target ? [[name, target.path]] : []),
    );

  it('is offered by the palette for a plate, and for one with wildcards', () => {
    expect(pathsFor('ZG?12*')).toEqual([['Search reads for ZG?12*', '/reads?plate=ZG%3F12*']]);
    expect(pathsFor('ZG 1234')).toEqual([['Search reads for ZG 1234', '/reads?plate=ZG%201234']]);
    expect(pathsFor('?*')).toEqual([]);
    expect(pathsFor('where?')).toEqual([['Search reads for where?', '/reads?plate=where%3F']]);
  });
});

describe('the kinds of entries in the audit log', () => {
  it('are a part of an action, and all actions that move barriers and gates', () => {
    expect(filterOfKind('')).toEqual([]);
    expect(filterOfKind('zone')).toEqual(['action:like:zone']);
    const [movements = ''] = filterOfKind('product');
    expect(movements).toMatch(/^action:in:product\.create,/);
    expect(movements.split(',')).toEqual(expect.arrayContaining(['weblink.operation', 'lot.release', 'product.state']));
  });
});
