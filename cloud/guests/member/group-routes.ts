/** PUT and DELETE /v2/groups/{id}/members/{memberId} */
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { type Endpoint, MANAGERS, protectedEndpoint, type ResourceDeps, writableRow } from '../../rest/entry.js';
import { addToGroup, groupsByIds, removeFromGroup } from './group-queries.js';
import { GROUP_ANSWER, GROUP_LIST, representGroupFor } from './group-resource.js';
import { MEMBER_LIST } from './member-resource.js';
import { plateListsChanged } from './write-members.js';
import { updateRow } from '../../kernel/store/entry.js';

const TAG = 'Members and groups';

export function membershipEndpoints(deps: ResourceDeps): Endpoint[] {
  return [
    membershipEndpoint(deps, { method: 'put', summary: 'Put a member into a group' }),
    membershipEndpoint(deps, { method: 'delete', summary: 'Remove a member from a group' }),
  ];
}

function membershipEndpoint(deps: ResourceDeps, { method, summary }: { method: 'put' | 'delete'; summary: string }) {
  const { store, clock } = deps;
  return protectedEndpoint({
    method,
    path: '/v2/groups/{id}/members/{memberId}',
    summary,
    tag: TAG,
    roles: MANAGERS,
    answer: GROUP_ANSWER.schema,
    async find({ caller, ids }) {
      const group = await writableRow(store.reader, GROUP_LIST, { caller, id: ids.id });
      const member = await writableRow(store.reader, MEMBER_LIST, { caller, id: ids.memberId });
      return group === null || member === null ? null : { group, member };
    },
    async handle({ caller, found: { group, member }, change }) {
      const pair = { group_id: group.id, member_id: member.id };
      const now = clock.now();
      const row = await change(async (tx) => {
        const isChanged = await (method === 'put' ? addToGroup(tx, pair) : removeFromGroup(tx, pair));
        if (!isChanged && method === 'delete') throw new ApiError(NOT_FOUND);
        if (isChanged) {
          // The representations of both the group and the member contain the membership.
          await updateRow(tx, 'groups', { id: group.id, set: { updated_at: now } });
          await updateRow(tx, 'members', { id: member.id, set: { updated_at: now } });
        }
        await plateListsChanged(tx, deps, group.account_id);
        return (await groupsByIds(tx, [group.id]))[0];
      });
      if (row === undefined) throw new ApiError(NOT_FOUND);
      return representGroupFor(caller, row);
    },
  });
}
