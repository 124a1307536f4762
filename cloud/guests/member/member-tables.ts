import type { Generated } from 'kysely';
import type { Tables, Timestamps } from '../../kernel/store/entry.js';

interface MembersTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  description: string;
  email: string;
  license_plate: string;
  plate_normalised: string;
}

interface GroupsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  description: string;
}

interface GroupMembersTable {
  group_id: number;
  member_id: number;
}

interface GroupZonesTable {
  group_id: number;
  zone_id: number;
}

/** Groups that a zone admitted when it was deleted. */
interface DeletedZoneGroupsTable {
  group_id: number;
  zone_id: number;
}

interface GroupTariffsTable {
  group_id: number;
  tariff_id: number;
  position: number;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    members: MembersTable;
    groups: GroupsTable;
    group_members: GroupMembersTable;
    group_zones: GroupZonesTable;
    deleted_zone_groups: DeletedZoneGroupsTable;
    group_tariffs: GroupTariffsTable;
  }
}

export const MEMBER_BASELINE: Tables = {
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
};
