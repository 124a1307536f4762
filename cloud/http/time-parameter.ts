import { z } from '@hono/zod-openapi';
import { type FieldKind, TIME } from '../list/filter-parser.js';

/** A time in a query or a body, as wall milliseconds. */
export function timeParameter(kind: FieldKind = TIME) {
  return z
    .string()
    .transform((text, context): number => {
      const at = kind.parse(text);
      if (typeof at === 'number') return at;
      context.addIssue({ code: 'custom', message: `Must be ${kind.expected}` });
      return z.NEVER;
    })
    .openapi({ type: 'string', format: 'date-time' });
}
