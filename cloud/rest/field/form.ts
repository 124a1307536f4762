/** How the value of a field stands in answers: its schema there, and what makes it from what is stored. Pure. */
import { z } from '@hono/zod-openapi';
import { datetime, flag, flagOf, iso, isoOrNull } from './answer-schemas.js';
import { maskedAddress } from './masked-secret-codec.js';

export interface Form<Answer = unknown, Cell = unknown> {
  /** null: no answer has the field. */
  schema: z.ZodType<Answer> | null;
  /** null: the resource decides, because more counts than the row. A method, so that a form of any cells is a form. */
  of: { from(cell: Cell, row: Readonly<Record<string, unknown>>): Answer }['from'] | null;
}

/** No answer has it. */
export const HIDDEN: Form<never> = { schema: null, of: null };
export const FLAG: Form<0 | 1, number> = { schema: flag, of: flagOf };
/** Wall milliseconds; ISO 8601 in answers. */
export const TIME: Form<string, number> = { schema: datetime, of: iso };
export const TIME_OR_NULL: Form<string | null, number | null> = { schema: datetime.nullable(), of: isoOrNull };
/** An address, without the password in it. */
export const MASKED_ADDRESS: Form<string, string> = { schema: z.string(), of: maskedAddress };
/** A word of a list that answers leave open: programs may meet one that they do not know. */
export const OPEN_WORD: Form<string, string> = { schema: z.string(), of: (word) => word };

/** Shows what is stored, as it is. */
export const shownAs = <Answer>(schema: z.ZodType<Answer>): Form<Answer, Answer> => ({ schema, of: (cell) => cell });

/** The resource decides what is shown. */
export const decided = <Answer>(schema: z.ZodType<Answer>): Form<Answer, never> => ({ schema, of: null });

/**
 * Shows a value as it is stored. Limits are for bodies: what an answer holds may have been valid earlier.
 * @throws Error for a schema whose form in answers has to be said
 */
export const plainForm = (value: z.ZodType): Form => shownAs(withoutLimits(value));

function withoutLimits(value: z.ZodType): z.ZodType {
  if (value instanceof z.ZodString || value instanceof z.ZodStringFormat) return z.string();
  if (value instanceof z.ZodNumber) return value.format === 'safeint' ? z.number().int() : z.number();
  if (value instanceof z.ZodEnum) return z.enum(value.options as string[]);
  if (value instanceof z.ZodNullable) return withoutLimits(value.unwrap() as z.ZodType).nullable();
  if (value instanceof z.ZodArray) return z.array(withoutLimits(value.element as z.ZodType));
  if (value instanceof z.ZodUnion) {
    // The empty text, for none, or a text of a certain form.
    const [kind, ...others] = value.options.filter((each) => !(each instanceof z.ZodLiteral));
    if (kind !== undefined && others.length === 0) return withoutLimits(kind as z.ZodType);
  }
  throw new Error(`A field of the type ${value.type} has to say how answers show it`);
}
