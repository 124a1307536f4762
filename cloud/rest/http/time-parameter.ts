import { z } from '@hono/zod-openapi';
import { type MomentOrDate, parseMoment, parseTime, TIME } from '../list/filter-parser.js';

const DESCRIPTION = { type: 'string', format: 'date-time' } as const;

/** A time in a body, as wall milliseconds. The document is not told of it, so that a schema for one request may hold it. */
export const timeText = textOf(parseTime);

/** A time in a body, as wall milliseconds. */
export const timeParameter = timeText.openapi(DESCRIPTION);

/** A time in a query, or a bare date, which is a whole day of the lot: `beginOf` and `endOf` say when. */
export const momentParameter = textOf<MomentOrDate>(parseMoment).openapi(DESCRIPTION);

function textOf<Value>(parse: (text: string) => Value | undefined) {
  return z.string().transform((text, context): Value => {
    const at = parse(text);
    if (at !== undefined) return at;
    context.addIssue({ code: 'custom', message: `Must be ${TIME.expected}` });
    return z.NEVER;
  });
}
