import { z } from '@hono/zod-openapi';
import type { Clock } from '../../shared/clock.js';
import { ApiError, NOT_FOUND } from '../../shared/errors.js';
import { noteAudit } from '../audit/audit-scope.js';
import type { TokenRevocations } from '../auth/token-revocations.js';
import { type Endpoint, protectedEndpoint } from '../http/endpoint.js';
import { listEndpoint } from '../rest/list-endpoint.js';
import { generateToken } from '../secrets/generated-secrets.js';
import type { CloudStore } from '../store/cloud-store.js';
import { apiTokenNameValue } from './api-token-resource.js';
import { API_TOKEN_LIST } from './api-token-list.js';
import { representApiToken, apiTokenSchema, newApiTokenSchema } from './api-token-payload.js';
import { deleteApiToken, findApiToken, insertApiToken } from './api-token-queries.js';

const TAG = 'Authentication and tokens';
/** An API token can neither create nor revoke API tokens. */
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
      items: (rows) => rows.map(representApiToken),
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/api-tokens',
      summary: 'Create an API token; its value is in this answer only',
      ...ACCESS,
      body: z.strictObject({ name: apiTokenNameValue }),
      answer: newApiTokenSchema,
      shownOnce: ['token'],
      async handle({ caller, body }) {
        const token = generateToken();
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
        return { ...representApiToken(row), token };
      },
    }),
    protectedEndpoint({
      method: 'delete',
      path: '/v2/api-tokens/{id}',
      summary: 'Revoke an API token; its realtime connections close',
      ...ACCESS,
      answer: apiTokenSchema,
      find: ({ caller, ids }) => findApiToken(store.reader, { id: ids.id, account_id: caller.account_id }),
      named: representApiToken,
      async handle({ found }) {
        await store.change(async (tx) => {
          if (!(await deleteApiToken(tx, found.id))) throw new ApiError(NOT_FOUND);
          tx.onCommit(() => revocations.revoke([{ kind: 'api', token_id: found.id }]));
        });
        return representApiToken(found);
      },
    }),
  ];
}
