/** Reads groups with their members, tariffs and zones; adds and removes members. */
import { sql } from 'kysely';
import { byOwner, type Db, type NamedThing, type Row } from '../../kernel/store/entry.js';

export type GroupRow = Row<'groups'> & {
  members: NamedThing[];
  tariffs: NamedThing[];
  zones: (NamedThing & { lot_id: number })[];
};

/** The lots in which the members of a group are admitted. */
export const LOTS_OF_GROUP = sql`
  select zones.lot_id from group_zones join zones on zones.id = group_zones.zone_id where group_zones.group_id = groups.id
`;

export async function groupsByIds(db: Db, ids: readonly number[]): Promise<GroupRow[]> {
  const groups = await db.selectFrom('groups').selectAll().where('id', 'in', ids).execute();
  const members = await db
    .selectFrom('group_members')
    .innerJoin('members', 'members.id', 'group_members.member_id')
    .select(['group_members.group_id as owner', 'members.id', 'members.name'])
    .where('group_members.group_id', 'in', ids)
    .orderBy('members.id')
    .execute();
  const tariffs = await db
    .selectFrom('group_tariffs')
    .innerJoin('tariffs', 'tariffs.id', 'group_tariffs.tariff_id')
    .select(['group_tariffs.group_id as owner', 'tariffs.id', 'tariffs.name'])
    .where('group_tariffs.group_id', 'in', ids)
    .orderBy('group_tariffs.position')
    .execute();
  const zones = await db
    .selectFrom('group_zones')
    .innerJoin('zones', 'zones.id', 'group_zones.zone_id')
    .select(['group_zones.group_id as owner', 'zones.id', 'zones.name', 'zones.lot_id'])
    .where('group_zones.group_id', 'in', ids)
    .orderBy('zones.id')
    .execute();
  const [membersOf, tariffsOf, zonesOf] = [byOwner(members), byOwner(tariffs), byOwner(zones)];
  return groups.map((group) => ({
    ...group,
    members: membersOf(group.id),
    tariffs: tariffsOf(group.id),
    zones: zonesOf(group.id),
  }));
}

/** @returns false when the member was in the group already */
export async function addToGroup(tx: Db, pair: { group_id: number; member_id: number }): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('group_members')
    .values(pair)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows) > 0;
}

/** @returns whether the member was in the group */
export async function removeFromGroup(tx: Db, pair: { group_id: number; member_id: number }): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('group_members')
    .where('group_id', '=', pair.group_id)
    .where('member_id', '=', pair.member_id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}
