import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { type Caller, seesLot } from '../../auth/caller.js';
import { visibleRow } from '../../store/lists/list-table.js';
import { ZONE_LIST } from '../../store/lists/lot-lists.js';
import { GROUP_LIST, MEMBER_LIST, TARIFF_LIST } from '../../store/lists/member-lists.js';
import {
  addToGroup,
  insertRow,
  lotIdsOfAccount,
  removeFromGroup,
  replacePairs,
  updateRow,
} from '../../store/queries/rows.js';
import { type GroupRow, groupsByIds } from '../../store/queries/site-records.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { idsField, nameField, textField } from '../fields.js';
import { MANAGERS, type ResourceDeps, resourceEndpoints } from '../resource-endpoints.js';
import { groupRecord } from '../site-records.js';
import { groupSchema } from '../site-resources.js';

const TAG = 'Members and groups';

const fields = {
  name: nameField,
  description: textField,
  member_ids: idsField,
  tariff_ids: idsField,
  zone_ids: idsField,
};

/** A group may hold zones of lots that are not the caller's: those are neither shown nor let go. */
const shownZones = (row: GroupRow, caller: Caller) => row.zones.filter(({ lot_id }) => seesLot(caller, lot_id));

/** /v2/groups: members, the zones that admit them and the tariffs they pay by. */
export function groupEndpoints(deps: ResourceDeps): Endpoint[] {
  return [
    ...resourceEndpoints(deps, {
      path: '/v2/groups',
      one: 'a group',
      many: 'groups',
      tag: TAG,
      table: GROUP_LIST,
      item: groupSchema,
      items: (rows, { caller }) => rows.map((row) => groupRecord(row, shownZones(row, caller))),
      newBody: z.strictObject({
        ...fields,
        description: fields.description.default(''),
        member_ids: fields.member_ids.default([]),
        tariff_ids: fields.tariff_ids.default([]),
        zone_ids: fields.zone_ids.default([]),
      }),
      changeBody: z.strictObject(fields).partial(),
      references: { member_ids: MEMBER_LIST, tariff_ids: TARIFF_LIST, zone_ids: ZONE_LIST },
      async insert(tx, { caller: { account_id }, body, now }) {
        const { name, description, member_ids, tariff_ids, zone_ids } = body;
        const times = { created_at: now, updated_at: now };
        const of = await insertRow(tx, 'groups', { name, description, account_id, ...times });
        await replacePairs(tx, 'group_members', { of, to: member_ids });
        await replacePairs(tx, 'group_tariffs', { of, to: tariff_ids });
        await replacePairs(tx, 'group_zones', { of, to: zone_ids });
        return of;
      },
      async update(tx, { row, caller, body, now }) {
        const { name, description, member_ids, tariff_ids, zone_ids } = body;
        const of = row.id;
        await updateRow(tx, 'groups', { id: of, set: { name, description, updated_at: now } });
        if (member_ids !== undefined) await replacePairs(tx, 'group_members', { of, to: member_ids });
        if (tariff_ids !== undefined) await replacePairs(tx, 'group_tariffs', { of, to: tariff_ids });
        const among = shownZones(row, caller).map(({ id }) => id);
        if (zone_ids !== undefined) await replacePairs(tx, 'group_zones', { of, to: zone_ids, among });
      },
      managed: 'groups',
      lots: ({ account_id }) => lotIdsOfAccount(deps.store.reader, account_id),
      sections: ['plates'],
    }),
    membershipEndpoint(deps, { method: 'put', summary: 'Put a member into a group' }),
    membershipEndpoint(deps, { method: 'delete', summary: 'Take a member out of a group' }),
  ];
}

function membershipEndpoint(deps: ResourceDeps, { method, summary }: { method: 'put' | 'delete'; summary: string }) {
  const { store } = deps;
  return protectedEndpoint({
    method,
    path: '/v2/groups/{id}/members/{memberId}',
    summary,
    tag: TAG,
    roles: MANAGERS,
    answer: groupSchema,
    async find({ caller, ids }) {
      const group = await visibleRow(store.reader, GROUP_LIST, { caller, id: ids.id });
      const member = await visibleRow(store.reader, MEMBER_LIST, { caller, id: ids.memberId });
      return group === null || member === null ? null : { group, member };
    },
    async handle({ caller, found: { group, member } }) {
      const pair = { group_id: group.id, member_id: member.id };
      const row = await store.change(async (tx) => {
        if (method === 'put') await addToGroup(tx, pair);
        else if (!(await removeFromGroup(tx, pair))) throw new ApiError(6);
        return (await groupsByIds(tx, [group.id]))[0];
      });
      if (row === undefined) throw new ApiError(6);
      for (const lot_id of await lotIdsOfAccount(store.reader, group.account_id)) {
        deps.configChanged({ lot_id }, ['plates']);
      }
      return groupRecord(row, shownZones(row, caller));
    },
  });
}
