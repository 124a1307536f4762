/** What is managed over REST, with all that its records show. */
import type { ReadingImages } from '../../lpr/reading-images-payload.js';
import type { Db } from '../cloud-store.js';
import type { Row } from '../schema.js';
import { imagesOfOwners } from './images.js';

export const lotsByIds = (db: Db, ids: readonly number[]): Promise<Row<'lots'>[]> =>
  db.selectFrom('lots').selectAll().where('id', 'in', ids).execute();

export const placesByIds = (db: Db, ids: readonly number[]): Promise<Row<'parking_places'>[]> =>
  db.selectFrom('parking_places').selectAll().where('id', 'in', ids).execute();

export const parkingGatewaysByIds = (db: Db, ids: readonly number[]): Promise<Row<'parking_gateways'>[]> =>
  db.selectFrom('parking_gateways').selectAll().where('id', 'in', ids).execute();

export const gatewaysByIds = (db: Db, ids: readonly number[]): Promise<Row<'gateways'>[]> =>
  db.selectFrom('gateways').selectAll().where('id', 'in', ids).execute();

export const tariffsByIds = (db: Db, ids: readonly number[]): Promise<Row<'tariffs'>[]> =>
  db.selectFrom('tariffs').selectAll().where('id', 'in', ids).execute();

export const boundLicensesByIds = (db: Db, ids: readonly number[]): Promise<Row<'bound_licenses'>[]> =>
  db.selectFrom('bound_licenses').selectAll().where('id', 'in', ids).execute();

export async function isBound(db: Db, plate: { product_id: number; plate_normalised: string }): Promise<boolean> {
  const row = await db
    .selectFrom('bound_licenses')
    .select('id')
    .where('product_id', '=', plate.product_id)
    .where('plate_normalised', '=', plate.plate_normalised)
    .executeTakeFirst();
  return row !== undefined;
}

export type ZoneRow = Row<'zones'> & { tariff_ids: number[] };

export async function zonesByIds(db: Db, ids: readonly number[]): Promise<ZoneRow[]> {
  const zones = await db.selectFrom('zones').selectAll().where('id', 'in', ids).execute();
  const tariffs = await db
    .selectFrom('zone_tariffs')
    .select(['zone_id as owner', 'tariff_id'])
    .where('zone_id', 'in', ids)
    .orderBy('position')
    .execute();
  const tariffsOf = byOwner(tariffs);
  return zones.map((zone) => ({ ...zone, tariff_ids: tariffsOf(zone.id).map(({ tariff_id }) => tariff_id) }));
}

/** A camera with the lot its zone is in and the type of what it opens. */
export type CameraRow = Row<'lpr_cameras'> & { lot_id: number; product_type_id: number | null };

export const camerasByIds = (db: Db, ids: readonly number[]): Promise<CameraRow[]> =>
  db
    .selectFrom('lpr_cameras')
    .innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id')
    .leftJoin('products', 'products.id', 'lpr_cameras.product_id')
    .selectAll('lpr_cameras')
    .select(['zones.lot_id', 'products.product_type_id'])
    .where('lpr_cameras.id', 'in', ids)
    .execute();

/** What a record names of another thing. */
export interface NamedThing {
  id: number;
  name: string;
}

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

export type GroupRow = Row<'groups'> & {
  members: NamedThing[];
  tariffs: NamedThing[];
  zones: (NamedThing & { lot_id: number })[];
};

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

/** Of each thing its own, without their owner. */
export function byOwner<Thing extends { owner: number }>(
  things: readonly Thing[],
): (owner: number) => Omit<Thing, 'owner'>[] {
  const found = new Map<number, Omit<Thing, 'owner'>[]>();
  for (const { owner, ...thing } of things) {
    const own = found.get(owner);
    if (own === undefined) found.set(owner, [thing]);
    else own.push(thing);
  }
  return (owner) => found.get(owner) ?? [];
}

export type SightingRow = Row<'sightings'> & { images: ReadingImages };

export async function sightingsByIds(db: Db, ids: readonly number[]): Promise<SightingRow[]> {
  const sightings = await db.selectFrom('sightings').selectAll().where('id', 'in', ids).execute();
  const images = await imagesOfOwners(
    db,
    sightings.map(({ uid }) => uid),
  );
  return sightings.map((row) => ({ ...row, images: images.get(row.uid) ?? { full: null, cropped: null } }));
}
