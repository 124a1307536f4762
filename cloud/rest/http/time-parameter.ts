import { z } from '@hono/zod-openapi';
import { type FieldKind, type FilterValue, TIME } from '../list/filter-parser.js';

const DESCRIPTION = { type: 'string', format: 'date-time' } as const;

/** A time in a body, as wall milliseconds. The document is not told of it, so that a schema for one request may hold it. */
export const timeText = textOf(TIME, (value) => (typeof value === 'number' ? value : undefined));

/** A time in a query or a body, as wall milliseconds. */
export const timeParameter = timeText.openapi(DESCRIPTION);

/** A time in a query, as its kind gives it. Call it once per process. */
export const momentParameter = (kind: FieldKind) => textOf(kind, (value) => value ?? undefined).openapi(DESCRIPTION);

function textOf<Value>(kind: FieldKind, accepted: (value: FilterValue | null | undefined) => Value | undefined) {
  return z.string().transform((text, context): Value => {
    const at = accepted(kind.parse(text));
    if (at !== undefined) return at;
    context.addIssue({ code: 'custom', message: `Must be ${kind.expected}` });
    return z.NEVER;
  });
}
