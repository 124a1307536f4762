/** PATCH /v2/members and POST /v2/members/delete: many members at once, each for itself. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, type ErrorEntry, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import type { Caller } from '../../kernel/auth/entry.js';
import { deleteRow, type Tx, updateRow } from '../../kernel/store/entry.js';
import {
  checkIds,
  type Endpoint,
  idsValue,
  idValue,
  MANAGERS,
  protectedEndpoint,
  type ResourceDeps,
  type Values,
  writableIds,
} from '../../rest/entry.js';
import { addToGroup, removeFromGroup } from './group-queries.js';
import { GROUP_LIST } from './group-resource.js';
import { MEMBER_FIELDS } from './member-fields.js';
import { MEMBER_LIST } from './member-resource.js';
import {
  FOREIGN_GROUP,
  foreignGroups,
  type MemberWriteDeps,
  plateListsChanged,
  updateMember,
} from './write-members.js';

const PATH = '/v2/members';
const TAG = 'Members and groups';
/** How many one request may name: it holds the database for less than a second. */
const MEMBERS_MAX = 1_000;

const idsField = z.array(idValue).min(1, 'must name a member').max(MEMBERS_MAX);
const changesBody = z.strictObject({
  ids: idsField.describe('The members, in any order; a repeated one is answered each time, and changed once.'),
  valid_from: MEMBER_FIELDS.valid_from.value.optional().describe('From when they are admitted; null: always.'),
  valid_until: MEMBER_FIELDS.valid_until.value
    .optional()
    .describe('Until when they are admitted; null: without an end.'),
  blocked_at: MEMBER_FIELDS.blocked_at.value.optional().describe('Since when they are blocked; null ends the block.'),
  blocked_reason: MEMBER_FIELDS.blocked_reason.value
    .optional()
    .describe('Why they are blocked: who gives a reason blocks, from now on where no time is given.'),
  add_group_ids: idsValue.optional().describe('The groups into which they are put; they stay in the others.'),
  remove_group_ids: idsValue.optional().describe('The groups out of which they are taken.'),
});
const deletionBody = z.strictObject({ ids: idsField.describe('The members, in any order.') });

const outcomesSchema = z.array(
  z.strictObject({
    success: z.boolean().describe('Whether this one was done.'),
    id: z.number().int().describe('The id as it was asked.'),
    errors: z
      .array(z.strictObject({ code: z.number().int(), message: z.string(), field: z.string().optional() }))
      .describe('Why this one was not done; empty when it was.'),
  }),
);
type Outcome = z.infer<typeof outcomesSchema>[number];

interface MemberBulkDeps extends MemberWriteDeps, Pick<ResourceDeps, 'store'> {
  clock: Clock;
}

/** Does one thing to each member that the caller may write, and says of each whether it was done. */
async function forEachMember(
  tx: Tx,
  { caller, ids }: { caller: Caller; ids: readonly number[] },
  work: (id: number) => Promise<void>,
): Promise<Outcome[]> {
  const asked = [...new Set(ids)];
  const writable = new Set(await writableIds(tx, MEMBER_LIST, { caller, ids: asked }));
  const errors = new Map<number, ErrorEntry[]>();
  for (const id of asked)
    errors.set(id, writable.has(id) ? await errorsOf(() => work(id)) : new ApiError(NOT_FOUND).errors);
  return ids.map((id) => {
    const found = errors.get(id) ?? [];
    return { success: found.length === 0, id, errors: found };
  });
}

/** Why the change of one of several was refused, before it wrote anything. */
async function errorsOf(work: () => Promise<void>): Promise<ErrorEntry[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (error instanceof ApiError) return error.errors;
    throw error;
  }
}

