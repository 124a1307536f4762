/** Weblinks: anybody who has the link can operate its product. They have texts as ids, so REST manages them by `weblink-routes.ts`. */
import { z } from '@hono/zod-openapi';
import { defineResource, endsAfterStart, integerField, listTable, representationOf } from '../../rest/entry.js';
import { WEBLINK_FIELDS } from './weblink-fields.js';
import { liveWeblinksWithProducts, ownWeblinks, updateWeblink, weblinksByIds } from './weblink-queries.js';

export const WEBLINK_LIST = listTable({
  from: liveWeblinksWithProducts,
  id: 'weblinks.id',
  scope: { account_id: 'weblinks.account_id', lot_id: 'products.lot_id', lotless: true },
  fields: WEBLINK_FIELDS,
  filters: { account_id: integerField('weblinks.account_id'), lot_id: integerField('products.lot_id') },
  rows: weblinksByIds,
});

export const WEBLINK_ANSWER = representationOf('Weblink', WEBLINK_FIELDS);

/** The only answer that contains token and URL. Both are null when the answer is repeated. */
export const newWeblinkSchema = z
  .strictObject({
    ...WEBLINK_ANSWER.schema.shape,
    token: z.string().nullable(),
    url: z
      .string()
      .nullable()
      .describe(
        'The address of the page on which the link is used. It is shown once; null when an answer is repeated.',
      ),
  })
  .openapi('NewWeblink');

export const WEBLINK = defineResource({
  table: 'weblinks',
  one: 'weblink',
  many: 'weblinks',
  fields: WEBLINK_FIELDS,
  rules: [endsAfterStart],
  unique: [{ field: 'name', within: 'account' }],
  file: {
    at: ['weblinks'],
    declare(_item, { generateWeblink, now }) {
      const { id, generation, url } = generateWeblink();
      return { initially: { id, generation, start_time: now, used_count: 0 }, made: { what: 'link', secret: url } };
    },
    rows: ownWeblinks,
    async remove(tx, { id, now }) {
      await updateWeblink(tx, String(id), { revoked_at: now, updated_at: now });
    },
  },
});
