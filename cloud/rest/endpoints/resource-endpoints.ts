/**
 * The endpoints of a resource: list, POST, GET, PATCH and DELETE. The scope of its list (account and lots) decides for its own id and for
 * the ids in its bodies. Effects of a change run after its commit (`tx.onCommit`).
 */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import { ALL_ROLES, type Caller, type Role } from '../../kernel/auth/entry.js';
import { type CloudStore, type Db, deleteRow, isStoreError, type Tx } from '../../kernel/store/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import { listEndpoint } from './list-endpoint.js';
import { type ListTable, lotOfRow, visibleIds, visibleRow, writableRow } from '../list/list-table.js';
import { changeBody, newBody } from '../resource/bodies.js';
import type { Hold } from '../resource/deletion.js';
import type { ConfigChanged } from '../resource/config-changed.js';
import type { Resource, RestForm, RestServices, Shown } from '../resource/resource.js';
import { sentence } from '../resource/sentence.js';
import { LIST_MAX } from '../field/values.js';
import { iso } from '../field/answer-schemas.js';
import { type Endpoint, protectedEndpoint } from '../request/endpoint.js';
import { insertResource, updateResource } from './resource-writes.js';
import type { ResourceLists, RestResource } from './rest-resource.js';
import type { FieldError } from '../request/validation.js';

/** The roles that may change resources. */
export const MANAGERS: readonly Role[] = ['Super Admin', 'Admin'];

export interface ResourceDeps {
  store: CloudStore;
  clock: Clock;
  secrets: Pick<Secrets, 'seal' | 'open'>;
  /** The list of each resource, by its table. */
  lists: ResourceLists;
  configChanged: ConfigChanged;
  services: RestServices;
}

/** The lists that the ids in a body are checked against, by the body's fields. */
export type References = Readonly<Record<string, ListTable<unknown>>>;

/** All five endpoints; without POST if the resource's own routes create it. */
export function resourceEndpoints(deps: ResourceDeps, resource: RestResource): Endpoint[] {
  return [
    ...readEndpoints(deps, { ...resource.rest, one: resource.one, many: resource.many }),
    changeEndpoint(deps, resource),
    deleteEndpoint(deps, resource),
    ...(resource.rest.isMadeElsewhere ? [] : [createEndpoint(deps, resource)]),
  ];
}

/** A resource that can be listed and read by its id. */
export interface Readable<Row extends { id: number }, Item>
  extends Pick<RestForm<Row, Item>, 'path' | 'tag' | 'list' | 'item' | 'items'> {
  one: string;
  many: string;
}

/** Creates GET of the list and of one item. */
export function readEndpoints<Row extends { id: number }, Item>(
  { store, clock }: Pick<ResourceDeps, 'store' | 'clock'>,
  { path, tag, one, many, list, item, items }: Readable<Row, Item>,
): Endpoint[] {
  return [
    listEndpoint({
      store,
      clock,
      path,
      summary: `List ${many}`,
      tag,
      table: list,
      item,
      items: (rows, now, caller) => items(rows, { db: store.reader, now, caller }),
    }),
    protectedEndpoint({
      method: 'get',
      path: onePath(path),
      summary: `Get ${withArticle(one)}`,
      tag,
      roles: ALL_ROLES,
      answer: item,
      find: ({ caller, ids }) => visibleRow(store.reader, list, { caller, id: ids.id }),
      handle: ({ caller, found }) => recordOf({ items }, found, { db: store.reader, caller, now: clock.now() }),
    }),
  ];
}

function createEndpoint(deps: ResourceDeps, resource: RestResource): Endpoint {
  const { store, clock } = deps;
  const { path, tag, item } = resource.rest;
  return protectedEndpoint({
    method: 'post',
    path,
    summary: `Create ${withArticle(resource.one)}`,
    tag,
    roles: MANAGERS,
    body: newBody(resource),
    checkIds: checkIds(store, referencesOf(deps.lists, resource)),
    answer: item,
    warns: warnsOf(resource),
    async handle({ caller, body, change, warn }) {
      const now = clock.now();
      const row = await refusingConflicts(resource, () =>
        change(async (tx) => {
          const made = await insertResource(tx, resource, { ...deps, caller, body, now });
          noteAudit(tx, { made, lot_id: await lotOfRow(tx, resource.rest.list, made) });
          const inserted = await rowOf(tx, resource, made);
          notifyGateways(tx, deps, { resource, lots: await resource.rest.gatewaysOf(inserted, tx) });
          warn((await resource.rest.warnings?.(tx, { id: made, body })) ?? []);
          return inserted;
        }),
      );
      return recordOf(resource.rest, row, { db: store.reader, caller, now });
    },
  });
}

