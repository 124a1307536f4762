/** How the columns of a table differ from those that the fields of its resource need. */
import type { ColumnMetadata } from 'kysely';
import { z } from 'zod';
import type { Column, ColumnType } from '../../../cloud/kernel/store/create-tables.js';
import type { AnsweredField, Definition, Field } from '../../../cloud/rest/field/field.js';
import { FLAG, type Form, TIME, TIME_OR_NULL } from '../../../cloud/rest/field/form.js';

interface Needed {
  /** As a migration adds it. */
  column: Column;
  /** The other types that fit. */
  or?: readonly ColumnType[];
}

interface Shape {
  type: ColumnType;
  isNullable: boolean;
}

/** As PostgreSQL calls them. The size of a whole number is not compared there, because almost all are of the large type. */
const TYPES: Readonly<Record<string, ColumnType>> = { int4: 'bigint', int8: 'bigint', float8: 'double precision' };

/**
 * @param resource.one begins the name of the migration that is missing
 * @param columns of its table, as the database has them
 * @param next the number of the next migration
 * @returns a sentence for each difference; what is missing as the line for `all-migrations.ts`
 */
export function differencesOf(
  { table, one, definition }: { table: string; one: string; definition: Definition },
  columns: readonly ColumnMetadata[],
  next: number,
): string[] {
  const needed = neededBy(definition);
  const missing = Object.entries(needed).filter(([name]) => !columns.some((each) => each.name === name));
  const lines = missing.length === 0 ? [] : [migrationOf({ table, one, next }, missing)];
  for (const present of columns) {
    const { name } = present;
    const wanted = needed[name];
    // A field whose columns are others' is written by those.
    if (wanted === undefined && !(name in definition)) lines.push(`${table}.${name} is left over: no field needs it`);
    if (wanted !== undefined && !fits(present, wanted))
      lines.push(
        `${table}.${name} is ${wordOf(shapeOfPresent(present))}: its field needs ${wordOf(shapeOf(wanted.column))}`,
      );
  }
  return lines;
}

function fits(present: ColumnMetadata, { column, or = [] }: Needed): boolean {
  const [is, wanted] = [shapeOfPresent(present), shapeOf(column)];
  const types = [wanted.type, ...or].map((type) => (present.dataType in TYPES && type === 'integer' ? 'bigint' : type));
  return types.includes(is.type) && is.isNullable === wanted.isNullable;
}

/** SQLite calls an id nullable. */
const shapeOfPresent = ({ dataType, isNullable, isAutoIncrementing }: ColumnMetadata): Shape => ({
  type: TYPES[dataType] ?? (dataType.toLowerCase() as ColumnType),
  isNullable: isNullable && !isAutoIncrementing,
});

function shapeOf(column: Column): Shape {
  if (column === 'key') return { type: 'text', isNullable: false };
  if (typeof column === 'string' && column !== 'id')
    return { type: column.replace(' null', '') as ColumnType, isNullable: column.endsWith(' null') };
  if (typeof column !== 'string' && 'type' in column) return { type: column.type, isNullable: false };
  const isNullable = typeof column !== 'string' && ('refersTo' in column || column.isNullable === true);
  return { type: 'integer', isNullable };
}

const wordOf = ({ type, isNullable }: Shape): string => `'${type}${isNullable ? ' null' : ''}'`;

function migrationOf(
  { table, one, next }: { table: string; one: string; next: number },
  missing: readonly (readonly [string, Needed])[],
): string {
  const name = `${one} ${missing[0]?.[0]}`.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  const columns = missing.map(([column, needed]) => `${column}: ${textOf(addable(needed.column))}`).join(', ');
  return `'${String(next).padStart(4, '0')}-${name}': addColumns('${table}', { ${columns} }),`;
}

/** Rows that are there already need a default where null is not allowed. */
const addable = (column: Column): Column =>
  column === 'text' || column === 'integer' || column === 'bigint' || column === 'double precision'
    ? { type: column, default: column === 'text' ? '' : 0 }
    : column;

function textOf(column: Column): string {
  if (typeof column === 'string') return `'${column}'`;
  const parts = Object.entries(column).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? `'${value}'` : value}`,
  );
  return `{ ${parts.join(', ')} }`;
}

/** What a column says of itself counts more than a field that writes it beside others. */
function neededBy(definition: Definition): Record<string, Needed> {
  const fields = Object.entries(definition) as [string, Definition[string]][];
  const isWriter = ([, field]: [string, Definition[string]]) => 'columns' in field;
  const [writers, own] = [fields.filter(isWriter), fields.filter((each) => !isWriter(each))];
  return Object.fromEntries([...writers, ...own].flatMap(([name, field]) => columnsOf(name, field)));
}

function columnsOf(name: string, field: Definition[string]): [string, Needed][] {
  if ('inner' in field) return [[name, { column: field.inner }]];
  if ('value' in field) return columnsOfValue(name, field as Field);
  const { column, form } = field;
  if (column === null) return [];
  return [[name, column === undefined ? neededForAnswer(form) : { column }]];
}

function columnsOfValue(
  name: string,
  { value, default: usual, form, columns, secret, reference, ...field }: Field,
): [string, Needed][] {
  if (secret !== undefined) return [[secret.column, { column: field.isOptional ? 'text null' : 'text' }]];
  if (reference !== undefined) {
    const { to, id, isNullable, pairs } = reference;
    return pairs === null ? [[id, { column: isNullable ? { refersTo: to } : { partOf: to } }]] : [];
  }
  if (columns === undefined) return [[name, withDefault(neededForForm(form) ?? neededFor(value), usual)]];
  // What writes a number may make a whole one of it, and null where answers show null.
  const { column, or = ['bigint', 'integer'] } = neededFor(canShowNull(form) ? value.nullable() : value);
  return Object.keys(columns).map((each) => [each, { column, or }]);
}

const canShowNull = (form: Form | undefined): boolean => form?.schema?.safeParse(null).success === true;

function withDefault({ column, ...needed }: Needed, usual: Field['default']): Needed {
  const { type, isNullable } = shapeOf(column);
  const isPlain = !isNullable && (typeof usual === 'string' || typeof usual === 'number');
  return { ...needed, column: isPlain ? { type, default: usual } : column };
}

/** The whole numbers of other programs are shown as numbers of any kind. */
function neededForAnswer(form: AnsweredField['form']): Needed {
  return { or: ['bigint', 'integer'], ...(neededForForm(form) ?? neededFor(form.schema ?? z.never())) };
}

function neededForForm(form: Form | undefined): Needed | null {
  if (form === TIME) return { column: 'bigint', or: [] };
  if (form === TIME_OR_NULL) return { column: 'bigint null', or: [] };
  return form === FLAG ? { column: 'integer', or: [] } : null;
}

function neededFor(schema: z.ZodType): Needed {
  const type = typeFor(schema);
  const column: Column = schema.safeParse(null).success ? `${type} null` : type;
  if (type === 'double precision') return { column };
  return { column, or: type === 'integer' ? ['bigint'] : [] };
}

/** Lists and objects are kept as text. */
function typeFor(schema: unknown): ColumnType {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return typeFor(schema.unwrap());
  if (schema instanceof z.ZodPipe) return typeFor(schema.in);
  if (schema instanceof z.ZodUnion) return typeFor(schema.options[0]);
  if (schema instanceof z.ZodNumber) return schema.format === 'safeint' ? 'integer' : 'double precision';
  if (schema instanceof z.ZodLiteral) return typeof [...schema.values][0] === 'number' ? 'integer' : 'text';
  return schema instanceof z.ZodBoolean ? 'integer' : 'text';
}
