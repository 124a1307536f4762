/** What a query or a body may hold as text: ids, flags, times. */
import { z } from '@hono/zod-openapi';
import { type MomentOrDate, parseMoment, parseTime } from '../field/iso-time-codec.js';
import { FLAG, TIME } from '../list/filter-parser.js';

/** The id of a thing in a query. */
export const idParameter = z
  .string()
  .regex(/^\d{1,15}$/, 'Must be a number')
  .transform(Number)
  .openapi({ type: 'integer', minimum: 1 });

/** A flag in a query, as 0 or 1; 0 when left out. */
export const flagParameter = z
  .string()
  .transform((text, context): number => {
    const flag = FLAG.parse(text, 'eq');
    if (typeof flag === 'number') return flag;
    context.addIssue({ code: 'custom', message: `Must be ${FLAG.expected}` });
    return z.NEVER;
  })
  .default(0)
  .openapi({ type: 'string', enum: ['0', '1', 'false', 'true'], default: '0' });

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
