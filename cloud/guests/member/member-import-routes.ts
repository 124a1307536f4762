/** /v2/member-imports: files of members that the service writes by itself, whoever looks on. */
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import type { CloudStore, Db } from '../../kernel/store/entry.js';
import {
  BODY_BYTES,
  type Endpoint,
  listEndpoint,
  MANAGERS,
  protectedEndpoint,
  readEndpoints,
  type Values,
  visibleIds,
  visibleRow,
} from '../../rest/entry.js';
import { nameOfCaller } from '../../site/entry.js';
import { GROUP_LIST } from './group-resource.js';
import { groupsNamed, importBody, sentLines, unknownGroups } from './member-import-body.js';
import { IMPORT_LINE_LIST, IMPORT_LIST } from './member-import-list.js';
import { importLineSchema, importSchema, representImport, representImportLine } from './member-import-payload.js';
import { endImport, holdRunning, importsByIds, insertImport } from './member-import-queries.js';
import { type MemberWriteDeps, plateListsChanged } from './write-members.js';

const PATH = '/v2/member-imports';
const ONE = `${PATH}/{id}` as const;
const TAG = 'Members and groups';

interface ImportDeps extends Pick<MemberWriteDeps, 'configChanged'> {
  store: CloudStore;
  clock: Clock;
}

async function recordOf(db: Db, id: number) {
  const [row] = await importsByIds(db, [id]);
  if (row === undefined) throw new ApiError(NOT_FOUND);
  return representImport(row);
}

export const memberImportEndpoints = (deps: ImportDeps): Endpoint[] => [
  ...importReadEndpoints(deps),
  ...importWriteEndpoints(deps),
];

function importReadEndpoints(deps: ImportDeps): Endpoint[] {
  const { store, clock } = deps;
  return [
    ...readEndpoints(deps, {
      path: PATH,
      tag: TAG,
      one: 'import of members',
      many: 'imports of members',
      list: IMPORT_LIST,
      item: importSchema,
      items: (rows) => rows.map(representImport),
    }),
    listEndpoint({
      path: `${ONE}/lines`,
      summary: 'List what became of the lines of an import',
      tag: TAG,
      store,
      clock,
      table: IMPORT_LINE_LIST,
      item: importLineSchema,
      items: (rows) => rows.map(representImportLine),
      find: ({ caller, ids }) => visibleRow(store.reader, IMPORT_LIST, { caller, id: ids.id }),
      within: ({ id }) => [{ field: 'import_id', rule: 'eq', values: [id] }],
    }),
  ];
}

function importWriteEndpoints({ store, clock, configChanged }: ImportDeps): Endpoint[] {
  return [
    protectedEndpoint({
      method: 'post',
      path: PATH,
      summary: 'Begin an import of members',
      tag: TAG,
      roles: MANAGERS,
      body: importBody,
      bodyBytesMax: BODY_BYTES.bulk,
      async checkIds(body, caller) {
        const ids = groupsNamed(body);
        return unknownGroups(body, new Set(await visibleIds(store.reader, GROUP_LIST, { caller, ids })));
      },
      auditValues: ['file_name'],
      answer: importSchema,
      async handle({ caller, body: { file_name = '', lines }, change }) {
        const { kind, account_id, token_id, user_id } = caller;
        const actor =
          kind === 'api'
            ? { actor_type: 'api_token' as const, actor_id: token_id }
            : { actor_type: 'user' as const, actor_id: user_id };
        const of = { account_id, ...actor, actor_name: await nameOfCaller(store.reader, caller), file_name };
        const sent = sentLines(lines as Values[]);
        return change(async (tx) => {
          const made = await insertImport(tx, of, { lines: sent, now: clock.now() });
          if (made === null) {
            const message = 'Another import of the account has not ended: wait for it, or cancel it';
            throw new ApiError(VALIDATION, { field: 'lines', message });
          }
          noteAudit(tx, { made, details: { lines: sent.length } });
          return recordOf(tx, made);
        });
      },
    }),
    protectedEndpoint({
      method: 'post',
      path: `${ONE}/cancel`,
      summary: 'Cancel an import of members',
      tag: TAG,
      roles: MANAGERS,
      answer: importSchema,
      find: ({ caller, ids }) => visibleRow(store.reader, IMPORT_LIST, { caller, id: ids.id }),
      handle: ({ found, change }) =>
        change(async (tx) => {
          const running = await holdRunning(tx, found);
          if (running === null) throw new ApiError(VALIDATION, { field: 'id', message: 'It has ended already' });
          await endImport(tx, found.id, { status: 'cancelled', now: clock.now() });
          await plateListsChanged(tx, { configChanged }, found.account_id);
          noteAudit(tx, {
            details: { made: running.made_count, changed: running.changed_count, refused: running.refused_count },
          });
          return recordOf(tx, found.id);
        }),
    }),
  ];
}
