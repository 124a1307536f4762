import { z } from '@hono/zod-openapi';

/** The id of a thing in a query. */
export const idParameter = z
  .string()
  .regex(/^\d{1,15}$/, 'Must be a number')
  .transform(Number)
  .openapi({ type: 'integer', minimum: 1 });
