import { describe, expect, it } from 'vitest';
import { decideShown } from '../../../agent/display/decide-shown.js';
import { countZones, withOccupied } from '../../../shared/display/count-zones.js';
import {
  decideDisplayText,
  type DisplayFacts,
  type DisplayRule,
  type RuleOperator,
} from '../../../shared/display/decide-display-text.js';

const FACTS: DisplayFacts = { occupied: 3, total: 10, free: 7, zone: 'Level 0', lot: 'North', at_ms: 1_000 };
const rule = (id: number, changed: Partial<DisplayRule> = {}): DisplayRule => ({
  id,
  operator: 'gte',
  occupied_value: 0,
  occupied_value_to: null,
  display_text: `rule ${id}`,
  order: id,
  start_ms: null,
  end_ms: null,
  ...changed,
});
const shown = (rules: DisplayRule[], facts: Partial<DisplayFacts> = {}) =>
  decideDisplayText({ rules, stale_text: '--' }, { ...FACTS, ...facts });

describe('the text of a display', () => {
  it.each<[operator: RuleOperator, value: number, to: number | null, fits: number[]]>([
    ['eq', 3, null, [3]],
    ['neq', 3, null, [1, 2, 4, 5]],
    ['gt', 3, null, [4, 5]],
    ['gte', 3, null, [3, 4, 5]],
    ['lt', 3, null, [1, 2]],
    ['lte', 3, null, [1, 2, 3]],
    ['between', 2, 4, [2, 3, 4]],
    ['gt', 3, 1, [4, 5]],
  ])('a rule with %s %i (to %s) fits %j', (operator, occupied_value, occupied_value_to, fits) => {
    const fitting = [1, 2, 3, 4, 5].filter(
      (occupied) => shown([rule(1, { operator, occupied_value, occupied_value_to })], { occupied }).rule_id === 1,
    );
    expect(fitting).toEqual(fits);
  });

  it('is that of the first rule in their order, and of the older one of two', () => {
    expect(shown([rule(1, { order: 9 }), rule(3, { order: 2 }), rule(2, { order: 2 })])).toEqual({
      text: 'rule 2',
      rule_id: 2,
    });
  });

  it('is that of rules that count at the time', () => {
    const window = rule(1, { start_ms: 1_000, end_ms: 2_000 });
    expect([999, 1_000, 1_999, 2_000].map((at_ms) => shown([window], { at_ms }).rule_id)).toEqual([null, 1, 1, null]);
  });

  it('is the stale text when no rule fits', () => {
    expect(shown([])).toEqual({ text: '--', rule_id: null });
  });

  it('has the numbers and names in their places, and leaves other words in braces', () => {
    const text = '{free}/{total} free, {occupied} taken: {zone}, {lot} {other} {';
    expect(shown([rule(1, { display_text: text })]).text).toBe('7/10 free, 3 taken: Level 0, North {other} {');
    // What a name holds is no pattern.
    expect(shown([rule(1, { display_text: '{zone}' })], { zone: '$& {lot}' }).text).toBe('$& {lot}');
  });
});

describe('zones that are counted together', () => {
  const zone = (spot_count: number, occupied: number) => ({ spot_count, occupied });

  it.each([
    ['limited', [zone(10, 4), zone(5, 1)], { occupied: 5, total: 15, free: 10 }],
    ['one overfull', [zone(10, 12), zone(5, 1)], { occupied: 13, total: 15, free: 4 }],
    ['one without a limit', [zone(10, 4), zone(0, 50)], { occupied: 54, total: 10, free: 6 }],
    ['none limited', [zone(0, 50)], { occupied: 50, total: null, free: null }],
  ])('%s', (_, zones, counted) => {
    expect(countZones(zones)).toEqual(counted);
  });

  it('show no number where there is no limit', () => {
    const unlimited = { free: null, total: null };
    const text = (display_text: string) => shown([rule(1, { display_text })], unlimited).text;
    expect([text('{free} FREE'), text('P {free}'), text('{occupied} of {total} {zone}')]).toEqual([
      'FREE',
      'P ',
      '3 of Level 0',
    ]);
  });

  it('have so many vehicles as somebody asks', () => {
    expect(withOccupied(countZones([zone(10, 4), zone(0, 50)]), 12)).toEqual({ occupied: 12, total: 10, free: 0 });
    expect(withOccupied(countZones([zone(0, 50)]), 12)).toEqual({ occupied: 12, total: null, free: null });
  });
});

describe('what a gateway shows', () => {
  const zone = { name: 'Level 0', spot_count: 10, occupied: 4, is_known: true };
  const display = { zone_id: null, rules: [rule(1, { display_text: '{free} of {total} {zone}' })], stale_text: '--' };

  it('counts all zones of a lot together', () => {
    const zones = [zone, { ...zone, name: 'Level 1', spot_count: 5, occupied: 1 }];
    const open = { ...zone, name: 'Meadow', spot_count: 0, occupied: 90 };
    expect(decideShown(display, { zones: [...zones, open], lot: 'North', at_ms: 0 }).text).toBe('10 of 15 ');
    expect(decideShown(display, { zones, lot: 'North', at_ms: 0 })).toEqual({ text: '10 of 15 ', is_stale: false });
  });

  it('is the stale text while one of them is not known, or none', () => {
    const stale = { text: '--', is_stale: true };
    expect(decideShown(display, { zones: [zone, { ...zone, is_known: false }], lot: '', at_ms: 0 })).toEqual(stale);
    expect(decideShown(display, { zones: [], lot: '', at_ms: 0 })).toEqual(stale);
  });
});
