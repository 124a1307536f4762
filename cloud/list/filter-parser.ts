/**
 * `filter` and `sort` of lists as text -> what they mean (REST contract, "Common rules"). Pure: which column a field is, the
 * store knows (`store/lists`).
 */
import { normalisePlate } from '../../shared/plate/normalise-plate.js';

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
export type FilterRule = (typeof FILTER_RULES)[number];

export type FilterValue = string | number;

/** One `filter`: all of a request's must match. `values`: none for `isnull` and `isnotnull`, several for `in` and `nin`. */
export interface Condition {
  field: string;
  rule: FilterRule;
  values: readonly FilterValue[];
  /** Whose car is looked for: such searches are told to the audit log. */
  isPlate?: true;
}

export interface Sort {
  field: string;
  direction: 'asc' | 'desc';
}

/** What values a field has, and which rules make sense for them. */
export interface FieldKind {
  rules: readonly FilterRule[];
  /** For people: "... must be <expected>". */
  expected: string;
  /** undefined: not of this kind. */
  parse(text: string): FilterValue | undefined;
}

const EQUALITY = ['eq', 'neq', 'in', 'nin', 'isnull', 'isnotnull'] as const;
const ORDER = [...EQUALITY, 'gt', 'gte', 'lt', 'lte'] as const;

const IN_VALUES_MAX = 500;

/** No stored plate is compared as this: a value without a letter or digit is the text of no plate. */
const NO_PLATE = '-';

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

export const TEXT: FieldKind = {
  rules: FILTER_RULES,
  expected: 'text',
  parse: (text) => (text.includes('\0') ? undefined : text),
};

/** Compared as plates are: whatever its case, spaces and dashes. */
export const PLATE: FieldKind = {
  rules: FILTER_RULES,
  expected: 'a licence plate',
  parse: (text) => normalisePlate(text) || NO_PLATE,
};

const FLAGS = new Map([
  ['0', 0],
  ['1', 1],
  ['false', 0],
  ['true', 1],
]);

/** 0/1 as the records have it. */
export const FLAG: FieldKind = {
  rules: EQUALITY,
  expected: '0, 1, true or false',
  parse: (text) => FLAGS.get(text),
};

/** Wall milliseconds. */
export const TIME: FieldKind = {
  rules: ORDER,
  expected: 'an ISO 8601 datetime with Z or an offset, or a date',
  parse: (text) => parseTime(text),
};

/** `date_from`: at or after. */
export const TIME_FROM: FieldKind = { ...TIME, rules: ['eq'] };

/** `date_to`: at or before; of a date without a time, its whole day. */
export const TIME_TO: FieldKind = {
  ...TIME,
  rules: ['eq'],
  parse(text) {
    const at = parseTime(text);
    return at !== undefined && !text.includes('T') ? at + 24 * 3_600_000 - 1 : at;
  },
};

/** One of a few words. */
export function oneOf(words: readonly string[]): FieldKind {
  return {
    rules: EQUALITY,
    expected: `one of ${words.join(', ')}`,
    parse: (text) => (words.includes(text) ? text : undefined),
  };
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+ -]\d\d:\d\d))?$/;

/** Wall milliseconds of an ISO 8601 text; a date is its beginning in UTC; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  const [, date, time, offset = 'Z'] = ISO.exec(text) ?? [];
  if (date === undefined) return undefined;
  // 30 February would be taken for 2 March.
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
  if (time === undefined) return midnight;
  // A plus sign that was not percent-encoded arrives as a space.
  const at = Date.parse(`${date}T${time}${offset.replace(' ', '+')}`);
  return Number.isNaN(at) ? undefined : at;
}

export type Parsed<T> = { parsed: T } | { problem: string };

/** @param text `field:rule:value`; the value is all that follows the second colon */
export function parseFilter(text: string, fields: Readonly<Record<string, FieldKind>>): Parsed<Condition> {
  const [, field = '', ruleText = '', valueText] = /^([^:]*):([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const kind = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (kind === undefined) return { problem: `Unknown field: allowed are ${Object.keys(fields).join(', ')}` };
  const rule = kind.rules.find((each) => each === ruleText);
  if (rule === undefined) return { problem: `Unknown rule of ${field}: allowed are ${kind.rules.join(' ')}` };
  if (rule === 'isnull' || rule === 'isnotnull') {
    return (valueText ?? '') === ''
      ? { parsed: { field, rule, values: [] } }
      : { problem: `${field}:${rule} takes no value` };
  }
  if (valueText === undefined) return { problem: `${field}:${rule} needs a value` };
  const texts = rule === 'in' || rule === 'nin' ? valueText.split(',') : [valueText];
  if (texts.length > IN_VALUES_MAX) return { problem: `${field}:${rule} takes at most ${IN_VALUES_MAX} values` };
  const values = texts.map((each) => kind.parse(each)).filter((value) => value !== undefined);
  if (values.length < texts.length) return { problem: `${field} must be ${kind.expected}` };
  return { parsed: { field, rule, values, ...(kind === PLATE ? { isPlate: true } : {}) } };
}

/** @param text `field:asc` or `field:desc` */
export function parseSort(text: string, fields: readonly string[]): Parsed<Sort> {
  const [, field = '', direction] = /^([^:]*):(asc|desc)$/.exec(text) ?? [];
  if (direction === undefined) return { problem: 'Must be field:asc or field:desc' };
  if (!fields.includes(field)) return { problem: `Unknown field: allowed are ${fields.join(', ')}` };
  return { parsed: { field, direction: direction === 'asc' ? 'asc' : 'desc' } };
}
