import { z } from '@hono/zod-openapi';
import { type FieldKind, type FilterValue, TIME } from '../list/filter-parser.js';

/** A time in a query or a body, as wall milliseconds. */
export const timeParameter = () => parameterOf(TIME, (value) => (typeof value === 'number' ? value : undefined));

/** A time in a query, as its kind gives it. */
export const momentParameter = (kind: FieldKind) => parameterOf(kind, (value) => value ?? undefined);

function parameterOf<Value>(kind: FieldKind, accepted: (value: FilterValue | null | undefined) => Value | undefined) {
  return z
    .string()
    .transform((text, context): Value => {
      const at = accepted(kind.parse(text));
      if (at !== undefined) return at;
      context.addIssue({ code: 'custom', message: `Must be ${kind.expected}` });
      return z.NEVER;
    })
    .openapi({ type: 'string', format: 'date-time' });
}
