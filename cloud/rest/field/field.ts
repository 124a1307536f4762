/**
 * The fields of a resource. `<subject>-fields.ts` of its room says each of them once, in the order of answers: its limits and default, its
 * column, its form in answers, whether lists filter and sort by it, and what it means. Rows, bodies, answers, lists and the document
 * follow from that. They are values alone, so that whoever needs a fact of a field may import them; behaviour is in
 * `<subject>-resource.ts`.
 */
import { z } from 'zod';
import type { CellOf, Column, Database, JsonColumn, Pairs } from '../../kernel/store/entry.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { SealPurpose } from '../../kernel/secrets/entry.js';
import { datetime, id } from './answer-schemas.js';
import { decided, FLAG, type Form, HIDDEN, shownAs, TIME, TIME_OR_NULL } from './form.js';
import { flagValue, momentOrNullValue, timeOrNullValue } from './values.js';

export type ColumnValue = string | number | null;
export type Columns = Readonly<Record<string, ColumnValue>>;

/** The values of one thing's fields, by the fields' names. A field that was left out is undefined. */
export type Values = Readonly<Record<string, unknown>>;

/** The part of a field that answers, lists and the document use. */
export interface Shown {
  /** Its form in answers. Left out: as its value, without the limits. */
  form?: Form;
  /** A sentence on what it means. */
  says?: string;
  /** Lists have a filter for it, of the kind that its values have, or of this one. */
  filter?: true | FilterWord;
  /** Lists can be sorted by it. */
  sort?: true;
  /** Only the bodies of REST have it, or only site files. */
  only?: 'rest' | 'file';
}

/** `person` and `plate` name somebody, so that searches are audited; `code` is a text of upper-case letters and digits. */
type FilterWord = 'person' | 'code' | { plate: string };

/** A field that bodies and site files have. */
export interface Field<Value = unknown> extends Shown {
  /** Its limits. For a reference this is the name that a site file gives; REST has an id instead. */
  value: z.ZodType<Value>;
  /** Its value when it is left out. A field with neither `default` nor `isOptional` is required. */
  default?: ColumnValue | readonly unknown[];
  /** It may be left out. `complete` fills it in, or its column is not written. */
  isOptional?: true;
  /** It is required in a site file, even if it is not in REST. */
  isRequiredInFile?: true;
  /** Its limits in a site file, where they are others: it may be left out there, when `initially` says what it is then. */
  inFile?: z.ZodType<Value | undefined>;
  /** It never changes: PATCH refuses it. */
  isFixed?: true;
  /** The columns that keep it. Left out: one column, with the field's name and value. */
  columns?: Readonly<Record<string, StoredColumn<Value>>>;
  /** Other fields that its columns depend on: when one of them changes, the columns are written again. */
  dependsOn?: readonly string[];
  /** Reads its value from a row. Left out: the column with the field's name. */
  read?(row: Readonly<Record<string, unknown>>): unknown;
  /** The column that keeps it sealed. It is never shown. */
  secret?: SealedColumn;
  /** Whether its value, which is stored as it is, holds a secret: the password in an address. */
  holdsSecret?(value: unknown, values: Values): boolean;
  /** It names one or more other things. */
  reference?: Reference;
}

/** A field that only answers have: it follows from what happens, or from other things. */
export interface AnsweredField extends Shown {
  form: Form;
  /** Its column; null: it has none. Left out: one with the field's name, which holds what its form shows. */
  column?: Column | null;
}

/** A column that the interface does not have. */
export interface InnerField {
  inner: Column;
}

declare const TYPING: unique symbol;

export interface StoredColumn<Value, Cell = ColumnValue> {
  from(value: Value, values: Values): Cell;
}

/** A column whose cells have another type in rows than `from` returns. */
interface TypedColumn<Cell> extends StoredColumn<never> {
  readonly [TYPING]?: Cell;
}

/**
 * A column of JSON text.
 * @typeParam Content null too where there may be nothing, which is null in the column as well
 */
export const jsonColumn = <Content>(
  from: StoredColumn<never>['from'] = (given) => (given === null ? null : JSON.stringify(given)),
): TypedColumn<null extends Content ? JsonColumn<Exclude<Content, null>, null> : JsonColumn<Content>> => ({ from });

