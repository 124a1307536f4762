/** What is known of a weblink. */
import { z } from 'zod';
import { decodeJson, type JsonText } from '../../../shared/json-text-codec.js';
import { PRODUCT_OPERATIONS, type ProductOperation } from '../../../shared/uplink-orders.js';
import {
  inner,
  jsonColumn,
  nameValue,
  optionalNameValue,
  referenceTo,
  required,
  shown,
  TIME,
  TIME_OR_NULL,
  timeOrNullField,
  TIMES,
  timeValue,
  withDefault,
} from '../../rest/entry.js';

export const WEBLINK_FIELDS = {
  /** 12 or more of A-Za-z0-9_-. */
  id: shown(z.string(), { filter: true, says: 'The id of the link, as it stands in the address.' }),
  account_id: inner({ partOf: 'accounts' }),
  product: referenceTo('products', { id: 'product_id', where: ' of this account', isFixed: true, filter: true }),
  /** The key that the link was sent with. The link stops working when that key does. null: it was not sent with a key. */
  operation_token_id: inner({ partOf: 'operation_tokens', isNullable: true }),
  name: withDefault(optionalNameValue, '', { isRequiredInFile: true, inFile: nameValue, filter: true, sort: true }),
  /** Without duplicates; the words are those of the state call. */
  operations: withDefault(
    z.array(z.enum(PRODUCT_OPERATIONS)).min(1, 'must name an operation').max(100),
    ['open', 'close'],
    {
      columns: {
        operations: jsonColumn<ProductOperation[]>((operations: readonly string[]) =>
          JSON.stringify([...new Set(operations)]),
        ),
      },
      read: ({ operations }) => decodeJson(operations as JsonText<ProductOperation[]>),
      says: 'What the bearer of the link may ask of the product.',
    },
  ),
  /** Left out of a site file: the time of creation. */
  start_time: required(timeValue, { form: TIME, inFile: timeValue.optional() }),
  /** null: open-ended. */
  end_time: timeOrNullField(),
  used_count: shown(z.number().int(), { says: 'How often it was used.' }),
  /** The token is derived from id and generation, so a new generation means a new token. */
  generation: inner('integer'),
  /** The event_id of the last command that was given with the link; null: none. */
  last_event_id: inner('text null'),
  revoked_at: shown(TIME_OR_NULL, { says: 'When the link was ended by a person; null when nobody did.' }),
  ...TIMES,
};
