/** Reads members with their groups. */
import { sql } from 'kysely';
import { decodeJson } from '../../../shared/json-text-codec.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { Where } from '../../rest/entry.js';
import { byOwner, type Db, insertRows, type NamedThing, type Row } from '../../kernel/store/entry.js';

export type MemberRow = Row<'members'> & { groups: NamedThing[] };

/** When a member is no longer whitelisted: at the end of the time, or when somebody blocked it; null: never. */
export const END_OF_MEMBER = sql<number | null>`case
  when members.blocked_at < members.valid_until or members.valid_until is null then members.blocked_at
  else members.valid_until
end`;

/** Members whose time is not over at a moment, and who are not blocked. */
export const memberLasts = (at: number): Where => sql`(${END_OF_MEMBER} is null or ${END_OF_MEMBER} > ${at})`;

/** Members who are in their time at a moment, and not blocked. */
export const memberIsIn = (at: number): Where =>
  sql`(members.valid_from is null or members.valid_from <= ${at}) and ${memberLasts(at)}`;

/** Whether one of a member's plates meets a condition. */
export const somePlateOfMember = (where: Where): Where =>
  sql`members.id in (select member_plates.member_id from member_plates where ${where})`;

/** Whether one of several conditions holds. */
export const someOf = (conditions: readonly Where[]): Where => sql`(${sql.join(conditions, sql` or `)})`;

/** Whether one of a member's groups meets a condition. */
export const someGroupOfMember = (where: Where): Where =>
  sql`members.id in (select group_members.member_id from group_members where ${where})`;

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

/** Writes the plates of a member by which it is found, as its row says them. */
export async function alignMemberPlates(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('member_plates').where('member_id', '=', id).execute();
  const member = await tx
    .selectFrom('members')
    .select(['account_id', 'plates'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (member === undefined) return;
  const rows = decodeJson(member.plates).map((license_plate, position) => ({
    member_id: id,
    position,
    account_id: member.account_id,
    license_plate,
    plate_normalised: normalisePlate(license_plate),
  }));
  await insertRows(tx, 'member_plates', rows);
}

/** Finds the other members of the account who have one of a member's plates, in the order of the plates. */
export function sharedPlatesOf(db: Db, id: number): Promise<{ position: number; name: string }[]> {
  return db
    .selectFrom('member_plates as own')
    .innerJoin('member_plates as other', (join) =>
      join
        .onRef('other.account_id', '=', 'own.account_id')
        .onRef('other.plate_normalised', '=', 'own.plate_normalised')
        .onRef('other.member_id', '!=', 'own.member_id'),
    )
    .innerJoin('members', 'members.id', 'other.member_id')
    .select(['own.position', 'members.name'])
    .where('own.member_id', '=', id)
    .orderBy('own.position')
    .orderBy('members.id')
    .execute();
}
