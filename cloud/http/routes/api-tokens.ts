import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import type { TokenRevocations } from '../../auth/token-revocations.js';
import { makeToken } from '../../secrets/made-secrets.js';
import { noteAudit } from '../../store/audit-scope.js';
import type { CloudStore } from '../../store/cloud-store.js';
import { API_TOKEN_LIST } from '../../store/lists/api-tokens-list.js';
import { deleteApiToken, findApiToken, insertApiToken } from '../../store/queries/api-tokens.js';
import { apiTokenRecord, apiTokenSchema, newApiTokenSchema } from '../account-resources.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { listEndpoint } from '../list-endpoint.js';
import { nameText } from '../validation.js';

const TAG = 'Authentication and tokens';
/** With the user's own token: an API token neither makes nor ends one. */
const ACCESS = { tag: TAG, roles: ['Super Admin'], userTokenOnly: true } as const;

/** GET, POST /v2/api-tokens, DELETE /v2/api-tokens/{id} */
export function apiTokenEndpoints(deps: {
  store: CloudStore;
  hashToken: (token: string) => string;
  revocations: TokenRevocations;
  clock: Clock;
}): Endpoint[] {
  const { store, hashToken, revocations, clock } = deps;
  return [
    listEndpoint({
      path: '/v2/api-tokens',
      summary: 'List API tokens, without their values',
      ...ACCESS,
      store,
      clock,
      table: API_TOKEN_LIST,
      item: apiTokenSchema,
      items: (rows) => rows.map(apiTokenRecord),
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/api-tokens',
      summary: 'Create an API token; its value is in this answer only',
      ...ACCESS,
      body: z.strictObject({ name: nameText }),
      answer: newApiTokenSchema,
      shownOnce: ['token'],
      async handle({ caller, body }) {
        const token = makeToken();
        const now = clock.now();
        const row = await store.change(async (tx) => {
          const made = await insertApiToken(tx, {
            account_id: caller.account_id,
            name: body.name,
            token_hash: hashToken(token),
            created_at: now,
            updated_at: now,
          });
          noteAudit({ made: made.id });
          return made;
        });
        return { ...apiTokenRecord(row), token };
      },
    }),
    protectedEndpoint({
      method: 'delete',
      path: '/v2/api-tokens/{id}',
      summary: 'Revoke an API token; its realtime connections close',
      ...ACCESS,
      answer: apiTokenSchema,
      find: ({ caller, ids }) => findApiToken(store.reader, { id: ids.id, account_id: caller.account_id }),
      async handle({ found }) {
        await store.change((tx) => deleteApiToken(tx, found.id));
        revocations.revoked([{ kind: 'api', token_id: found.id }]);
        return apiTokenRecord(found);
      },
    }),
  ];
}
