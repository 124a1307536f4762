/** Inserts and updates rows of resources for REST. */
import { ApiError, NO_PERMISSION, VALIDATION } from '../../../shared/errors.js';
import type { Caller } from '../../kernel/auth/entry.js';
import { type Db, insertRow, pairedIds, replacePairs, type Tx, updateRow } from '../../kernel/store/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import { findHolder, isUsedInLot } from '../resource/resource-lot-queries.js';
import { visibleIds, writableIds } from '../list/list-table.js';
import { placeChanged, placeNew } from '../resource/resource-lot.js';
import { restName, valuesOfBody } from '../resource/bodies.js';
import {
  plainColumns,
  problemsOf,
  referenceColumns,
  sealedColumns,
  valuesOfRow,
  writtenValues,
} from '../resource/columns.js';
import type { Columns, Fields, SealedColumn, Values } from '../field/field.js';
import type { Problem } from '../resource/problem.js';
import { type Resource, restFieldsOf, type RestServices } from '../resource/resource.js';
import { hasSecretsForGateway, redirectedSecrets, secretHolders } from '../resource/secret-destination.js';
import { decodeHolders } from '../resource/secret-holder-codec.js';
import { sentence } from '../resource/sentence.js';
import type { ResourceLists, RestResource } from './rest-resource.js';

interface Write {
  caller: Caller;
  /** Parsed by the resource's schema. */
  body: Values;
  /** Wall milliseconds. */
  now: number;
  secrets: Pick<Secrets, 'seal' | 'open'>;
  lists: ResourceLists;
  services: RestServices;
}

/** @returns the id of the new row. @throws ApiError VALIDATION for a duplicate name, or things of another lot */
export async function insertResource(tx: Tx, resource: RestResource, write: Write): Promise<number> {
  const { caller, now, secrets, services } = write;
  const { rest, lot } = resource;
  const fields = restFieldsOf(resource);
  const completed = resource.complete(valuesOfBody(resource, write.body));
  const placed = lot === null ? null : await placeNew(tx, { ...resource, lot }, completed);
  const given = placed?.given ?? completed;
  const change = { caller, now, given, services };
  if (placed !== null) await refuseUsed(tx, resource, { all: given, changed: given, lot_id: placed.lot_id });
  const columns: Columns = {
    ...resource.initially(given),
    ...plainColumns(fields, given),
    ...referenceColumns(fields, given),
    ...sealedColumns(fields, given, secrets),
    ...(resource.parentColumn === null ? { account_id: caller.account_id } : {}),
    ...(placed !== null && lot?.isColumn ? { lot_id: placed.lot_id } : {}),
    ...(await rest.beforeInsert?.(tx, change)),
    ...(await holderColumns(tx, fields, { given, after: given, isStored: () => false, row: null, isKept: false })),
    created_at: now,
    updated_at: now,
  };
  // The definition of the resource gives the columns of its table.
  const id = await insertRow(tx, resource.table, columns as never);
  await writePairs(tx, resource, { ...write, id, given });
  await rest.afterInsert?.(tx, { ...change, id });
  return id;
}

/** @param write.row the row as this transaction reads it. @throws ApiError VALIDATION as `insertResource`, and for problems between fields */
export async function updateResource(
  tx: Tx,
  resource: RestResource,
  write: Write & { row: { id: number } },
): Promise<void> {
  const { caller, now, row, secrets, services } = write;
  const { rest, lot } = resource;
  const fields = restFieldsOf(resource);
  const given = valuesOfBody(resource, write.body);
  const before = valuesOfRow(fields, row);
  const all = { ...before, ...given };
  const { lot_id } = row as { lot_id?: number };
  if (lot !== null && lot_id !== undefined) {
    await placeChanged(tx, { ...resource, lot }, { given, all, lot_id });
    await refuseUsed(tx, resource, { all, changed: changedValues(given, before), lot_id, except: row.id });
  }
  const isStored = ({ column, purpose }: SealedColumn, name: string): boolean => {
    const sealed = (row as Readonly<Record<string, unknown>>)[column];
    return given[name] === undefined && typeof sealed === 'string' && secrets.open(purpose, sealed).length > 0;
  };
  refuseProblems(resource, [
    ...problemsOf(resource, all, before),
    ...redirectedSecrets(fields, { before, after: all, isStored }),
  ]);
  const change = { caller, now, given, services, row };
  const columns: Columns = {
    ...plainColumns(fields, writtenValues(fields, { given, all }), all),
    ...referenceColumns(fields, given),
    ...sealedColumns(fields, given, secrets),
    ...(await rest.beforeUpdate?.(tx, change)),
    ...(await holderColumns(tx, fields, { given, after: all, isStored, row, isKept: mayKeepSecrets(tx, write) })),
    updated_at: now,
  };
  await updateRow(tx, resource.table, { id: row.id, set: columns as never });
  await writePairs(tx, resource, { ...write, id: row.id, given });
  await rest.afterUpdate?.(tx, change);
}

