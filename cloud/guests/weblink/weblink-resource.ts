/** Weblinks: anybody who has the link can operate its product. They have texts as ids, so REST manages them by `weblink-routes.ts`. */
import { z } from 'zod';
import { PRODUCT_OPERATIONS } from '../../../shared/uplink-orders.js';
import {
  defineResource,
  endsAfterStart,
  integerField,
  listTable,
  nameValue,
  optional,
  optionalNameValue,
  referenceTo,
  required,
  textField,
  timeOrNullValue,
  timeValue,
  withDefault,
} from '../../rest/entry.js';
import { liveWeblinksWithProducts, ownWeblinks, updateWeblink, weblinksByIds } from './weblink-queries.js';

export const WEBLINK_LIST = listTable({
  from: liveWeblinksWithProducts,
  id: 'weblinks.id',
  scope: { account_id: 'weblinks.account_id', lot_id: 'products.lot_id', lotless: true },
  filters: {
    id: textField('weblinks.id'),
    account_id: integerField('weblinks.account_id'),
    lot_id: integerField('products.lot_id'),
    product_id: integerField('weblinks.product_id'),
    name: textField('weblinks.name'),
  },
  sorts: { name: 'weblinks.name' },
  rows: weblinksByIds,
});

export const WEBLINK = defineResource({
  table: 'weblinks',
  one: 'weblink',
  many: 'weblinks',
  fields: {
    product: referenceTo('products', { id: 'product_id', where: ' of this account', isFixed: true }),
    /** Without duplicates. */
    operations: withDefault(
      z.array(z.enum(PRODUCT_OPERATIONS)).min(1, 'must name an operation').max(100),
      ['open', 'close'],
      {
        columns: { operations: { from: (operations: readonly string[]) => JSON.stringify([...new Set(operations)]) } },
      },
    ),
    /** null: open-ended. */
    end_time: withDefault(timeOrNullValue, null),
  },
  restFields: {
    name: withDefault(optionalNameValue, ''),
    start_time: required(timeValue),
  },
  fileFields: {
    name: required(nameValue),
    /** Left out: the time of creation. */
    start_time: optional(timeValue),
  },
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