/** Changes one member: first what may be refused, then its groups. */
async function changeOne(
  tx: Tx,
  deps: MemberWriteDeps,
  change: {
    caller: Caller;
    id: number;
    values: Values;
    joins: readonly number[];
    leaves: readonly number[];
    /** Collects the groups whose members have changed. */
    moved: Set<number>;
    now: number;
  },
): Promise<void> {
  const { caller, id, values, joins, leaves, moved, now } = change;
  if (Object.keys(values).length > 0) await updateMember(tx, deps, { caller, id, body: values, now });
  const own = [
    ...(await movedBy(joins, (group_id) => addToGroup(tx, { group_id, member_id: id }))),
    ...(await movedBy(leaves, (group_id) => removeFromGroup(tx, { group_id, member_id: id }))),
  ];
  if (own.length === 0) return;
  for (const group_id of own) moved.add(group_id);
  // The representations of both the groups and the member contain the membership.
  await updateRow(tx, 'members', { id, set: { updated_at: now } });
}

async function movedBy(groupIds: readonly number[], move: (group_id: number) => Promise<boolean>): Promise<number[]> {
  const moved: number[] = [];
  for (const group_id of groupIds) if (await move(group_id)) moved.push(group_id);
  return moved;
}

/** Creates the two endpoints; they stand before those of one member. */
export function memberBulkEndpoints(deps: MemberBulkDeps): Endpoint[] {
  const { store, clock } = deps;
  return [
    protectedEndpoint({
      method: 'patch',
      path: PATH,
      summary: 'Change several members',
      tag: TAG,
      roles: MANAGERS,
      body: changesBody,
      checkIds: checkIds(store, { add_group_ids: GROUP_LIST, remove_group_ids: GROUP_LIST }),
      auditValues: ['ids', 'valid_from', 'valid_until', 'blocked_reason', 'add_group_ids', 'remove_group_ids'],
      answer: outcomesSchema,
      async handle({ caller, body, change }) {
        const { ids, add_group_ids: joins = [], remove_group_ids: leaves = [], ...given } = body;
        const values = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
        const both = joins.find((id) => leaves.includes(id));
        if (both !== undefined)
          throw new ApiError(VALIDATION, { field: 'remove_group_ids', message: 'Names one of add_group_ids' });
        const now = clock.now();
        return change(async (tx) => {
          await refuseForeign(tx, caller, { add_group_ids: joins, remove_group_ids: leaves });
          const moved = new Set<number>();
          const outcomes = await forEachMember(tx, { caller, ids }, (id) =>
            changeOne(tx, deps, { caller, id, values, joins, leaves, moved, now }),
          );
          for (const group_id of moved) await updateRow(tx, 'groups', { id: group_id, set: { updated_at: now } });
          await plateListsChanged(tx, deps, caller.account_id);
          noteAudit(tx, { details: countsOf(outcomes) });
          return outcomes;
        });
      },
    }),
    protectedEndpoint({
      method: 'post',
      path: `${PATH}/delete`,
      summary: 'Delete several members',
      tag: TAG,
      roles: MANAGERS,
      body: deletionBody,
      auditValues: ['ids'],
      answer: outcomesSchema,
      async handle({ caller, body: { ids }, change }) {
        return change(async (tx) => {
          const outcomes = await forEachMember(tx, { caller, ids }, async (id) => {
            if (!(await deleteRow(tx, 'members', id))) throw new ApiError(NOT_FOUND);
          });
          await plateListsChanged(tx, deps, caller.account_id);
          noteAudit(tx, { details: countsOf(outcomes) });
          return outcomes;
        });
      },
    }),
  ];
}

const countsOf = (outcomes: readonly Outcome[]) => ({ done: outcomes.filter(({ success }) => success).length });

/** @throws ApiError VALIDATION for groups that act on lots that are not the caller's */
async function refuseForeign(
  tx: Tx,
  caller: Caller,
  named: Readonly<Record<string, readonly number[]>>,
): Promise<void> {
  const problems: { field: string; message: string }[] = [];
  for (const [field, ids] of Object.entries(named))
    if ((await foreignGroups(tx, caller, ids)).length > 0) problems.push({ field, message: FOREIGN_GROUP });
  if (problems.length > 0) throw ApiError.validation(problems);
}