/**
 * Whether the change takes the secrets of its thing along to another gateway.
 * @throws ApiError NO_PERMISSION for anybody but a person who may read everything: whoever says so hands the secrets to that device
 */
function mayKeepSecrets(tx: Tx, { body, caller }: Pick<Write, 'body' | 'caller'>): boolean {
  if (body.keep_secrets !== 1) return false;
  requireOwner(caller);
  noteAudit(tx, { details: { keep_secrets: true } });
  return true;
}

/** @throws ApiError NO_PERMISSION for anybody but a Super Admin who signed in: no program may hand secrets on */
export function requireOwner({ kind, role }: Pick<Caller, 'kind' | 'role'>): void {
  if (kind !== 'user' || role !== 'Super Admin') throw new ApiError(NO_PERMISSION);
}

/** Whom the secrets of a thing are for, where a gateway is sent them. @param change.row the thing before the change; null: it is new */
async function holderColumns(
  tx: Tx,
  fields: Fields,
  change: {
    given: Values;
    after: Values;
    isStored: (column: SealedColumn, name: string) => boolean;
    row: object | null;
    isKept: boolean;
  },
): Promise<Columns> {
  if (!hasSecretsForGateway(fields)) return {};
  const { given, after, isStored, isKept } = change;
  const row = change.row as { secrets_for: string | null; gateway_id: number | null } | null;
  const holder = await findHolder(tx, after.gateway);
  const before = row === null ? null : decodeHolders(row);
  // What an older version wrote was its gateway's.
  const isOld = row !== null && before === null;
  const known = isOld ? await presentHolders(tx, fields, { row, isStored }) : before;
  return {
    secrets_for: JSON.stringify(secretHolders(fields, { given, after, isStored, isKept, holder, before: known })),
  };
}

async function presentHolders(
  tx: Tx,
  fields: Fields,
  { row, isStored }: { row: { gateway_id: number | null }; isStored: (column: SealedColumn, name: string) => boolean },
) {
  const holder = await findHolder(tx, row.gateway_id);
  const values = valuesOfRow(fields, row);
  return secretHolders(fields, { given: {}, after: values, isStored, before: null, holder, isKept: true });
}

function changedValues(given: Values, before: Values): Values {
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => before[name] !== value));
}

/** @throws ApiError VALIDATION with every problem */
function refuseProblems(resource: Resource, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const fields = restFieldsOf(resource);
  const nameOf = (path: string) => path.replace(/^[^.]+/, (name) => restName(name, fields[name]));
  throw ApiError.validation(problems.map(({ field, reason }) => ({ field: nameOf(field), message: sentence(reason) })));
}

/** @throws ApiError VALIDATION for a name that another thing of the lot has */
async function refuseUsed(
  db: Db,
  resource: Resource,
  wanted: { all: Values; changed: Values; lot_id: number; except?: number },
): Promise<void> {
  const { all, changed, ...where } = wanted;
  for (const { field, together, isRefusedOverRest, normalise } of resource.unique) {
    const value = all[field];
    const isChanged = [field, together].some((name) => name !== undefined && changed[name] !== undefined);
    if (!isRefusedOverRest || !isChanged || typeof value !== 'string') continue;
    const columns: Record<string, string | number> = {};
    if (together !== undefined) {
      const beside = all[together];
      if (typeof beside !== 'string' && typeof beside !== 'number') continue;
      columns[restName(together, restFieldsOf(resource)[together])] = beside;
    }
    if (await isUsedInLot(db, resource.table, { name: { column: field, value, normalise }, columns, ...where })) {
      const what = together === undefined ? 'of the lot' : `of the ${together.replaceAll('_', ' ')}`;
      throw new ApiError(VALIDATION, { field, message: `Another one ${what} has this already` });
    }
  }
}

/**
 * Writes the pairs of a thing. It keeps pairs with things that the caller cannot see.
 * @throws ApiError VALIDATION when things that show their pairs join or leave, and act on lots that are not the caller's
 */
async function writePairs(
  tx: Db,
  resource: Resource,
  { id, given, caller, lists }: { id: number; given: Values } & Pick<Write, 'caller' | 'lists'>,
): Promise<void> {
  for (const [name, { reference }] of Object.entries(restFieldsOf(resource))) {
    const to = given[name];
    if (reference === undefined || reference.pairs === null || !Array.isArray(to)) continue;
    const list = lists.get(reference.to);
    const present = await pairedIds(tx, reference.pairs, id);
    const among = list === undefined ? present : await visibleIds(tx, list, { caller, ids: present });
    if (list !== undefined && reference.isMutual) {
      const joining = (to as number[]).filter((each) => !present.includes(each));
      const leaving = among.filter((each) => !to.includes(each));
      const ids = [...new Set([...joining, ...leaving])];
      if ((await writableIds(tx, list, { caller, ids })).length < ids.length) {
        const message = 'Names, or leaves out, one that acts on a lot that is not yours';
        throw new ApiError(VALIDATION, { field: reference.id, message });
      }
    }
    await replacePairs(tx, reference.pairs, { of: id, to: to as number[], among });
  }
}
