/** /v2/key-logs and /v2/key-invitations: the keys of guests. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import type { Caller } from '../../kernel/auth/entry.js';
import type { Db, Row } from '../../kernel/store/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import {
  type AnswerOf,
  checkIds,
  type Endpoint,
  idValue,
  integerField,
  listEndpoint,
  listTable,
  MANAGERS,
  nameValue,
  newBody,
  personField,
  personIdField,
  plainColumns,
  protectedEndpoint,
  referencesOf,
  type ResourceDeps,
  restFieldsOf,
  valuesOfBody,
  visibleIds,
  visibleRow,
} from '../../rest/entry.js';
import { KEY_LOG, KEY_LOG_ANSWER, representKeyLog } from './key-log-resource.js';
import { changeKey, type KeyChangeDeps, lockKeys } from './change-keys.js';
import { type GuestCredentialsDeps, mintingCredentials } from './guest-credentials.js';
import { issueKeys, type NewKey } from './issue-keys.js';
import { keysToSend } from './issue-queries.js';
import { KEY_LOG_FIELDS, KEY_LOG_STATUSES, KEY_RECEIVER, KEY_RECEIVER_FIELDS } from './key-log-fields.js';
import {
  type KeyLogDetails,
  keyLogsByIds,
  liveKeyLogs,
  LOTS_OF_RECEIVER,
  RECEIVER_EMAIL_OF_LOG,
  receiversByIds,
  receiverField,
} from './key-log-queries.js';
import { sendKeys } from './send-keys.js';

const PATH = '/v2/key-logs';
const ONE = `${PATH}/{id}` as const;
const TAG = 'Key logs';
/** The maximum number of keys that one request may change or send. */
const KEYS_MAX = 1_000;

export const KEY_LOG_LIST = listTable<KeyLogDetails, number>({
  from: liveKeyLogs,
  id: 'key_logs.id',
  datedBy: 'operation_tokens.start_time',
  scope: { account_id: 'key_logs.account_id', lot_id: 'products.lot_id', lotless: true },
  fields: KEY_LOG_FIELDS,
  filters: {
    account_id: integerField('key_logs.account_id'),
    lot_id: integerField('products.lot_id'),
    zone_id: integerField('products.zone_id'),
    receiver_identifier: receiverField,
    receiver_id: personIdField('operation_keys.receiver_id'),
    receiver_email: personField(RECEIVER_EMAIL_OF_LOG),
    sender_id: personIdField('key_logs.sender_id'),
    sender_email: personField('account_users.email'),
  },
  sorts: { created_at: 'key_logs.created_at' },
  rows: keyLogsByIds,
});

const RECEIVER_LIST = listTable<Row<'key_receivers'>, number>({
  from: 'key_receivers',
  id: 'key_receivers.id',
  scope: { account_id: 'key_receivers.account_id', lots: LOTS_OF_RECEIVER, lotless: true },
  fields: KEY_RECEIVER_FIELDS,
  rows: receiversByIds,
});

const changeBody = z.strictObject({ name: nameValue, status: z.enum(KEY_LOG_STATUSES) }).partial();
const idsField = z.array(idValue).min(1, 'must name a key log').max(KEYS_MAX);
const idsBody = z.strictObject({ ids: idsField });
const changesBody = changeBody.extend({ ids: idsField });
const outcomesSchema = z.array(z.strictObject({ success: z.boolean(), id: z.number().int() }));

export interface KeyLogDeps
  extends Pick<ResourceDeps, 'store' | 'clock' | 'lists'>,
    KeyChangeDeps,
    GuestCredentialsDeps {}

export function keyLogEndpoints(deps: KeyLogDeps): Endpoint[] {
  return [...readEndpoints(deps), createEndpoint(deps), ...changeEndpoints(deps), ...sendEndpoints(deps)];
}

function representAll(deps: GuestCredentialsDeps, rows: readonly KeyLogDetails[]): AnswerOf<typeof KEY_LOG_FIELDS>[] {
  const mint = mintingCredentials(deps);
  return rows.map((row) => representKeyLog(row, mint(row.token, row.product?.product ?? null)));
}

/** @throws ApiError NOT_FOUND when the key no longer exists */
async function recordOf(deps: GuestCredentialsDeps, db: Db, id: number): Promise<AnswerOf<typeof KEY_LOG_FIELDS>> {
  const [record] = representAll(deps, await keyLogsByIds(db, [id]));
  if (record === undefined) throw new ApiError(NOT_FOUND);
  return record;
}

const finding =
  ({ store }: Pick<KeyLogDeps, 'store'>) =>
  ({ caller, ids }: { caller: Caller; ids: { id: number } }) =>
    visibleRow(store.reader, KEY_LOG_LIST, { caller, id: ids.id });

function readEndpoints(deps: KeyLogDeps): Endpoint[] {
  const { store, clock } = deps;
  return [
    listEndpoint({
      path: PATH,
      summary: 'List key logs',
      tag: TAG,
      roles: MANAGERS,
      store,
      clock,
      table: KEY_LOG_LIST,
      item: KEY_LOG_ANSWER.schema,
      items: (rows) => representAll(deps, rows),
    }),
    listEndpoint({
      path: `${PATH}/receiver-emails`,
      summary: 'List the people to whom keys were mailed',
      tag: TAG,
      roles: MANAGERS,
      store,
      clock,
      table: RECEIVER_LIST,
      item: KEY_RECEIVER.schema,
      items: (rows) => rows.map((row) => KEY_RECEIVER.of(row)),
    }),
    protectedEndpoint({
      method: 'get',
      path: ONE,
      summary: 'Get a key log',
      tag: TAG,
      roles: MANAGERS,
      answer: KEY_LOG_ANSWER.schema,
      moving: ['product', 'invitation'],
      find: finding(deps),
      handle: ({ found }) => recordOf(deps, store.reader, found.id),
    }),
  ];
}