function changeEndpoint(deps: ResourceDeps, resource: RestResource): Endpoint {
  const { store, clock } = deps;
  const { path, tag, list, item, gatewaysOf, changeErrors = [] } = resource.rest;
  return protectedEndpoint({
    method: 'patch',
    path: onePath(path),
    summary: `Change ${withArticle(resource.one)}`,
    tag,
    roles: MANAGERS,
    body: changeBody(resource),
    checkIds: checkIds(store, referencesOf(deps.lists, resource)),
    answer: item,
    errors: changeErrors,
    warns: warnsOf(resource),
    find: ({ caller, ids }) => writableRow(store.reader, list, { caller, id: ids.id }),
    async handle({ caller, body, found, change, warn }) {
      const now = clock.now();
      const row = await refusingConflicts(resource, () =>
        change(async (tx) => {
          noteAudit(tx, { lot_id: await lotOfRow(tx, list, found.id) });
          const before = await rowOf(tx, resource, found.id);
          const lotsBefore = await gatewaysOf(before, tx);
          await updateResource(tx, resource, { ...deps, caller, body, now, row: before });
          const after = await rowOf(tx, resource, found.id);
          notifyGateways(tx, deps, { resource, lots: [...lotsBefore, ...(await gatewaysOf(after, tx))] });
          warn((await resource.rest.warnings?.(tx, { id: found.id, body })) ?? []);
          return after;
        }),
      );
      return recordOf(resource.rest, row, { db: store.reader, caller, now });
    },
  });
}

function deleteEndpoint(deps: ResourceDeps, resource: RestResource): Endpoint {
  const { store, clock, services } = deps;
  const { path, tag, list, item, gatewaysOf, beforeDelete, isDeletedByName, deleteErrors = [] } = resource.rest;
  const { heldBy, before } = resource.deletion ?? {};
  return protectedEndpoint({
    method: 'delete',
    path: onePath(path),
    summary: `Delete ${withArticle(resource.one)}`,
    tag,
    roles: MANAGERS,
    query: isDeletedByName === undefined ? NO_QUERY : CONFIRM_QUERY,
    answer: item,
    errors: deleteErrors,
    find: ({ caller, ids }) => writableRow(store.reader, list, { caller, id: ids.id }),
    async handle({ caller, found, change, query, namesVersion }) {
      const now = clock.now();
      const { id } = found;
      const isNamed = namesVersion || ('confirm' in query && query.confirm === nameOf(found));
      const record = await recordOf(resource.rest, found, { db: store.reader, caller, now });
      await change(async (tx) => {
        noteAudit(tx, { lot_id: await lotOfRow(tx, list, id) });
        refuseHeld(await heldBy?.(tx, id));
        if (!isNamed && (await isDeletedByName?.(tx, id))) throw toBeConfirmed(found);
        const lots = await gatewaysOf(await rowOf(tx, resource, id), tx);
        await beforeDelete?.(tx, { row: found, caller, now, services });
        await before?.(tx, { id, now, cutOff: services.cutOffGateway });
        if (!(await deleteRow(tx, resource.table, id))) throw new ApiError(NOT_FOUND);
        notifyGateways(tx, deps, { resource, lots });
      });
      return asDeleted(record, now);
    },
  });
}

const warnsOf = ({ rest }: RestResource): true | undefined => (rest.warnings === undefined ? undefined : true);

const NO_QUERY = z.object({});
const CONFIRM_QUERY = z.object({ confirm: z.string().optional() });

const nameOf = (row: object): string => ('name' in row ? String(row.name) : '');

