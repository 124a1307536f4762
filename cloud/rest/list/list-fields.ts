/** Translates the fields of lists into columns, and their filters into conditions. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  type DaySpan,
  type FieldKind,
  type FilterRule,
  type FilterValue,
  INTEGER,
  oneOf,
  PLATE,
  TEXT,
  TIME,
  TIME_BOUND,
} from './filter-parser.js';
import { alikePlates, likeOfPattern } from './plate-pattern-parser.js';
import type { Database } from '../../kernel/store/entry.js';

/** A column by its table's name. */
export type ColumnName = { [Table in keyof Database]: `${Table}.${keyof Database[Table] & string}` }[keyof Database];

/** A column, or an expression of columns. */
export type Column = ColumnName | RawBuilder<unknown>;

export type Where = RawBuilder<SqlBool>;

/** A field of `filter`. */
export interface FilterField {
  kind: FieldKind;
  where(rule: FilterRule, values: readonly FilterValue[]): Where;
}

export const integerField = (column: Column): FilterField => fieldOf(INTEGER, column);
/** A time in wall milliseconds; filters name it in ISO 8601, or as a day. */
export const timeField = (column: Column): FilterField => ({
  kind: TIME,
  where: (rule, values) => compareTimes(toSql(column), rule, values.map(spanOf)),
});
export const textField = (column: Column): FilterField => fieldOf(TEXT, column);
/** A text that names a person: who searches by it has an entry in the audit log. */
export const personField = (column: Column): FilterField => fieldOf({ ...TEXT, names: 'person' }, column);
/** The id of a person, likewise. */
export const personIdField = (column: Column): FilterField => fieldOf({ ...INTEGER, names: 'person' }, column);
/** A text of upper-case letters and digits; it is compared without a change of case, which is faster. */
export const codeField = (column: Column): FilterField => upperCase(TEXT, column);
export const choiceField = (column: Column, words: readonly string[]): FilterField => fieldOf(oneOf(words), column);

/** A plate. @param column normalised; empty where there is no plate */
export function plateField(column: Column): FilterField {
  const { kind, where } = upperCase(PLATE, column);
  return {
    kind,
    where(rule, values) {
      if (rule === 'isnull') return sql`${toSql(column)} = ''`;
      if (rule === 'isnotnull') return sql`${toSql(column)} <> ''`;
      if (rule === 'match') return matches(toSql(column), String(values[0]));
      if (rule === 'look_alike') return isAlike(toSql(column), String(values[0]));
      return where(rule, values);
    },
  };
}

/** The range has an index find what begins alike; LIKE alone would go through all plates. */
function matches(left: RawBuilder<unknown>, pattern: string): Where {
  const { like, range } = likeOfPattern(pattern);
  if (like === pattern) return sql`${left} = ${pattern}`;
  const matching = sql<SqlBool>`${left} like ${like}`;
  return range === null ? matching : sql`(${left} >= ${range.from} and ${left} < ${range.to} and ${matching})`;
}

/** The cheap conditions come first: nearly all plates fail them. */
function isAlike(left: RawBuilder<unknown>, plate: string): Where {
  const { length, places, edited } = alikePlates(plate);
  const folded = places.map(
    ({ at, characters }) => sql<SqlBool>`substr(${left}, ${sql.lit(at)}, 1) in (${sql.join(characters)})`,
  );
  const [beginsWith, endsWith] = edited.halves;
  const oneEdit = sql`(${left} like ${beginsWith} or ${left} like ${endsWith})
    and (${sql.join(
      edited.patterns.map((pattern) => sql`${left} like ${pattern}`),
      sql` or `,
    )})`;
  return sql`(
    length(${left}) between ${sql.lit(length - 1)} and ${sql.lit(length + 1)}
    and ((length(${left}) = ${sql.lit(length)} and ${sql.join(folded, sql` and `)}) or (${oneEdit}))
  )`;
}

const OPPOSITES: Partial<Record<FilterRule, FilterRule>> = { neq: 'eq', nlike: 'like', nin: 'in', isnull: 'isnotnull' };

/**
 * A field that has any number of values in each row. A positive rule matches when one of the values matches it, a negative rule when none of
 * them matches its opposite.
 * @param some asks whether a condition holds for one of the row's values
 */
export function anyField(each: FilterField, some: (where: Where) => Where): FilterField {
  return {
    kind: each.kind,
    where(rule, values) {
      const opposite = OPPOSITES[rule];
      return opposite === undefined ? some(each.where(rule, values)) : sql`not ${some(each.where(opposite, values))}`;
    },
  };
}

/** A choice that has no column of its own: each word has a condition, and exactly one of them holds in a row. */
export function caseField(cases: Readonly<Record<string, Where>>): FilterField {
  const words = Object.keys(cases);
  return {
    kind: { ...oneOf(words), rules: ['eq', 'neq', 'in', 'nin', 'isnull', 'isnotnull'] },
    where(rule, values) {
      if (rule === 'isnull') return NEVER;
      if (rule === 'isnotnull') return ALWAYS;
      const isWanted = (word: string) => values.includes(word) === (rule === 'eq' || rule === 'in');
      const wanted = words.filter(isWanted).map((word) => cases[word] ?? NEVER);
      return wanted.length === 0 ? NEVER : sql`(${sql.join(wanted, sql` or `)})`;
    },
  };
}