function createEndpoint(deps: KeyLogDeps): Endpoint {
  const { store, clock, configChanged, lists } = deps;
  return protectedEndpoint({
    method: 'post',
    path: PATH,
    summary: 'Give a key to somebody, or to a license plate',
    tag: TAG,
    roles: MANAGERS,
    body: newBody(KEY_LOG),
    checkIds: checkIds(store, referencesOf(lists, KEY_LOG)),
    auditValues: ['product_id', 'receiver_identifier_type'],
    answer: KEY_LOG_ANSWER.schema,
    async handle({ caller, body, change }) {
      const now = clock.now();
      const values = valuesOfBody(KEY_LOG, body);
      // The definition of the resource guarantees these columns and values.
      const columns = plainColumns(restFieldsOf(KEY_LOG), values) as Omit<NewKey, 'product_id'>;
      const { product, start_time, end_time } = values as {
        product: number;
        start_time: number;
        end_time: number | null;
      };
      return change(async (tx) => {
        const [id = 0] = await issueKeys(tx, {
          keys: [{ ...columns, product_id: product }],
          start_time,
          end_time,
          is_unlimited: 1,
          operations: ['open', 'close'],
          locale: null,
          sender_id: caller.user_id,
          now,
          configChanged,
        });
        noteAudit(tx, { made: id });
        return recordOf(deps, tx, id);
      });
    },
  });
}

function changeEndpoints(deps: KeyLogDeps): Endpoint[] {
  const { store, clock } = deps;
  return [
    protectedEndpoint({
      method: 'patch',
      path: PATH,
      summary: 'Change several key logs',
      tag: TAG,
      roles: MANAGERS,
      body: changesBody,
      auditValues: ['ids', 'status'],
      answer: outcomesSchema,
      async handle({ caller, body: { ids, ...wanted }, change }) {
        const known = new Set(await visibleIds(store.reader, KEY_LOG_LIST, { caller, ids: [...new Set(ids)] }));
        return change(async (tx) => {
          await lockKeys(tx, [...known]);
          const denied = new Set<number>();
          const keysDenied = (product_ids: Iterable<number>) => {
            for (const id of product_ids) denied.add(id);
          };
          const changed = new Set<number>();
          for (const id of known) {
            const isChanged = await isDone(() =>
              changeKey(tx, { ...deps, keysDenied }, { id, now: clock.now(), ...wanted }),
            );
            if (isChanged) changed.add(id);
          }
          // Each product is told once, after all of its keys have been changed.
          tx.onCommit(() => deps.keysDenied(denied));
          noteAudit(tx, { lot_id: null });
          return ids.map((id) => ({ success: changed.has(id), id }));
        });
      },
    }),
    protectedEndpoint({
      method: 'patch',
      path: ONE,
      summary: 'Change a key log: its name, its status',
      tag: TAG,
      roles: MANAGERS,
      body: changeBody,
      auditValues: ['status'],
      answer: KEY_LOG_ANSWER.schema,
      find: finding(deps),
      handle: ({ found: { id }, body, change }) =>
        change(async (tx) => {
          await changeKey(tx, deps, { id, now: clock.now(), ...body });
          return recordOf(deps, tx, id);
        }),
    }),
    protectedEndpoint({
      method: 'delete',
      path: ONE,
      summary: 'Delete a key log: the key opens nothing any more',
      tag: TAG,
      roles: MANAGERS,
      answer: KEY_LOG_ANSWER.schema,
      find: finding(deps),
      handle: ({ found: { id }, change }) =>
        change(async (tx) => {
          await changeKey(tx, deps, { id, now: clock.now(), status: 'deleted' });
          return recordOf(deps, tx, id);
        }),
    }),
  ];
}

/** Whether the change of one of several keys was accepted. */
async function isDone(change: () => Promise<void>): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** The two endpoints that send the mails of keys again. */
function sendEndpoints({ store, clock }: { store: KeyLogDeps['store']; clock: Clock }): Endpoint[] {
  return (['/v2/key-logs/resend', '/v2/key-invitations/resend'] as const).map((path) =>
    protectedEndpoint({
      method: 'post',
      path,
      summary: 'Mail keys again',
      tag: TAG,
      roles: MANAGERS,
      body: idsBody,
      auditValues: ['ids'],
      answer: outcomesSchema,
      async handle({ caller, body: { ids }, change }) {
        const now = clock.now();
        const known = await visibleIds(store.reader, KEY_LOG_LIST, { caller, ids: [...new Set(ids)] });
        return change(async (tx) => {
          await lockKeys(tx, known);
          const keys = await keysToSend(tx, { key_log_ids: known, now });
          await sendKeys(tx, keys, now);
          const sent = new Set(keys.map(({ key_log_id }) => key_log_id));
          return ids.map((id) => ({ success: sent.has(id), id }));
        });
      },
    }),
  );
}
