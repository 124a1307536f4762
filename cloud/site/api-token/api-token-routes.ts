import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import {
  checkIds,
  type Endpoint,
  idsValue,
  listEndpoint,
  protectedEndpoint,
  referencesOf,
  referencesTo,
  type ResourceDeps,
  timeOrNullValue,
  timeValue,
} from '../../rest/entry.js';
import { ALL_ROLES, ROLE_IDS, type TokenRevocations } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { generateToken } from '../../kernel/secrets/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import { apiTokenNameValue } from './api-token-fields.js';
import { API_TOKEN_ANSWER, API_TOKEN_LIST, newApiTokenSchema, representApiToken } from './api-token-resource.js';
import { deleteApiToken, findApiToken, insertApiToken } from './api-token-queries.js';

const TAG = 'Authentication and tokens';
/** The lots of a token. A caller may only name lots that it can see. */
const LOTS = referencesTo('lots', {
  id: 'lot_ids',
  pairs: { table: 'api_token_lots', from: 'api_token_id', to: 'lot_id', isOrdered: false },
});
/** An API token can neither create nor revoke API tokens. */
const ACCESS = { tag: TAG, roles: ['Super Admin'], userTokenOnly: true } as const;

const newTokenBody = z.strictObject({
  name: apiTokenNameValue.describe('What the token is for, for people.'),
  role: z.enum(ALL_ROLES).default('Super Admin'),
  lot_ids: idsValue.nullable().default(null),
  expires_at: timeOrNullValue.default(null),
});

/** The body of a new token. By this clock, the end of the token must be in the future. */
const newTokenBodyBy = (clock: Clock) =>
  newTokenBody.extend({
    expires_at: timeValue
      .refine((ms) => ms > clock.now(), 'must be in the future')
      .nullable()
      .default(null),
  });

/** GET, POST /v2/api-tokens, DELETE /v2/api-tokens/{id} */
export function apiTokenEndpoints(deps: {
  store: CloudStore;
  hashToken: (token: string) => string;
  revocations: TokenRevocations;
  clock: Clock;
  lists: ResourceDeps['lists'];
}): Endpoint[] {
  const { store, hashToken, revocations, clock } = deps;
  const newTokenBodyNow = newTokenBodyBy(clock);
  return [
    listEndpoint({
      path: '/v2/api-tokens',
      summary: 'List API tokens, without their values',
      ...ACCESS,
      store,
      clock,
      table: API_TOKEN_LIST,
      item: API_TOKEN_ANSWER.schema,
      items: (rows) => rows.map(representApiToken),
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/api-tokens',
      summary: 'Create an API token; its value is in this answer only',
      ...ACCESS,
      body: newTokenBody,
      bodyFor: () => newTokenBodyNow,
      checkIds: checkIds(store, referencesOf(deps.lists, { fields: { lots: LOTS }, restFields: {} })),
      answer: newApiTokenSchema,
      shownOnce: ['token'],
      async handle({ caller, body, change }) {
        const token = generateToken();
        const now = clock.now();
        const { name, role, lot_ids, expires_at } = body;
        const row = {
          account_id: caller.account_id,
          name,
          token_hash: hashToken(token),
          account_user_role_id: ROLE_IDS[role],
          expires_at,
          created_at: now,
          updated_at: now,
        };
        const details = await change(async (tx) => {
          const made = await insertApiToken(tx, { row, lot_ids });
          noteAudit(tx, { made: made.id });
          return made;
        });
        return { ...representApiToken(details), token };
      },
    }),
    protectedEndpoint({
      method: 'delete',
      path: '/v2/api-tokens/{id}',
      summary: 'Revoke an API token; its realtime connections close',
      ...ACCESS,
      answer: API_TOKEN_ANSWER.schema,
      find: ({ caller, ids }) => findApiToken(store.reader, { id: ids.id, account_id: caller.account_id }),
      named: representApiToken,
      async handle({ found, change }) {
        await change(async (tx) => {
          if (!(await deleteApiToken(tx, found.id))) throw new ApiError(NOT_FOUND);
          tx.onCommit(() => revocations.revoke([{ kind: 'api', token_id: found.id }]));
        });
        return representApiToken(found);
      },
    }),
  ];
}
