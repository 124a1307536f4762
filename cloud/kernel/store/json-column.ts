import type { ColumnType } from 'kysely';
import type { JsonText } from '../../../shared/json-text-codec.js';

/** A column of JSON text, for the definitions of tables. @typeParam Nothing null, if the column may be null */
export type JsonColumn<Content, Nothing extends null = never> = ColumnType<
  JsonText<Content> | Nothing,
  string | Nothing,
  string | Nothing
>;