/** The columns of a plate: as it was given, and as plates are compared. */
export const plateColumns = <const Name extends string>(name: Name) =>
  ({ [name]: { from: (plate: string) => plate }, plate_normalised: { from: normalisePlate } }) as Record<
    Name | 'plate_normalised',
    StoredColumn<string, string>
  >;

export interface SealedColumn {
  column: string;
  purpose: SealPurpose;
  encoding: 'hex' | 'utf8';
  /**
   * The field with the address that it is sent to: whoever changes the host or port there has to give the secret again, or it would go to
   * whoever may write the address. null: it goes to no address of the thing.
   */
  sentTo: string | null;
}

export interface Reference {
  /** The table of the named things. */
  to: keyof Database;
  /** Its name in REST: `zone_id`, which is also its column, or `tariff_ids`. */
  id: string;
  /** Whether null (it names nothing) is allowed. */
  isNullable: boolean;
  /** Whether PATCH refuses null. */
  staysNamed: boolean;
  /** Whether a site file may name only things of the lot. `where` ends the message for an unknown name. */
  among: 'lot' | 'account';
  where: string;
  /** When it is left out and the lot has only one such thing, it names that. */
  isOnlyOneOfLot: boolean;
  /** Whether the named things are written, too, because they show who names them: a member and its groups. */
  isMutual: boolean;
  /** The table that joins several named things with this one; null: it names one thing. */
  pairs: Pairs | null;
}

export type Fields = Readonly<Record<string, Field>>;
/** All fields of a resource, by their names. */
export type Definition = Readonly<Record<string, Field<never> | Field | AnsweredField | InnerField>>;

/** The types of a field's columns and of its form in answers; there is nothing at run time. @typeParam Cell never: it has no column of its name */
export interface Typed<Cell, Answer, More = object, Name extends string | null = null, IsDecided = false> {
  readonly [TYPING]?: { cell: Cell; answer: Answer; more: More; name: Name; isDecided: IsDecided };
}

/** The type of a field's value. */
export type ValueOf<Each> = Each extends { value: z.ZodType<infer Value> } ? Value : never;
export type ValuesOf<Each> = {
  [Name in keyof Each as Each[Name] extends { value: z.ZodType } ? Name : never]: ValueOf<Each[Name]>;
};

type Options<Value, Answer, Made> = Omit<
  Field<Value>,
  'value' | 'default' | 'isOptional' | 'reference' | 'columns' | 'form' | 'secret'
> & {
  columns?: Made;
  form?: Form<Answer>;
};

/** The cells of a field that has columns of other names. */
type MadeCells<Made> = {
  [Name in keyof Made]: Made[Name] extends TypedColumn<infer Cell>
    ? unknown extends Cell
      ? CellMadeBy<Made[Name]>
      : Cell
    : CellMadeBy<Made[Name]>;
};
type CellMadeBy<Each> = Each extends StoredColumn<never, infer Cell> ? Cell : never;

/** A word of a list that answers leave open may have been written by another version, which knew others. */
type CellOfValue<Value, Answer> = string extends Answer ? (Value extends string ? string : Value) : Value;
type Kept<Value, Answer, Made> = [Made] extends [never]
  ? Typed<CellOfValue<Value, Answer>, Answer>
  : Typed<never, Answer, MadeCells<Made>>;

/** A required field. */
export const required = <Value, Answer = Value, Made extends Record<string, StoredColumn<Value>> = never>(
  value: z.ZodType<Value>,
  facts: Options<Value, Answer, Made> = {},
) => ({ value, ...facts }) as Field<Value> & Kept<Value, Answer, Made>;

/** A field with a default. */
export const withDefault = <Value, Answer = Value, Made extends Record<string, StoredColumn<Value>> = never>(
  value: z.ZodType<Value>,
  usual: NonNullable<Field['default']> | null,
  facts: Options<Value, Answer, Made> = {},
) => ({ value, default: usual, ...facts }) as Field<Value> & Kept<Value, Answer, Made>;

/** A field that may be left out. */
export const optional = <Value, Answer = Value, Made extends Record<string, StoredColumn<Value>> = never>(
  value: z.ZodType<Value>,
  facts: Options<Value, Answer, Made> = {},
) => ({ value, isOptional: true, ...facts }) as Field<Value | undefined> & Kept<Value, Answer, Made>;

