/** The filters and sorts of a list, from the fields of its things. */
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
  textField,
  timeField,
} from './list-fields.js';

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
