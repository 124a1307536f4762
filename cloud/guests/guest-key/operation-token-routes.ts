/** GET /v2/operation-tokens, and whether a product has learned that a token was blocked. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import {
  datetime,
  type Endpoint,
  id,
  iso,
  listEndpoint,
  listTable,
  MANAGERS,
  orNull,
  protectedEndpoint,
  visibleRow,
} from '../../rest/entry.js';
import { denialOfToken } from '../../equipment/entry.js';
import type { CloudStore, Row } from '../../kernel/store/entry.js';
import { type GuestCredentialsDeps, mintingCredentials } from './guest-credentials.js';
import { OPERATION_TOKEN_ANSWER, OPERATION_TOKEN_FIELDS } from './operation-token-fields.js';
import { type TokenDetails, tokensByIds, tokensWithProducts } from './operation-token-queries.js';

const PATH = '/v2/operation-tokens';
const TAG = 'Operation tokens';

const LIST = listTable<TokenDetails, number>({
  from: tokensWithProducts,
  id: 'operation_tokens.id',
  datedBy: 'operation_tokens.start_time',
  scope: { account_id: 'operation_tokens.account_id', lot_id: 'products.lot_id', lotless: true },
  fields: OPERATION_TOKEN_FIELDS,
  sorts: { name: 'products.name' },
  rows: tokensByIds,
});

/** An item of the list. `product` null: it was removed. */
const listedTokenSchema = z
  .strictObject({
    ...OPERATION_TOKEN_ANSWER.schema.shape,
    product: orNull(z.strictObject({ device_id: z.string(), id })).describe('The product; null when it was removed.'),
  })
  .openapi('OperationTokenWithProduct');

/** Whether the product has learned that the token is no longer valid. */
const tokenDeliverySchema = z
  .strictObject({
    state: z
      .enum(['none', 'pending', 'delivered'])
      .describe(
        'Whether the product has heard that the token is no longer good: `none` when there is nothing to hear.',
      ),
    delivered_at: datetime.nullable().describe('When the product had confirmed it; null before.'),
  })
  .openapi('OperationTokenDelivery');

export function operationTokenEndpoints(deps: GuestCredentialsDeps & { store: CloudStore; clock: Clock }): Endpoint[] {
  const { store, clock } = deps;
  return [
    listEndpoint({
      path: PATH,
      summary: 'List operation tokens with their credentials',
      tag: TAG,
      roles: MANAGERS,
      // Whoever has the credentials of a token opens by it.
      auditAs: 'operation_token.read',
      store,
      clock,
      table: LIST,
      item: listedTokenSchema,
      items(rows) {
        const mint = mintingCredentials(deps);
        return rows.map(({ token, product }) => ({
          ...OPERATION_TOKEN_ANSWER.of(token, mint(token, product?.product ?? null)),
          product: product === null ? null : { device_id: product.product.device_id, id: product.id },
        }));
      },
    }),
    protectedEndpoint({
      method: 'get',
      path: `${PATH}/{id}/delivery`,
      summary: 'Whether the product knows that an operation token was blocked',
      tag: TAG,
      roles: MANAGERS,
      auditAs: 'operation_token.read',
      answer: tokenDeliverySchema,
      async find({ caller, ids }) {
        const row = await visibleRow(store.reader, LIST, { caller, id: ids.id });
        return row && { ...row, lot_id: row.product?.lot_id ?? null };
      },
      handle: async ({ found }) => representDelivery(await denialOfToken(store.reader, found.token), clock.now()),
    }),
  ];
}

/** @param denial the denial of the token's present credential; undefined: there is none, so the product need not be told */
function representDelivery(
  denial: Pick<Row<'token_denials'>, 'delivered_at' | 'ends_at'> | undefined,
  now: number,
): z.infer<typeof tokenDeliverySchema> {
  if (denial === undefined) return { state: 'none', delivered_at: null };
  const { delivered_at, ends_at } = denial;
  if (delivered_at !== null) return { state: 'delivered', delivered_at: iso(delivered_at) };
  // A product refuses an expired credential by itself.
  return { state: ends_at !== null && ends_at <= now ? 'none' : 'pending', delivered_at: null };
}
