/** The envelope of answers, as the document describes it beside `data`. */
import { z } from '@hono/zod-openapi';

export const errorEnvelopeSchema = z
  .object({
    success: z.literal(false),
    errors: z.array(z.object({ code: z.number().int(), message: z.string(), field: z.string().optional() })),
  })
  .openapi('Errors');

const warningSchema = z
  .object({
    code: z.string().describe('What it is about: `plate_taken`, a plate that another one has, too.'),
    message: z.string(),
    field: z.string().describe('The field of the body that it is about, as errors name it.'),
  })
  .openapi('Warning');

/** `next_page_url` and `previous_page_url` are null at the ends. */
export const listMetaSchema = z
  .object({
    total: z.number().int().describe('The items on all pages together.'),
    per_page: z.number().int().describe('The most items that a page has.'),
    current_page: z.number().int().describe('The page that this is; the first is 1.'),
    last_page: z.number().int().describe('The number of the last page, at least 1.'),
    first_page: z.number().int().describe('The number of the first page: 1.'),
    first_page_url: z.string().describe('The first page, relative to this service.'),
    last_page_url: z.string().describe('The last page, relative to this service.'),
    next_page_url: z.string().nullable().describe('The next page, relative to this service; null on the last one.'),
    previous_page_url: z
      .string()
      .nullable()
      .describe('The page before, relative to this service; null on the first one.'),
  })
  .openapi('Meta');

export const warningsSchema = z
  .array(warningSchema)
  .optional()
  .describe('The warnings of a change that was made and is perhaps not meant; left out when there is none.');
