import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { PRODUCT_OPERATIONS } from '../../../shared/uplink.js';
import { ALL_ROLES, type Caller } from '../../auth/caller.js';
import type { Secrets } from '../../secrets/secrets.js';
import { noteAudit } from '../../store/audit-scope.js';
import { visibleRow } from '../../store/lists/list-table.js';
import { PRODUCT_LIST } from '../../store/lists/product-lists.js';
import { WEBLINK_LIST } from '../../store/lists/record-lists.js';
import { insertWeblink, updateWeblink } from '../../store/queries/records.js';
import { makeWeblink } from '../../weblink/weblink-tokens.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { idField, timeField, together, windowErrors, windowFields } from '../fields.js';
import { listEndpoint } from '../list-endpoint.js';
import { newWeblinkSchema, weblinkRecord, weblinkSchema } from '../record-resources.js';
import { changing, checkIds, MANAGERS, type ResourceDeps } from '../resource-endpoints.js';

const PATH = '/v2/weblinks';
const ONE = `${PATH}/{id}` as const;
const TAG = 'Weblinks';

const fields = {
  name: z.string().trim().max(200),
  /** Each once. */
  operations: z.array(z.enum(PRODUCT_OPERATIONS)).min(1).max(100),
  start_time: timeField,
  /** null: open-ended. */
  end_time: timeField.nullable(),
};

export interface WeblinkDeps extends Omit<ResourceDeps, 'configChanged'> {
  secrets: Pick<Secrets, 'derive'>;
  baseUrl(): string;
}

/** /v2/weblinks. A link stays with its product; it is shown once, and 404 after its DELETE. */
export function weblinkEndpoints(deps: WeblinkDeps): Endpoint[] {
  const { store, clock } = deps;
  const find = ({ caller, ids }: { caller: Caller; ids: { id: string } }) =>
    visibleRow(store.reader, WEBLINK_LIST, { caller, id: ids.id });
  return [
    listEndpoint({
      path: PATH,
      summary: 'List weblinks, without their tokens',
      tag: TAG,
      store,
      clock,
      table: WEBLINK_LIST,
      item: weblinkSchema,
      items: (rows) => rows.map(weblinkRecord),
    }),
    protectedEndpoint({
      method: 'get',
      path: ONE,
      summary: 'Get a weblink',
      tag: TAG,
      roles: ALL_ROLES,
      answer: weblinkSchema,
      find,
      handle: async ({ found }) => weblinkRecord(found),
    }),
    createEndpoint(deps),
    protectedEndpoint({
      method: 'patch',
      path: ONE,
      summary: 'Change a weblink; its token stays',
      tag: TAG,
      roles: MANAGERS,
      body: z.strictObject(fields).partial(),
      answer: weblinkSchema,
      find,
      async handle({ found, body: { operations, ...columns } }) {
        const row = await store.change(async (tx) => {
          const { start_time, end_time } = columns;
          const changed = await updateWeblink(tx, found.id, {
            ...columns,
            operations: operations === undefined ? undefined : operationsColumn(operations),
            updated_at: clock.now(),
          });
          const errors = changed === undefined ? [] : windowErrors(changed);
          if (errors.length === 0) return changed;
          // The field that was given is the one that is wrong.
          const field = end_time === undefined && start_time !== undefined ? 'start_time' : 'end_time';
          throw ApiError.validation(errors.map((error) => ({ ...error, field })));
        });
        if (row === undefined) throw new ApiError(6);
        return weblinkRecord(row);
      },
    }),
    protectedEndpoint({
      method: 'delete',
      path: ONE,
      summary: 'Revoke a weblink',
      tag: TAG,
      roles: MANAGERS,
      answer: weblinkSchema,
      find,
      async handle({ found }) {
        const now = clock.now();
        const row = await store.change((tx) => updateWeblink(tx, found.id, { revoked_at: now, updated_at: now }));
        if (row === undefined) throw new ApiError(6);
        return weblinkRecord(row);
      },
    }),
  ];
}

function createEndpoint({ store, clock, secrets, baseUrl }: WeblinkDeps): Endpoint {
  return protectedEndpoint({
    method: 'post',
    path: PATH,
    summary: 'Create a weblink; its token and address are in this answer only',
    tag: TAG,
    roles: MANAGERS,
    body: z
      .strictObject({
        product_id: idField,
        ...fields,
        name: fields.name.default(''),
        operations: fields.operations.default(['open', 'close']),
        end_time: fields.end_time.default(null),
      })
      .superRefine(...together(windowFields, windowErrors)),
    checkIds: checkIds(store, { product_id: PRODUCT_LIST }),
    auditValues: ['product_id', 'operations'],
    answer: newWeblinkSchema,
    shownOnce: ['token', 'url'],
    async handle({ caller: { account_id }, body }) {
      const now = clock.now();
      const { id, generation, token, url } = makeWeblink(secrets, baseUrl());
      const row = await changing({}, () =>
        store.change((tx) => {
          noteAudit({ made: id });
          return insertWeblink(tx, {
            ...body,
            id,
            generation,
            account_id,
            operation_token_id: null,
            operations: operationsColumn(body.operations),
            used_count: 0,
            last_event_id: null,
            revoked_at: null,
            created_at: now,
            updated_at: now,
          });
        }),
      );
      return { ...weblinkRecord(row), token, url };
    },
  });
}

const operationsColumn = (operations: readonly string[]): string => JSON.stringify([...new Set(operations)]);
