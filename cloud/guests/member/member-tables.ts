import type { Tables, TablesOf } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { GROUP_FIELDS } from './group-fields.js';
import type { MEMBER_FIELDS } from './member-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends Omit<TablesOf<typeof MEMBER_BASELINE>, 'members' | 'groups'> {
    members: TableOf<typeof MEMBER_FIELDS>;
    groups: TableOf<typeof GROUP_FIELDS>;
  }
}

export const MEMBER_BASELINE = {
  members: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      name: 'text',
      description: 'text',
      email: 'text',
      license_plate: 'text',
      plate_normalised: 'text',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['account_id'], ['plate_normalised'], ['account_id', 'plate_normalised']],
  },
  groups: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      name: 'text',
      description: 'text',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [['account_id']],
  },
  group_members: {
    columns: {
      group_id: { partOf: 'groups' },
      member_id: { partOf: 'members' },
    },
    primaryKey: ['group_id', 'member_id'],
    indices: [['member_id']],
  },
  group_zones: {
    columns: {
      group_id: { partOf: 'groups' },
      zone_id: { partOf: 'zones' },
    },
    primaryKey: ['group_id', 'zone_id'],
    indices: [['zone_id']],
  },
  /** Groups that a zone admitted when it was deleted. */
  deleted_zone_groups: {
    columns: {
      group_id: { partOf: 'groups' },
      zone_id: 'integer',
    },
    primaryKey: ['group_id', 'zone_id'],
  },
  group_tariffs: {
    columns: {
      group_id: { partOf: 'groups' },
      tariff_id: { partOf: 'tariffs' },
      position: 'integer',
    },
    primaryKey: ['group_id', 'tariff_id'],
    indices: [['tariff_id']],
  },
} satisfies Tables;
