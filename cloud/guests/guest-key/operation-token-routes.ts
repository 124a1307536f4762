/** GET /v2/operation-tokens, and whether a product has learned that a token was blocked. */
import type { Clock } from '../../../shared/clock.js';
import {
  choiceField,
  type Endpoint,
  integerField,
  listEndpoint,
  listTable,
  MANAGERS,
  protectedEndpoint,
  visibleRow,
} from '../../rest/entry.js';
import { denialOfToken } from '../../equipment/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { type GuestCredentialsDeps, mintingCredentials } from './guest-credentials.js';
import {
  listedTokenSchema,
  representDelivery,
  representOperationToken,
  TOKEN_STATUSES,
  tokenDeliverySchema,
} from './operation-token-payload.js';
import { type TokenDetails, tokensByIds, tokensWithProducts } from './operation-token-queries.js';

const PATH = '/v2/operation-tokens';
const TAG = 'Operation tokens';

const LIST = listTable<TokenDetails, number>({
  from: tokensWithProducts,
  id: 'operation_tokens.id',
  datedBy: 'operation_tokens.start_time',
  scope: { account_id: 'operation_tokens.account_id', lot_id: 'products.lot_id', lotless: true },
  filters: {
    product_id: integerField('operation_tokens.product_id'),
    status: choiceField('operation_tokens.status', TOKEN_STATUSES),
  },
  sorts: { name: 'products.name' },
  rows: tokensByIds,
});

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
          ...representOperationToken(token, mint(token, product?.product ?? null)),
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