const toBeConfirmed = (row: object) =>
  new ApiError(VALIDATION, {
    field: 'confirm',
    message: `Must be its name (${nameOf(row)}), because its equipment is deleted with it; or send If-Match`,
  });

/** @throws ApiError for a thing that is in use */
function refuseHeld(hold: Hold | null | undefined): void {
  if (hold === null || hold === undefined) return;
  const { code, reason } = hold;
  throw code === VALIDATION ? new ApiError(code, { field: 'id', message: sentence(reason) }) : new ApiError(code);
}

/** The record as it is from now on, if it says of itself that it was deleted. */
function asDeleted<Item>(record: Item, now: number): Item {
  const isMarkedDeleted = typeof record === 'object' && record !== null && 'deleted_at' in record;
  return isMarkedDeleted ? { ...record, deleted_at: iso(now) } : record;
}

/** The lists of the things that a resource names, by the fields' names in REST. */
export function referencesOf(lists: ResourceLists, resource: Pick<Resource, 'fields' | 'restFields'>): References {
  const named = Object.values({ ...resource.restFields, ...resource.fields }).flatMap(({ reference }) => {
    if (reference === undefined) return [];
    const list = lists.get(reference.to);
    if (list === undefined) throw new Error(`${reference.id} names ${reference.to}, of which there is no list`);
    return [[reference.id, list] as const];
  });
  return Object.fromEntries(named);
}

/** Reports ids that the caller cannot see. Unknown ids, those of another account, and those of an unassigned lot get the same message. */
export function checkIds({ reader }: Pick<CloudStore, 'reader'>, references: References = {}) {
  return async (body: Readonly<Record<string, unknown>>, caller: Caller): Promise<FieldError[]> => {
    const errors: FieldError[] = [];
    for (const [field, table] of Object.entries(references)) {
      const given = body[field];
      // The schema refuses such a list.
      if (Array.isArray(given) && given.length > LIST_MAX) continue;
      const ids = [given].flat().filter((id): id is number => Number.isSafeInteger(id));
      const known = new Set(await visibleIds(reader, table, { caller, ids: [...new Set(ids)] }));
      const isUnknown = (id: unknown) => Number.isSafeInteger(id) && !known.has(Number(id));
      const message = 'There is no such thing';
      if (!Array.isArray(given)) errors.push(...(isUnknown(given) ? [{ field, message }] : []));
      else errors.push(...given.flatMap((id, at) => (isUnknown(id) ? [{ field: `${field}.${at}`, message }] : [])));
    }
    return errors;
  };
}

/** Answers 422 naming the field when another request used a value between the checks and the change. */
export async function refusingConflicts<T>({ unique }: Pick<Resource, 'unique'>, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const field = unique.find(({ column }) => column !== undefined)?.field;
    if (isStoreError(error, 'unique') && field !== undefined) {
      throw new ApiError(VALIDATION, { field, message: 'Another one has this already', cause: error });
    }
    throw error;
  }
}

/** Builds the path of one thing. */
const onePath = (path: string) => `${path}/{id}` as '/{id}';

const withArticle = (word: string): string => `${/^[aeiou]/i.test(word) ? 'an' : 'a'} ${word}`;

async function rowOf(db: Db, { rest }: RestResource, id: number): Promise<{ id: number }> {
  const [row] = await rest.list.rows(db, [id]);
  if (row === undefined) throw new ApiError(NOT_FOUND);
  return row;
}

async function recordOf<Row extends { id: number }, Item>(
  { items }: Pick<RestForm<Row, Item>, 'items'>,
  row: Row,
  shown: Shown,
): Promise<Item> {
  const [record] = await items([row], shown);
  if (record === undefined) throw new ApiError(NOT_FOUND);
  return record;
}

function notifyGateways(
  tx: Tx,
  { configChanged }: Pick<ResourceDeps, 'configChanged'>,
  { resource, lots }: { resource: RestResource; lots: readonly (number | null)[] },
): void {
  tx.onCommit(() => {
    for (const lot_id of new Set(lots)) configChanged({ lot_id }, resource.rest.sections);
  });
}
