/** Turns the values of fields into columns, and the columns of a row into values. */
import type { Secrets } from '../../kernel/secrets/entry.js';
import type { Columns, ColumnValue, Field, Fields, SealedColumn, Values } from '../field/field.js';
import type { Problem } from './problem.js';
import type { Resource } from './resource.js';

/**
 * The columns of all given fields except references and secrets.
 * @param all the values that columns may depend on
 */
export function plainColumns(fields: Fields, values: Values, all: Values = values): Columns {
  const columns: Record<string, ColumnValue> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = values[name];
    if (value === undefined || field.reference !== undefined || field.secret !== undefined) continue;
    if (field.columns === undefined) columns[name] = value as ColumnValue;
    else for (const [column, { from }] of Object.entries(field.columns)) columns[column] = from(value, all);
  }
  return columns;
}

/** The columns of references to one thing. @param ids by the fields' names */
export function referenceColumns(fields: Fields, ids: Values): Columns {
  const named = Object.entries(fields).flatMap(([name, { reference }]) => {
    const id = ids[name];
    return reference === undefined || reference.pairs !== null || id === undefined
      ? []
      : [[reference.id, id as ColumnValue]];
  });
  return Object.fromEntries(named);
}

/** The given secrets, each with the column that keeps it. */
export function secretsOf(fields: Fields, values: Values): { column: SealedColumn; secret: string }[] {
  return Object.entries(fields).flatMap(([name, { secret: column }]) => {
    const secret = values[name];
    return column === undefined || typeof secret !== 'string' ? [] : [{ column, secret }];
  });
}

export function sealedColumns(fields: Fields, values: Values, secrets: Pick<Secrets, 'seal'>): Columns {
  const sealed = secretsOf(fields, values).map(({ column: { column, purpose, encoding }, secret }) => {
    return [column, secrets.seal(purpose, Buffer.from(secret, encoding))];
  });
  return Object.fromEntries(sealed);
}

/** The values that a row holds. References are ids. Secrets and values in other tables are left out. */
export function valuesOfRow(fields: Fields, row: object): Values {
  const cells = row as Readonly<Record<string, unknown>>;
  const valueOf = (name: string, { reference, read }: Field): unknown => {
    if (reference !== undefined) return cells[reference.id];
    return read === undefined ? cells[name] : read(cells);
  };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, { secret }]) => secret === undefined)
      .map(([name, field]) => [name, valueOf(name, field)]),
  );
}

/** The values that a change has to write: the given ones, and those whose columns depend on a given one. */
export function writtenValues(fields: Fields, change: { given: Values; all: Values }): Values {
  const isWritten = (name: string, { dependsOn = [] }: Field) =>
    change.given[name] !== undefined || dependsOn.some((other) => change.given[other] !== undefined);
  const written = Object.entries(fields).filter(([name, field]) => isWritten(name, field));
  return Object.fromEntries(written.map(([name]) => [name, change.all[name]]));
}

/**
 * The problems between fields.
 * @param values of all fields, each valid by itself
 * @param before the values before a change: a problem that they had already is not reported
 */
export function problemsOf({ rules }: Pick<Resource, 'rules'>, values: Values, before?: Values): Problem[] {
  const known = new Set(before === undefined ? [] : problemsOf({ rules }, before).map(keyOf));
  return rules.flatMap(({ problems }) => problems(values)).filter((problem) => !known.has(keyOf(problem)));
}

const keyOf = ({ field, reason }: Problem): string => `${field}: ${reason}`;
