import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import {
  FILTER_RULES,
  FLAG,
  INTEGER,
  NUMBER,
  oneOf,
  parseFilter,
  parseSort,
  PLATE,
  TEXT,
  TIME,
  TIME_BOUND,
} from '../../../cloud/rest/list/filter-parser.js';
import { parseTime } from '../../../cloud/rest/field/iso-time-codec.js';

const FIELDS = {
  id: INTEGER,
  confidence: NUMBER,
  name: TEXT,
  plate: PLATE,
  is_active: FLAG,
  created_at: TIME,
  status: oneOf(['open', 'ended']),
  date_from: TIME_BOUND,
  date_to: TIME_BOUND,
};

const parse = (text: string) => parseFilter(text, FIELDS);
const parsed = (text: string) => {
  const result = parse(text);
  if ('problem' in result) throw new Error(result.problem);
  return result.parsed;
};
const values = (text: string) => parsed(text).values;

describe('a filter', () => {
  it('is field, rule, and all that follows the second colon', () => {
    expect(parsed('name:eq:a:b,c: d')).toEqual({ field: 'name', rule: 'eq', values: ['a:b,c: d'] });
    expect(values('name:eq:')).toEqual(['']);
    expect(values('name:like:two\nlines')).toEqual(['two\nlines']);
  });

  it.each(FILTER_RULES.filter((rule) => !rule.startsWith('is')))('takes %s on text', (rule) => {
    expect(parsed(`name:${rule}:x`)).toEqual({ field: 'name', rule, values: ['x'] });
  });

  it.each(['isnull', 'isnotnull'] as const)('takes no value with %s', (rule) => {
    for (const text of [`id:${rule}`, `id:${rule}:`]) expect(parsed(text)).toEqual({ field: 'id', rule, values: [] });
    expect(parse(`id:${rule}:1`)).toHaveProperty('problem');
  });

  it.each([
    ['id:in:1,2,-3', [1, 2, -3]],
    ['name:nin:a,,b', ['a', '', 'b']],
    ['confidence:gte:0.25', [0.25]],
    ['is_active:eq:true', [1]],
    ['is_active:in:0,true', [0, 1]],
    ['plate:eq:zg 12-34 ab', ['ZG1234AB']],
    ['plate:like:%', []],
    ['plate:neq:', []],
    ['plate:nlike:\0', []],
    ['plate:in:zg-1,_,st 2', ['ZG1', 'ST2']],
    ['status:in:open,ended', ['open', 'ended']],
    ['created_at:lt:2026-01-15T12:00:00.000Z', [Date.UTC(2026, 0, 15, 12)]],
    ['created_at:lt:2026-01-15T12:00:00+02:00', [Date.UTC(2026, 0, 15, 10)]],
    ['created_at:lt:2026-01-15T12:00:00 02:00', [Date.UTC(2026, 0, 15, 10)]],
    ['created_at:lt:2026-01-15T12:00-05:30', [Date.UTC(2026, 0, 15, 17, 30)]],
    // A day of the lot, which only the list knows.
    ['date_from:eq:2026-01-15', ['2026-01-15']],
    ['date_to:eq:2026-01-15', ['2026-01-15']],
    ['date_to:eq:2026-01-15T00:00:00Z', [Date.UTC(2026, 0, 15)]],
  ])('%s', (text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  it.each([
    '',
    'id',
    'id:eq',
    'id:eq:',
    'id:eq:one',
    'id:eq:1.5',
    'id:eq:1e3',
    'id:eq: 1',
    'id:eq:9999999999999999',
    'id:in:1,',
    'id:in:',
    'id:like:1',
    'id:EQ:1',
    'id:equals:1',
    'ID:eq:1',
    ' id:eq:1',
    'toString:eq:1',
    '__proto__:eq:1',
    'constructor:isnull',
    'confidence:eq:NaN',
    'confidence:eq:1e300',
    'is_active:eq:yes',
    'is_active:gt:0',
    'is_active:eq:constructor',
    'status:eq:OPEN',
    'status:like:op',
    'name:eq:a\0b',
    'created_at:eq:2026-02-30T00:00:00Z',
    'created_at:eq:2026-02-29',
    'created_at:eq:2026-13-01',
    'created_at:eq:2026-01-15T12:00:00',
    'created_at:eq:2026-01-15T25:00:00Z',
    'created_at:eq:now',
    'created_at:eq:1768478400000',
    'date_from:gte:2026-01-15',
    'date_to:eq:',
  ])('%j is refused', (text) => {
    expect(parse(text)).toEqual({ problem: expect.any(String) });
  });

  it('takes 500 values and no more', () => {
    const list = (count: number) => `id:in:${Array.from({ length: count }, (_, index) => index).join(',')}`;
    expect(values(list(500))).toHaveLength(500);
    expect(parse(list(501))).toHaveProperty('problem');
  });

  it('never throws, and gives values of the field it names', () => {
    const fieldText = fc.oneof(fc.constantFrom(...Object.keys(FIELDS)), fc.string());
    const ruleText = fc.oneof(fc.constantFrom(...FILTER_RULES), fc.string());
    const anyText = fc.oneof(fc.string(), fc.string({ unit: fc.anyCharacter }), fc.integer().map(String));
    fc.assert(
      fc.property(fieldText, ruleText, anyText, (field, rule, value) => {
        const result = parse(`${field}:${rule}:${value}`);
        if ('problem' in result) return;
        const condition = result.parsed;
        expect(Object.keys(FIELDS)).toContain(condition.field);
        expect(FILTER_RULES).toContain(condition.rule);
        for (const each of condition.values) expect(['string', 'number']).toContain(typeof each);
      }),
    );
  });

  it('reads every time that it shows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (at) => {
        expect(parseTime(new Date(at).toISOString())).toBe(at);
      }),
    );
  });
});

describe('a sort', () => {
  it('is a field and a direction', () => {
    expect(parseSort('id:asc', ['id'])).toEqual({ parsed: { field: 'id', direction: 'asc' } });
    expect(parseSort('name:desc', ['id', 'name'])).toEqual({ parsed: { field: 'name', direction: 'desc' } });
  });

  it.each(['', 'id', 'id:', 'id:up', 'id:ASC', 'id:asc:', 'name:asc', 'toString:asc', ':asc', 'id:asc,name:asc'])(
    '%j is refused',
    (text) => {
      expect(parseSort(text, ['id'])).toEqual({ problem: expect.any(String) });
    },
  );
});
