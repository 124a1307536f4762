/** The types of rows, from the columns that tables are made with. */
import type { Generated } from 'kysely';
import type { ColumnType, Tables } from './create-tables.js';

declare const CELL: unique symbol;

/**
 * A text column of which more is known: `'text' as Text<'free' | 'occupied'>`, `'text null' as Text<JsonColumn<Settings, null>>`.
 * @typeParam Cell all that it may hold, null too
 */
export type Text<Cell> = ('text' | 'text null' | { type: 'text'; default: string }) & { readonly [CELL]: Cell };

/** Likewise of one that has a default, so that a new row may leave it out. */
export type TextWithDefault<Cell> = Text<Generated<Cell>>;

/** A column of 0 or 1: `'integer' as Flag`, `{ type: 'integer' as Flag, default: 0 }`. */
export type Flag = 'integer' & { readonly [CELL]: 0 | 1 };

type CellOfType<Type extends ColumnType> = Type extends { readonly [CELL]: infer Cell }
  ? Cell
  : Type extends 'text'
    ? string
    : number;

/** The value of a column. */
export type CellOf<Each> = Each extends { readonly [CELL]: infer Cell }
  ? Cell
  : Each extends 'id'
    ? Generated<number>
    : Each extends 'key'
      ? string
      : Each extends ColumnType
        ? CellOfType<Each>
        : Each extends `${infer Type extends ColumnType} null`
          ? CellOfType<Type> | null
          : Each extends { type: infer Type extends ColumnType }
            ? Generated<CellOfType<Type>>
            : Each extends { partOf: string; isNullable: true } | { refersTo: string }
              ? number | null
              : number;

/** The tables as Kysely sees them: `interface Database extends TablesOf<typeof CAMERA_BASELINE> {}`. */
export type TablesOf<Made extends Tables> = {
  [Name in keyof Made]: { [Each in keyof Made[Name]['columns']]: CellOf<Made[Name]['columns'][Each]> };
};
