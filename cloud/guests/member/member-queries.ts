/** Reads members with their groups. */
import { sql } from 'kysely';
import { byOwner, type Db, type NamedThing, type Row } from '../../kernel/store/entry.js';

export type MemberRow = Row<'members'> & { groups: NamedThing[] };

/** The lots in which a member is admitted. */
export const LOTS_OF_MEMBER = sql`
  select zones.lot_id from group_members
  join group_zones on group_zones.group_id = group_members.group_id
  join zones on zones.id = group_zones.zone_id
  where group_members.member_id = members.id
`;

export async function membersByIds(db: Db, ids: readonly number[]): Promise<MemberRow[]> {
  const members = await db.selectFrom('members').selectAll().where('id', 'in', ids).execute();
  const groups = await db
    .selectFrom('group_members')
    .innerJoin('groups', 'groups.id', 'group_members.group_id')
    .select(['group_members.member_id as owner', 'groups.id', 'groups.name'])
    .where('group_members.member_id', 'in', ids)
    .orderBy('groups.id')
    .execute();
  const groupsOf = byOwner(groups);
  return members.map((member) => ({ ...member, groups: groupsOf(member.id) }));
}
