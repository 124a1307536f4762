/**
 * The one way a thing is managed: list, POST, GET, PATCH, DELETE. Tenancy and lot scope are those of its list, for its id and for
 * the ids in its bodies alike; after each commit its lots' gateways are told.
 */
import type { z } from '@hono/zod-openapi';
import type { Clock } from '../../shared/clock.js';
import { ApiError, type ErrorCode } from '../../shared/errors.js';
import type { ConfigSection } from '../../shared/gateway-config.js';
import { ALL_ROLES, type Caller, type Role } from '../auth/caller.js';
import { noteAudit } from '../store/audit-scope.js';
import type { CloudStore, Db } from '../store/cloud-store.js';
import { type ListTable, visibleIds, visibleRow } from '../store/lists/list-table.js';
import { deleteRow, isStoreError, type ManagedTable } from '../store/queries/rows.js';
import { type Endpoint, protectedEndpoint } from './endpoint.js';
import { IDS_MAX } from './fields.js';
import { listEndpoint } from './list-endpoint.js';
import type { FieldError } from './validation.js';

/** Who may change what an operator declares. */
export const MANAGERS: readonly Role[] = ['Super Admin', 'Admin'];

export interface ResourceDeps {
  store: CloudStore;
  clock: Clock;
  /** After a commit that changed what gateways of the lot are told (null: of those in no lot); all sections when left out. */
  configChanged(lot: { lot_id: number | null }, sections?: readonly ConfigSection[]): void;
}

/** Whose things the ids in a body's field are. */
export type References = Readonly<Record<string, ListTable<unknown>>>;

/** What the records of one answer are made with. */
export interface Shown {
  /** Wall milliseconds. */
  now: number;
  caller: Caller;
}

interface Write<Body> extends Shown {
  body: Body;
}

export interface Resource<Row extends { id: number }, Item, New, Change> {
  /** Of the list: `/v2/zones`. */
  path: string;
  /** `zone`, with its article: `a zone`. */
  one: string;
  many: string;
  tag: string;
  table: ListTable<Row>;
  item: z.ZodType<Item>;
  items(rows: Row[], shown: Shown): NoInfer<Item>[] | Promise<NoInfer<Item>[]>;
  newBody: z.ZodType<New>;
  changeBody: z.ZodType<Change>;
  references?: References;
  /** @returns the new id */
  insert(tx: Db, write: Write<NoInfer<New>>): Promise<number>;
  /** `row` as it is in this transaction. */
  update(tx: Db, write: Write<NoInfer<Change>> & { row: Row }): Promise<void>;
  /** Where the row is. */
  managed: ManagedTable;
  /** Lots whose gateways have to know of the row. */
  lots(row: Row): readonly (number | null)[] | Promise<readonly (number | null)[]>;
  sections?: readonly ConfigSection[];
  /** The field that must not have the value of another row. */
  uniqueField?: string;
  /** Codes of PATCH beyond the usual ones. */
  changeErrors?: readonly ErrorCode[];
  /** In the transaction that deletes the row, before it goes. */
  removing?(tx: Db, gone: { row: Row; now: number }): Promise<void>;
  /** After the row was made. */
  created?(): Promise<void>;
  /** After the row was deleted. */
  removed?(row: Row): Promise<void>;
}

export function resourceEndpoints<Row extends { id: number }, Item, New, Change>(
  deps: ResourceDeps,
  resource: Resource<Row, Item, New, Change>,
): Endpoint[] {
  return [...existingEndpoints(deps, resource), createEndpoint(deps, resource)];
}

type Readable<Row extends { id: number }, Item> = Pick<
  Resource<Row, Item, unknown, unknown>,
  'path' | 'one' | 'many' | 'tag' | 'table' | 'item' | 'items'
>;

/** GET, PATCH, DELETE of what is created in a way of its own. */
export function existingEndpoints<Row extends { id: number }, Item, Change>(
  deps: ResourceDeps,
  resource: Omit<Resource<Row, Item, never, Change>, 'newBody' | 'insert'>,
): Endpoint[] {
  return [...readEndpoints(deps, resource), changeEndpoint(deps, resource), deleteEndpoint(deps, resource)];
}

/** GET of the list and of one. */
export function readEndpoints<Row extends { id: number }, Item>(
  deps: Pick<ResourceDeps, 'store' | 'clock'>,
  resource: Readable<Row, Item>,
): Endpoint[] {
  const { path, table, item, tag } = resource;
  return [
    listEndpoint({
      ...deps,
      path,
      summary: `List ${resource.many}`,
      tag,
      table,
      item,
      items: (rows, now, caller) => resource.items(rows, { now, caller }),
    }),
    protectedEndpoint({
      method: 'get',
      path: onePath(path),
      summary: `Get ${resource.one}`,
      tag,
      roles: ALL_ROLES,
      answer: item,
      find: ({ caller, ids }) => visibleRow(deps.store.reader, table, { caller, id: ids.id }),
      handle: ({ caller, found }) => recordOf(resource, found, { caller, now: deps.clock.now() }),
    }),
  ];
}

