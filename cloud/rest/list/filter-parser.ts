/**
 * Parses `filter` and `sort` of lists (REST contract, "Common rules"). Pure: `list-fields.ts` knows which column a field is.
 */
import { parseMoment } from '../field/iso-time-codec.js';
import { normalisePlate, PLATE_LENGTH_MAX } from '../../../shared/plate/normalise-plate.js';
import { parsePlatePattern } from './plate-pattern-parser.js';

export const FILTER_RULES = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'nlike',
  'in',
  'nin',
  'isnull',
  'isnotnull',
] as const;
/** Of plates: by wildcards, and those that cameras may take for each other. */
export const PLATE_RULES = [...FILTER_RULES, 'match', 'look_alike'] as const;
export type FilterRule = (typeof PLATE_RULES)[number];

/** Whether the rule accepts no value. */
export const hasNoValue = (rule: FilterRule): boolean => rule === 'isnull' || rule === 'isnotnull';

/** A day of a time zone, which a bare date became: from its beginning until just before its end, in wall milliseconds. */
export interface DaySpan {
  from_ms: number;
  to_ms: number;
}

export type FilterValue = string | number | DaySpan;

/**
 * One `filter`; a row must match all filters of a request. `values` holds none for `isnull` and `isnotnull`, several for `in` and `nin`,
 * and one for the other rules. A rule that needs values and has none matches no row: none of the values can occur.
 */
export interface Condition {
  field: string;
  rule: FilterRule;
  values: readonly FilterValue[];
  /** Whom it asks about; the audit log has an entry of each such search. */
  names?: Named;
  /** It compares a time: its values are `MomentOrDate` until `inLocalDays` has replaced dates by days. */
  isTime?: true;
}

export interface Sort {
  field: string;
  direction: 'asc' | 'desc';
}

/** Whom the values of a field name: a vehicle by its plate, or a person by name, mail or telephone. */
export type Named = 'plate' | 'person';

/** The values that a field may have, and the rules that make sense for them. */
export interface FieldKind {
  rules: readonly FilterRule[];
  /** For people: "... must be <expected>". */
  expected: string;
  /** Left out: values of the field name nobody. */
  names?: Named;
  /** Parses a value. undefined: the text is not of this kind. null: it is, but no row can have such a value. */
  parse(text: string, rule: FilterRule): FilterValue | null | undefined;
  isTime?: true;
}

const EQUALITY = ['eq', 'neq', 'in', 'nin', 'isnull', 'isnotnull'] as const;
const ORDER = [...EQUALITY, 'gt', 'gte', 'lt', 'lte'] as const;

const IN_VALUES_MAX = 500;

export const INTEGER: FieldKind = {
  rules: ORDER,
  expected: 'a whole number',
  parse: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined),
};

export const NUMBER: FieldKind = {
  rules: ORDER,
  expected: 'a number',
  parse: (text) => (/^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined),
};

/** Names are kept in one form (NFC), and so are the values that they are compared with. */
export const TEXT: FieldKind = {
  rules: FILTER_RULES,
  expected: 'text',
  parse: (text) => (text.includes('\0') ? undefined : text.normalize('NFC')),
};

/** Plates are compared normalised: without regard to case, spaces and dashes. A text without a letter or digit is no plate. */
export const PLATE: FieldKind = {
  rules: PLATE_RULES,
  expected: 'a licence plate, with at most 8 * for match',
  names: 'plate',
  parse(text, rule) {
    if (rule === 'match') return parsePlatePattern(text);
    const plate = normalisePlate(text);
    return plate === '' || (rule === 'look_alike' && plate.length > PLATE_LENGTH_MAX) ? null : plate;
  },
};

const FLAGS = new Map([
  ['0', 0],
  ['1', 1],
  ['false', 0],
  ['true', 1],
]);

/** A flag, 0 or 1 in the database. */
export const FLAG: FieldKind = {
  rules: EQUALITY,
  expected: '0, 1, true or false',
  parse: (text) => FLAGS.get(text),
};

/** Wall milliseconds, or a bare date. */
export const TIME: FieldKind = {
  rules: ORDER,
  isTime: true,
  expected: 'an ISO 8601 datetime with Z or an offset, or a date',
  parse: parseMoment,
};

/** `date_from` and `date_to`: at or after, and at or before. */
export const TIME_BOUND: FieldKind = { ...TIME, rules: ['eq'] };

/** One of a few words. */
export function oneOf(words: readonly string[]): FieldKind {
  return {
    rules: EQUALITY,
    expected: `one of ${words.join(', ')}`,
    parse: (text) => (words.includes(text) ? text : undefined),
  };
}

export type Parsed<T> = { parsed: T } | { problem: string };

/** @param text `field:rule:value`; the value is all that follows the second colon */
export function parseFilter(text: string, fields: Readonly<Record<string, FieldKind>>): Parsed<Condition> {
  const [, field = '', ruleText = '', valueText] = /^([^:]*):([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const kind = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (kind === undefined) return { problem: `Unknown field: allowed are ${Object.keys(fields).join(', ')}` };
  const rule = kind.rules.find((each) => each === ruleText);
  if (rule === undefined) return { problem: `Unknown rule of ${field}: allowed are ${kind.rules.join(' ')}` };
  if (hasNoValue(rule)) {
    return (valueText ?? '') === ''
      ? { parsed: { field, rule, values: [] } }
      : { problem: `the rule ${field}:${rule} takes no value` };
  }
  if (valueText === undefined) return { problem: `the rule ${field}:${rule} needs a value` };
  const texts = rule === 'in' || rule === 'nin' ? valueText.split(',') : [valueText];
  if (texts.length > IN_VALUES_MAX)
    return { problem: `the rule ${field}:${rule} takes at most ${IN_VALUES_MAX} values` };
  const parsed = texts.map((each) => kind.parse(each, rule));
  if (parsed.includes(undefined)) return { problem: `the value of ${field} must be ${kind.expected}` };
  const values = parsed.filter((value) => value !== undefined && value !== null);
  return {
    parsed: {
      field,
      rule,
      values,
      ...(kind.names === undefined ? {} : { names: kind.names }),
      ...(kind.isTime ? { isTime: true } : {}),
    },
  };
}

/** @param text `field:asc` or `field:desc` */
export function parseSort(text: string, fields: readonly string[]): Parsed<Sort> {
  const [, field = '', direction] = /^([^:]*):(asc|desc)$/.exec(text) ?? [];
  if (direction === undefined) return { problem: 'Must be field:asc or field:desc' };
  if (!fields.includes(field)) return { problem: `Unknown field: allowed are ${fields.join(', ')}` };
  return { parsed: { field, direction: direction === 'asc' ? 'asc' : 'desc' } };
}
