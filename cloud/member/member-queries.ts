/** Reads members with their groups. */
import { byOwner, type NamedThing } from '../store/by-owner.js';
import type { Db } from '../store/cloud-store.js';
import type { Row } from '../store/schema.js';

export type MemberRow = Row<'members'> & { groups: NamedThing[] };

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
