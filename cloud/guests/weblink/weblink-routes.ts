import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { ALL_ROLES, type Caller } from '../../kernel/auth/entry.js';
import type { NewRow, Row } from '../../kernel/store/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import {
  changeBody,
  checkIds,
  type Endpoint,
  listEndpoint,
  lotOfRow,
  MANAGERS,
  newBody,
  plainColumns,
  problemsOf,
  protectedEndpoint,
  referenceColumns,
  referencesOf,
  type ResourceDeps,
  restFieldsOf,
  sentence,
  type Values,
  valuesOfBody,
  valuesOfRow,
  visibleRow,
} from '../../rest/entry.js';
import { insertWeblink, updateWeblink, weblinksByIds } from './weblink-queries.js';
import { newWeblinkSchema, WEBLINK, WEBLINK_ANSWER, WEBLINK_LIST } from './weblink-resource.js';
import { generateWeblink } from './weblink-tokens.js';

const PATH = '/v2/weblinks';
const ONE = `${PATH}/{id}` as const;
const TAG = 'Weblinks';

export interface WeblinkDeps extends Pick<ResourceDeps, 'store' | 'clock' | 'lists'> {
  secrets: Pick<Secrets, 'derive'>;
  baseUrl(): string;
}

/** /v2/weblinks. The product of a link cannot be changed. The URL of a link is shown once. A deleted link answers 404. */
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
      item: WEBLINK_ANSWER.schema,
      items: (rows) => rows.map((row) => WEBLINK_ANSWER.of(row)),
    }),
    protectedEndpoint({
      method: 'get',
      path: ONE,
      summary: 'Get a weblink',
      tag: TAG,
      roles: ALL_ROLES,
      answer: WEBLINK_ANSWER.schema,
      find,
      handle: async ({ found }) => WEBLINK_ANSWER.of(found),
    }),
    createEndpoint(deps),
    protectedEndpoint({
      method: 'patch',
      path: ONE,
      summary: 'Change a weblink; its token stays',
      tag: TAG,
      roles: MANAGERS,
      body: changeBody(WEBLINK),
      answer: WEBLINK_ANSWER.schema,
      find,
      async handle({ found, body, change }) {
        const row = await change(async (tx) => {
          noteAudit(tx, { lot_id: await lotOfRow(tx, WEBLINK_LIST, found.id) });
          const [present] = await weblinksByIds(tx, [found.id]);
          if (present === undefined) throw new ApiError(NOT_FOUND);
          return updateWeblink(tx, found.id, { ...changesOf(present, body), updated_at: clock.now() });
        });
        if (row === undefined) throw new ApiError(NOT_FOUND);
        return WEBLINK_ANSWER.of(row);
      },
    }),
    protectedEndpoint({
      method: 'delete',
      path: ONE,
      summary: 'Revoke a weblink',
      tag: TAG,
      roles: MANAGERS,
      answer: WEBLINK_ANSWER.schema,
      find,
      async handle({ found, change }) {
        const now = clock.now();
        const row = await change(async (tx) => {
          noteAudit(tx, { lot_id: await lotOfRow(tx, WEBLINK_LIST, found.id) });
          return updateWeblink(tx, found.id, { revoked_at: now, updated_at: now });
        });
        if (row === undefined) throw new ApiError(NOT_FOUND);
        return WEBLINK_ANSWER.of(row);
      },
    }),
  ];
}

/** @throws ApiError VALIDATION when the changed link would have contradictory values */
function changesOf(present: Row<'weblinks'>, body: Values) {
  const fields = restFieldsOf(WEBLINK);
  const given = valuesOfBody(WEBLINK, body);
  const before = valuesOfRow(fields, present);
  const problems = problemsOf(WEBLINK, { ...before, ...given }, before);
  if (problems.length === 0) return plainColumns(fields, given);
  // The error names a field that the body contains.
  const field = body.end_time === undefined && body.start_time !== undefined ? 'start_time' : 'end_time';
  throw ApiError.validation(problems.map(({ reason }) => ({ field, message: sentence(reason) })));
}

function createEndpoint({ store, clock, secrets, baseUrl, lists }: WeblinkDeps): Endpoint {
  return protectedEndpoint({
    method: 'post',
    path: PATH,
    summary: 'Create a weblink; its address is in this answer only',
    tag: TAG,
    roles: MANAGERS,
    body: newBody(WEBLINK),
    checkIds: checkIds(store, referencesOf(lists, WEBLINK)),
    auditValues: ['product_id', 'operations'],
    answer: newWeblinkSchema,
    shownOnce: ['token', 'url'],
    async handle({ caller: { account_id }, body, change }) {
      const now = clock.now();
      const { id, generation, token, url } = generateWeblink(secrets, baseUrl());
      const values = valuesOfBody(WEBLINK, body);
      const fields = restFieldsOf(WEBLINK);
      const columns = { ...plainColumns(fields, values), ...referenceColumns(fields, values) };
      const row = await change(async (tx) => {
        // The definition of the resource guarantees these columns.
        const link = columns as Pick<
          NewRow<'weblinks'>,
          'product_id' | 'name' | 'operations' | 'start_time' | 'end_time'
        >;
        const made = await insertWeblink(tx, {
          ...link,
          id,
          generation,
          account_id,
          operation_token_id: null,
          used_count: 0,
          last_event_id: null,
          revoked_at: null,
          created_at: now,
          updated_at: now,
        });
        noteAudit(tx, { made: id, lot_id: await lotOfRow(tx, WEBLINK_LIST, id) });
        return made;
      });
      return { ...WEBLINK_ANSWER.of(row), token, url };
    },
  });
}