function createEndpoint<Row extends { id: number }, Item, New, Change>(
  deps: ResourceDeps,
  resource: Resource<Row, Item, New, Change>,
): Endpoint {
  const { store, clock } = deps;
  return protectedEndpoint({
    method: 'post',
    path: resource.path,
    summary: `Create ${resource.one}`,
    tag: resource.tag,
    roles: MANAGERS,
    body: resource.newBody,
    checkIds: checkIds(store, resource.references),
    answer: resource.item,
    async handle({ caller, body }) {
      const now = clock.now();
      const row = await changing(resource, () =>
        store.change(async (tx) => {
          const made = await resource.insert(tx, { caller, body, now });
          noteAudit({ made });
          return rowOf(tx, resource, made);
        }),
      );
      tell(deps, resource, await resource.lots(row));
      await resource.created?.();
      return recordOf(resource, row, { caller, now });
    },
  });
}

function changeEndpoint<Row extends { id: number }, Item, Change>(
  deps: ResourceDeps,
  resource: Omit<Resource<Row, Item, never, Change>, 'newBody' | 'insert'>,
): Endpoint {
  const { store, clock } = deps;
  return protectedEndpoint({
    method: 'patch',
    path: onePath(resource.path),
    summary: `Change ${resource.one}`,
    tag: resource.tag,
    roles: MANAGERS,
    body: resource.changeBody,
    checkIds: checkIds(store, resource.references),
    answer: resource.item,
    errors: resource.changeErrors ?? [],
    find: ({ caller, ids }) => visibleRow(store.reader, resource.table, { caller, id: ids.id }),
    async handle({ caller, body, found }) {
      const now = clock.now();
      const lotsBefore = await resource.lots(found);
      const row = await changing(resource, () =>
        store.change(async (tx) => {
          await resource.update(tx, { caller, body, now, row: await rowOf(tx, resource, found.id) });
          return rowOf(tx, resource, found.id);
        }),
      );
      tell(deps, resource, [...lotsBefore, ...(await resource.lots(row))]);
      return recordOf(resource, row, { caller, now });
    },
  });
}

function deleteEndpoint<Row extends { id: number }, Item>(
  deps: ResourceDeps,
  resource: Readable<Row, Item> &
    Pick<Resource<Row, Item, unknown, unknown>, 'managed' | 'lots' | 'sections' | 'removing' | 'removed'>,
): Endpoint {
  const { store, clock } = deps;
  return protectedEndpoint({
    method: 'delete',
    path: onePath(resource.path),
    summary: `Delete ${resource.one}`,
    tag: resource.tag,
    roles: MANAGERS,
    answer: resource.item,
    find: ({ caller, ids }) => visibleRow(store.reader, resource.table, { caller, id: ids.id }),
    async handle({ caller, found }) {
      const now = clock.now();
      const lots = await resource.lots(found);
      const record = await recordOf(resource, found, { caller, now });
      const isDeleted = await store.change(async (tx) => {
        await resource.removing?.(tx, { row: found, now });
        return deleteRow(tx, resource.managed, found.id);
      });
      if (!isDeleted) throw new ApiError(6);
      tell(deps, resource, lots);
      await resource.removed?.(found);
      return record;
    },
  });
}

/** An id that is unknown, another account's or in a lot that is not assigned is told alike, by its field. */
export function checkIds({ reader }: Pick<CloudStore, 'reader'>, references: References = {}) {
  return async (body: Readonly<Record<string, unknown>>, caller: Caller): Promise<FieldError[]> => {
    const errors: FieldError[] = [];
    for (const [field, table] of Object.entries(references)) {
      const given = body[field];
      // Its schema says so; the database is not asked.
      if (Array.isArray(given) && given.length > IDS_MAX) continue;
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

/** The list's path with the id that all its single things have. */
const onePath = (path: string) => `${path}/{id}` as '/{id}';

async function rowOf<Row extends { id: number }>(tx: Db, { table }: { table: ListTable<Row> }, id: number) {
  const [row] = await table.rows(tx, [id]);
  if (row === undefined) throw new ApiError(6);
  return row;
}

async function recordOf<Row extends { id: number }, Item>(
  resource: Pick<Readable<Row, Item>, 'item' | 'items'>,
  row: Row,
  shown: Shown,
): Promise<Item> {
  const [record] = await resource.items([row], shown);
  if (record === undefined) throw new ApiError(6);
  return record;
}

/** What another request took or removed between the check and the change is bad input, too. */
export async function changing<T>(resource: { uniqueField?: string }, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (isStoreError(error, 'unique') && resource.uniqueField !== undefined) {
      throw new ApiError(23, { field: resource.uniqueField, message: 'Another one has this already', cause: error });
    }
    if (isStoreError(error, 'foreign_key')) {
      throw new ApiError(23, { field: 'body', message: 'Something it names was just deleted', cause: error });
    }
    throw error;
  }
}

function tell(
  deps: Pick<ResourceDeps, 'configChanged'>,
  { sections }: { sections?: readonly ConfigSection[] },
  lots: readonly (number | null)[],
): void {
  for (const lot_id of new Set(lots)) deps.configChanged({ lot_id }, sections);
}