/** Asks whether something holds at a moment that the filter names. A day stands for its beginning. */
export const momentField = (where: (at: number) => Where): FilterField => ({
  kind: TIME_BOUND,
  where: (_rule, values) => where(values.map(spanOf)[0]?.from_ms ?? 0),
});

/** A text of a person, of which it may be any of several: `like` alone asks for it. */
export const searchField = (where: (like: FilterValue) => Where): FilterField => ({
  kind: { ...TEXT, rules: ['like'], names: 'person' },
  where: (_rule, [text = '']) => where(text),
});

/** `date_from` and `date_to` of a column of times. */
export function dateFields(column: Column): { date_from: FilterField; date_to: FilterField } {
  return {
    date_from: { kind: TIME_BOUND, where: (_rule, values) => compareTimes(toSql(column), 'gte', values.map(spanOf)) },
    date_to: { kind: TIME_BOUND, where: (_rule, values) => compareTimes(toSql(column), 'lte', values.map(spanOf)) },
  };
}

export const toSql = (column: Column): RawBuilder<unknown> => (typeof column === 'string' ? sql.ref(column) : column);

/** Matches no row. */
export const NEVER: Where = sql`1 = 0`;
const ALWAYS: Where = sql`1 = 1`;

const fieldOf = (kind: FieldKind, column: Column): FilterField => ({
  kind,
  where: (rule, values) => compare(column, rule, values),
});

const upperCase = (kind: FieldKind, column: Column): FilterField => ({
  kind,
  where(rule, values) {
    const left = toSql(column);
    const pattern = containing(String(values[0] ?? '').toUpperCase());
    if (rule === 'like') return sql`${left} like ${pattern} escape '\\'`;
    if (rule === 'nlike') return sql`(${left} is null or ${left} not like ${pattern} escape '\\')`;
    return compare(column, rule, values);
  },
});

const OPERATORS = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** Negative rules are the opposite of the positive ones, so that they also match a row without a value. */
function compare(column: Column, rule: FilterRule, values: readonly FilterValue[]): Where {
  const left = toSql(column);
  const [value = ''] = values;
  switch (rule) {
    case 'eq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return sql`${left} ${sql.raw(OPERATORS[rule])} ${value}`;
    case 'neq':
      return sql`${left} is distinct from ${value}`;
    case 'like':
      return foldedLike(left, value);
    case 'nlike':
      return sql`(${left} is null or not ${foldedLike(left, value)})`;
    case 'in':
      return sql`${left} in (${sql.join(values)})`;
    case 'nin':
      return sql`(${left} is null or ${left} not in (${sql.join(values)}))`;
    case 'isnull':
      return sql`${left} is null`;
    case 'isnotnull':
      return sql`${left} is not null`;
    case 'match':
    case 'look_alike':
      throw new Error(`only plates have the rule ${rule}`);
  }
}

/** A moment is its millisecond. */
function spanOf(value: FilterValue): DaySpan {
  if (typeof value === 'number') return { from_ms: value, to_ms: value + 1 };
  if (typeof value === 'string') throw new Error(`the date ${value} was not replaced by a day: call inLocalDays`);
  return value;
}

/** Days are as wide as they are: after one is after its end, in one is from its beginning until just before its end. */
function compareTimes(left: RawBuilder<unknown>, rule: FilterRule, spans: readonly DaySpan[]): Where {
  const [{ from_ms, to_ms } = { from_ms: 0, to_ms: 0 }] = spans;
  const isIn = sql<SqlBool>`(${sql.join(
    spans.map((span) => sql`(${left} >= ${span.from_ms} and ${left} < ${span.to_ms})`),
    sql` or `,
  )})`;
  switch (rule) {
    case 'gt':
      return sql`${left} >= ${to_ms}`;
    case 'gte':
      return sql`${left} >= ${from_ms}`;
    case 'lt':
      return sql`${left} < ${from_ms}`;
    case 'lte':
      return sql`${left} < ${to_ms}`;
    case 'eq':
    case 'in':
      return isIn;
    case 'neq':
    case 'nin':
      return sql`(${left} is null or not ${isIn})`;
    case 'isnull':
      return sql`${left} is null`;
    case 'isnotnull':
      return sql`${left} is not null`;
    case 'like':
    case 'nlike':
    case 'match':
    case 'look_alike':
      throw new Error(`times have no rule ${rule}`);
  }
}

/** The database folds both, so that they are folded alike. */
const foldedLike = (left: RawBuilder<unknown>, value: FilterValue): Where =>
  sql`fold_case(${left}) like fold_case(${containing(String(value))}) escape '\\'`;

/** A pattern that finds the text anywhere. Wildcards in the text are escaped. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