/** A field that only the bodies of REST have: in a site file the place of a thing often says the same. */
export const inRest = <Each extends object>(field: Each) => ({ ...field, only: 'rest' as const });

/** A field that only site files have. */
export const inFile = <Each extends object>(field: Each) => ({ ...field, only: 'file' as const, form: HIDDEN });

/** A field that site files and answers have, and no body of REST. */
export const inFileAndAnswers = <Each extends object>(field: Each) => ({ ...field, only: 'file' as const });

/** A field of bodies that another table keeps. */
export const keptElsewhere = <Each extends { value: z.ZodType }>(field: Each) =>
  ({ ...field, columns: {}, form: HIDDEN }) as unknown as Field<ValueOf<Each>> & Typed<never, never>;

/** A flag: 0, 1, true or false in bodies, 0 or 1 everywhere else. */
export const flagField = (usual: 0 | 1, facts: Pick<Field, SharedOption> = {}) =>
  ({ value: flagValue, default: usual, form: FLAG, ...facts }) as Field<number> & Typed<number, 0 | 1>;

/** A moment; null, which it is when it is left out, for none. */
export const timeOrNullField = (facts: Pick<Field, SharedOption> = {}) =>
  ({ value: timeOrNullValue, default: null, form: TIME_OR_NULL, ...facts }) as Field<number | null> &
    Typed<number | null, string | null>;

/** The same, for a moment that is neither a beginning nor an end: a bare date is refused. */
export const momentOrNullField = (facts: Pick<Field, SharedOption> = {}) => ({
  ...timeOrNullField(facts),
  value: momentOrNullValue,
});

type SharedOption = 'says' | 'filter' | 'sort' | 'isFixed';

/**
 * A secret: bodies have it, and no answer.
 * @param facts.isOptional its column is null until it is given; left out: it is the empty text
 */
export const secretField = <Value, const Name extends string, Optional extends true | undefined = undefined>(
  value: z.ZodType<Value>,
  { isOptional, ...facts }: Omit<SealedColumn, 'column'> & { column: Name; isOptional?: Optional },
) =>
  ({
    value,
    form: HIDDEN,
    secret: facts,
    ...(isOptional ? { isOptional } : { default: '' }),
  }) as Field<Optional extends true ? Value | undefined : Value> &
    Typed<never, never, { [Each in Name]: Optional extends true ? string | null : string }>;

/** A column that answers show and no body has. @param form a schema without limits, or a form such as `TIME` */
export const shown = <Answer, Cell = Answer>(
  form: z.ZodType<Answer> | Form<Answer, Cell>,
  facts: Omit<Shown, 'form'> = {},
) => ({ form: form instanceof z.ZodType ? shownAs(form) : form, ...facts }) as AnsweredField & Typed<Cell, Answer>;

/**
 * A part of answers that the resource says for each of them, because it follows from more than its column.
 * @param facts.column left out: it has none
 */
export const computed = <Answer, const Stored extends Column = never>(
  schema: z.ZodType<Answer>,
  { column, ...facts }: Omit<Shown, 'form'> & { column?: Stored } = {},
) =>
  ({ form: decided(schema), column: column ?? null, ...facts }) as AnsweredField &
    Typed<[Stored] extends [never] ? never : CellOf<Stored>, Answer, object, null, true>;

/** A part of answers that is always the same: `deleted_at` of what is there. */
export const always = <Answer>(schema: z.ZodType<Answer>, value: Answer, facts: Omit<Shown, 'form'> = {}) =>
  ({ form: { schema, of: () => value }, column: null, ...facts }) as AnsweredField & Typed<never, Answer>;

/** A column that the interface does not have, as migrations write it: `'bigint null'`. */
export const inner = <const Each extends Column>(column: Each) =>
  ({ inner: column }) as InnerField & Typed<CellOf<Each>, never>;

/** The id of the thing, which the database gives. */
export const identity = { form: shownAs(id) } as AnsweredField & Typed<CellOf<'id'>, number>;

/** The account that it belongs to. */
export const accountField = (facts: Pick<Shown, 'filter'> = {}) => shown(id, facts);

/** When it was made, and when it was changed last. */
export const TIMES = { created_at: shown(TIME), updated_at: shown(TIME) };

/** Nothing that lists show is deleted. */
export const neverDeleted = always(datetime.nullable(), null);
