import type { Generated } from 'kysely';
import type { Timestamps } from '../../kernel/entry.js';

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
