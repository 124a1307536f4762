import { sql } from 'kysely';
import { createTables, type Schema, type Tables, type TablesOf } from '../../kernel/store/entry.js';
import type { TableOf } from '../../rest/entry.js';
import type { GROUP_FIELDS } from './group-fields.js';
import type { MEMBER_FIELDS } from './member-fields.js';

declare module '../../kernel/store/schema.js' {
  interface Database
    extends Omit<TablesOf<typeof MEMBER_BASELINE>, 'members' | 'groups'>,
      TablesOf<typeof MEMBER_PLATES> {
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

/** The plates of members, to find members by them: `members.plates` has them as they are shown. */
export const MEMBER_PLATES = {
  member_plates: {
    columns: {
      member_id: { partOf: 'members' },
      /** From 0. */
      position: 'integer',
      account_id: { partOf: 'accounts' },
      license_plate: 'text',
      plate_normalised: 'text',
    },
    primaryKey: ['member_id', 'position'],
    indices: [['account_id', 'plate_normalised']],
  },
} satisfies Tables;

/** Lets members have several plates, and be blocked. The plate that they have is the first. */
export async function addMemberPlates(db: Schema): Promise<void> {
  await createTables(db, [MEMBER_PLATES]);
  for (const column of ["plates text not null default '[]'", 'blocked_at bigint', 'blocked_reason text'])
    await sql`alter table members add column ${sql.raw(column)}`.execute(db);
  // As `JSON.stringify` writes a list of one text without control characters, on either kind of database.
  const escaped = sql`replace(replace(license_plate, '\\', '\\\\'), '"', '\\"')`;
  await sql`update members set plates = '["' || ${escaped} || '"]' where plate_normalised <> ''`.execute(db);
  await sql`
    insert into member_plates (member_id, position, account_id, license_plate, plate_normalised)
    select id, 0, account_id, license_plate, plate_normalised from members where plate_normalised <> ''
  `.execute(db);
}
