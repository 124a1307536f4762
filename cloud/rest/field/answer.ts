/** The answers of a resource: their schema, and what makes one from a row. Both follow from its fields. */
import { z } from '@hono/zod-openapi';
import type { RowOf } from '../../kernel/store/entry.js';
import type { Definition, Field, Typed } from './field.js';
import { type Form, plainForm } from './form.js';

type NameOf<Name, Own> = Own extends string ? Own : Name;
type Merged<Each> = { [Name in keyof Each]: Each[Name] };
type AllOf<Each> = (Each extends unknown ? (each: Each) => void : never) extends (each: infer All) => void
  ? All
  : never;

/** The columns of its table, besides those of other names. */
type OwnCells<Fields> = {
  [Name in keyof Fields as Fields[Name] extends Typed<infer Cell, unknown, object, infer Own, boolean>
    ? [Cell] extends [never]
      ? never
      : NameOf<Name, Own>
    : never]: Fields[Name] extends Typed<infer Cell, unknown, object, string | null, boolean> ? Cell : never;
};
type OtherCells<Fields> = AllOf<
  {
    [Name in keyof Fields]: Fields[Name] extends Typed<unknown, unknown, infer More, string | null, boolean>
      ? More
      : object;
  }[keyof Fields]
>;
/** The table of a resource, as its fields say it. */
export type TableOf<Fields> = Merged<OwnCells<Fields> & OtherCells<Fields>>;

/** An answer, as the fields say it. */
export type AnswerOf<Fields> = {
  [Name in keyof Fields as Fields[Name] extends Typed<unknown, infer Answer, object, infer Own, boolean>
    ? [Answer] extends [never]
      ? never
      : NameOf<Name, Own>
    : never]: Fields[Name] extends Typed<unknown, infer Answer, object, string | null, boolean> ? Answer : never;
};

/** The parts of an answer that the resource decides. */
export type DecidedOf<Fields> = {
  [Name in keyof Fields as Fields[Name] extends Typed<unknown, unknown, object, infer Own, true>
    ? NameOf<Name, Own>
    : never]: Fields[Name] extends Typed<unknown, infer Answer, object, string | null, true> ? Answer : never;
};

/** Names things: each is shown with its name, or by its id. */
type Thing = { id: number };
/** True for a field that names other things: they were looked up, and stand in the row under its name. */
type NamesThings<Answer, Own> = Own extends string
  ? true
  : [Answer] extends [null]
    ? false
    : [Answer] extends [Thing | null | readonly Thing[]]
      ? true
      : false;

/** The least that a row has when an answer is made from it: the columns that are shown, and the things that they name. */
export type ShownRow<Fields> = Merged<
  {
    [Name in keyof Fields as Fields[Name] extends Typed<infer Cell, infer Answer, object, infer Own, infer IsDecided>
      ? IsDecided extends true
        ? never
        : [Answer] extends [never]
          ? never
          : [Cell] extends [never]
            ? NamesThings<Answer, Own> extends true
              ? NameOf<Name, Own>
              : never
            : NameOf<Name, Own>
      : never]: Fields[Name] extends Typed<infer Cell, infer Answer, object, string | null, boolean>
      ? [Cell] extends [never]
        ? Answer
        : Cell
      : never;
  } & OtherCells<{ [Name in keyof Fields as Fields[Name] extends { form: Form<never> } ? never : Name]: Fields[Name] }>
>;

export interface Representation<Fields> {
  /** Has the name of the resource's answers in the document. */
  schema: z.ZodObject<{ [Name in keyof AnswerOf<Fields>]: z.ZodType<AnswerOf<Fields>[Name]> }>;
  of(
    row: RowOf<ShownRow<Fields>>,
    ...decided: Record<never, never> extends DecidedOf<Fields> ? [] : [DecidedOf<Fields>]
  ): AnswerOf<Fields>;
}

interface Part {
  name: string;
  schema: z.ZodType;
  /** null: the resource decides. */
  read: ((row: Readonly<Record<string, unknown>>) => unknown) | null;
}

/** @param name of the answers in the document: `LprCamera` */
export function representationOf<const Fields extends Definition>(
  name: string,
  fields: Fields,
): Representation<Fields> {
  const parts = Object.entries(fields).flatMap(([own, field]) =>
    'inner' in field ? [] : partsOf(own, field as Field),
  );
  const schema = z.strictObject(Object.fromEntries(parts.map((part) => [part.name, part.schema]))).openapi(name);
  const of = (row: Readonly<Record<string, unknown>>, decided: Readonly<Record<string, unknown>> = {}) => {
    const answer: Record<string, unknown> = {};
    for (const { name: part, read } of parts) answer[part] = read === null ? decided[part] : read(row);
    return answer;
  };
  return { schema, of } as unknown as Representation<Fields>;
}

function partsOf(name: string, field: Field): Part[] {
  const { schema, of } = field.form ?? plainForm(field.value);
  if (schema === null) return [];
  const described = field.says === undefined ? schema : schema.describe(field.says);
  return [{ name: shownName(name, field), schema: described, read: readerOf(shownName(name, field), field, of) }];
}

/** Things with their names stand under the field's own name; ids under that of bodies. */
const shownName = (name: string, { reference, form }: Field): string =>
  reference === undefined || isNamed(form?.schema) ? name : reference.id;

function isNamed(schema: unknown): boolean {
  if (schema instanceof z.ZodArray) return isNamed(schema.element);
  if (schema instanceof z.ZodUnion) return schema.options.some(isNamed);
  return schema instanceof z.ZodNullable ? isNamed(schema.unwrap()) : schema instanceof z.ZodObject;
}

function readerOf(name: string, { read }: Field, of: Form['of']): Part['read'] {
  if (read !== undefined) return (row) => read(row);
  return of === null ? null : (row) => of(row[name], row);
}
