/** The representation of weblinks in the REST interface. */
import { decodeJson } from '../../../shared/json-text-codec.js';
import { z } from '@hono/zod-openapi';
import { PRODUCT_OPERATIONS, type ProductOperation } from '../../../shared/uplink-orders.js';
import { datetime, id, iso, isoOrNull, times, timesOf } from '../../rest/field/answer-schemas.js';
import type { Row } from '../../kernel/store/entry.js';

/** A weblink without its token, which only the answer to its creation contains. */
export const weblinkSchema = z
  .strictObject({
    id: z.string().describe('The id of the link, as it stands in the address.'),
    product_id: id,
    name: z.string(),
    operations: z.array(z.enum(PRODUCT_OPERATIONS)).describe('What the bearer of the link may ask of the product.'),
    start_time: datetime,
    end_time: datetime.nullable(),
    used_count: z.number().int().describe('How often it was used.'),
    revoked_at: datetime.nullable().describe('When the link was ended by a person; null when nobody did.'),
    ...times,
  })
  .openapi('Weblink');

/** The only answer that contains token and URL. Both are null when the answer is repeated. */
export const newWeblinkSchema = z
  .strictObject({
    ...weblinkSchema.shape,
    token: z.string().nullable(),
    url: z
      .string()
      .nullable()
      .describe(
        'The address of the page on which the link is used. It is shown once; null when an answer is repeated.',
      ),
  })
  .openapi('NewWeblink');

export function representWeblink(row: Row<'weblinks'>): z.infer<typeof weblinkSchema> {
  const { product_id, name, used_count } = row;
  const shown = { start_time: iso(row.start_time), end_time: isoOrNull(row.end_time) };
  const operations = weblinkOperations(row);
  return {
    id: row.id,
    product_id,
    name,
    operations,
    ...shown,
    used_count,
    revoked_at: isoOrNull(row.revoked_at),
    ...timesOf(row),
  };
}

/** Returns the operations that the link allows. */
export const weblinkOperations = (row: Pick<Row<'weblinks'>, 'operations'>): ProductOperation[] =>
  decodeJson(row.operations);
