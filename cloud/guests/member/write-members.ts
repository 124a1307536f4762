/** Writes members as the endpoints of one member do, for what writes many of them. */
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import type { Caller } from '../../kernel/auth/entry.js';
import type { Db, Tx } from '../../kernel/store/entry.js';
import {
  insertResource,
  type ResourceDeps,
  type RestResource,
  updateResource,
  type Values,
  writableIds,
} from '../../rest/entry.js';
import { lotIdsOfAccount } from '../../site/entry.js';
import { GROUP_LIST } from './group-resource.js';
import { membersByIds } from './member-queries.js';
import { MEMBER } from './member-resource.js';

export type MemberWriteDeps = Pick<ResourceDeps, 'secrets' | 'lists' | 'services' | 'configChanged'>;

// It has a form in REST, of which its type says nothing.
const RESOURCE = MEMBER as RestResource;

interface MemberWrite {
  caller: Caller;
  /** Parsed by the schema of POST or PATCH. */
  body: Values;
  /** Wall milliseconds. */
  now: number;
}

/** @returns the id of the new member. @throws ApiError as POST does */
export const insertMember = (
  tx: Tx,
  { secrets, lists, services }: MemberWriteDeps,
  write: MemberWrite,
): Promise<number> => insertResource(tx, RESOURCE, { ...write, secrets, lists, services });

/** @returns its name from before. @throws ApiError as PATCH does */
export async function updateMember(
  tx: Tx,
  { secrets, lists, services }: MemberWriteDeps,
  { id, ...write }: MemberWrite & { id: number },
): Promise<string> {
  const [row] = await membersByIds(tx, [id]);
  if (row === undefined) throw new ApiError(NOT_FOUND);
  await updateResource(tx, RESOURCE, { ...write, secrets, lists, services, row });
  return row.name;
}

/** After the commit, gateways get the plates of the account anew. */
export async function plateListsChanged(
  tx: Tx,
  { configChanged }: Pick<MemberWriteDeps, 'configChanged'>,
  account_id: number,
): Promise<void> {
  const lotIds = await lotIdsOfAccount(tx, account_id);
  tx.onCommit(() => {
    for (const lot_id of lotIds) configChanged({ lot_id }, ['plates']);
  });
}

/** Finds those of the groups whose members the caller may not change. */
export async function foreignGroups(db: Db, caller: Caller, ids: readonly number[]): Promise<number[]> {
  const own = new Set(await writableIds(db, GROUP_LIST, { caller, ids: [...new Set(ids)] }));
  return ids.filter((id) => !own.has(id));
}

/** Said of them, as by the endpoints of one member. */
export const FOREIGN_GROUP = 'Names, or leaves out, one that acts on a lot that is not yours';
