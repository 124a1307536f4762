/** Declares lists: their filters and sorts follow from the fields of their things. */
import { z } from 'zod';
import type { AnsweredField, Definition, Field } from '../field/field.js';
import { TIME, TIME_OR_NULL } from '../field/form.js';
import {
  choiceField,
  codeField,
  type ColumnName,
  type FilterField,
  integerField,
  personField,
  plateField,
  dateFields,
  textField,
  timeField,
} from './list-fields.js';
import type { Id, ListTable } from './list-table.js';

/** @param table that of the things */
export function listedFields(table: string, fields: Definition) {
  const filters: Record<string, FilterField> = {};
  const sorts: Record<string, ColumnName> = {};
  for (const [own, field] of Object.entries(fields) as [string, Field | AnsweredField][]) {
    const name = ('reference' in field ? field.reference?.id : undefined) ?? own;
    // A field of a table is a column of it.
    const column = `${table}.${name}` as ColumnName;
    if (field.filter !== undefined) filters[name] = filterOf(table, column, field);
    if (field.sort) sorts[name] = column;
  }
  return { filters, sorts };
}

function filterOf(table: string, column: ColumnName, field: Field | AnsweredField): FilterField {
  const { filter, form } = field;
  if (typeof filter === 'object') return plateField(`${table}.${filter.plate}` as ColumnName);
  if (filter === 'person') return personField(column);
  if (filter === 'code') return codeField(column);
  if (form === TIME || form === TIME_OR_NULL) return timeField(column);
  if ('reference' in field && field.reference !== undefined) return integerField(column);
  return filterOfSchema(column, 'value' in field ? field.value : (form?.schema ?? z.never()));
}

/** @throws Error for a schema whose values have no filter */
function filterOfSchema(column: ColumnName, schema: z.ZodType): FilterField {
  if (schema instanceof z.ZodNullable) return filterOfSchema(column, schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodEnum) return choiceField(column, schema.options as string[]);
  if (schema instanceof z.ZodNumber) return integerField(column);
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return textField(column);
  throw new Error(`${column} has values of the type ${schema.type}, for which there is no filter`);
}

/**
 * Declares a list, with what every list can be followed by: whoever keeps a copy asks for what was added or changed since.
 * @param declared.fields those that say so have filters and sorts; `filters` and `sorts` are for columns of other tables
 */
export function listTable<Row extends { id: Key }, Key extends Id = number>({
  fields,
  ...declared
}: Omit<ListTable<Row, Key>, 'filters' | 'sorts'> &
  Partial<Pick<ListTable<Row, Key>, 'filters' | 'sorts'>> & { fields?: Definition }): ListTable<Row, Key> {
  const [of = ''] = declared.id.split('.');
  const said = fields === undefined ? { filters: {}, sorts: {} } : listedFields(of, fields);
  const table = {
    ...declared,
    filters: { ...declared.filters, ...said.filters },
    sorts: { ...said.sorts, ...declared.sorts },
  };
  const name = String(table.id.split('.')[0]);
  // Every table of a list has these columns, or names another one.
  const datedBy = table.datedBy ?? (`${name}.created_at` as ColumnName);
  const changedAt = table.changedAt ?? (`${name}.updated_at` as ColumnName);
  return {
    ...table,
    filters: {
      id: integerField(table.id),
      ...table.filters,
      updated_at: timeField(changedAt),
      ...dateFields(datedBy),
    },
    sorts: { id: table.id, ...table.sorts, updated_at: changedAt },
  };
}
