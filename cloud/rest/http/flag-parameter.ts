import { z } from '@hono/zod-openapi';
import { FLAG } from '../list/filter-parser.js';

/** A flag in a query, as 0 or 1; 0 when left out. */
export const flagParameter = z
  .string()
  .transform((text, context): number => {
    const flag = FLAG.parse(text);
    if (typeof flag === 'number') return flag;
    context.addIssue({ code: 'custom', message: `Must be ${FLAG.expected}` });
    return z.NEVER;
  })
  .default(0)
  .openapi({ type: 'string', enum: ['0', '1', 'false', 'true'], default: '0' });
