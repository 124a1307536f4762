import { z } from '@hono/zod-openapi';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { GROUP_LIST, MEMBER_LIST } from '../../store/lists/member-lists.js';
import { insertRow, lotIdsOfAccount, replacePairs, updateRow } from '../../store/queries/rows.js';
import type { Endpoint } from '../endpoint.js';
import { emailField, idsField, nameField, plateField, textField } from '../fields.js';
import { type ResourceDeps, resourceEndpoints } from '../resource-endpoints.js';
import { memberRecord } from '../site-records.js';
import { memberSchema } from '../site-resources.js';

const fields = {
  name: nameField,
  description: textField,
  email: emailField,
  /** Empty: none. */
  license_plate: z.union([z.literal(''), plateField], 'Must be a license plate'),
  group_ids: idsField,
};

/** /v2/members: admitted by the zones of their groups. */
export function memberEndpoints(deps: ResourceDeps): Endpoint[] {
  return resourceEndpoints(deps, {
    path: '/v2/members',
    one: 'a member',
    many: 'members',
    tag: 'Members and groups',
    table: MEMBER_LIST,
    item: memberSchema,
    items: (rows) => rows.map(memberRecord),
    newBody: z.strictObject({
      ...fields,
      description: fields.description.default(''),
      email: fields.email.default(''),
      license_plate: fields.license_plate.default(''),
      group_ids: fields.group_ids.default([]),
    }),
    changeBody: z.strictObject(fields).partial(),
    references: { group_ids: GROUP_LIST },
    async insert(tx, { caller: { account_id }, body: { group_ids, ...columns }, now }) {
      const plate_normalised = normalisePlate(columns.license_plate);
      const times = { created_at: now, updated_at: now };
      const id = await insertRow(tx, 'members', { ...columns, account_id, plate_normalised, ...times });
      await replacePairs(tx, 'member_groups', { of: id, to: group_ids });
      return id;
    },
    async update(tx, { row: { id }, body: { group_ids, ...columns }, now }) {
      const { license_plate } = columns;
      const plate_normalised = license_plate === undefined ? undefined : normalisePlate(license_plate);
      await updateRow(tx, 'members', { id, set: { ...columns, plate_normalised, updated_at: now } });
      if (group_ids !== undefined) await replacePairs(tx, 'member_groups', { of: id, to: group_ids });
    },
    managed: 'members',
    lots: ({ account_id }) => lotIdsOfAccount(deps.store.reader, account_id),
    sections: ['plates'],
  });
}
