/** Reads the plates that may enter a lot, and whose they are. */
import { pushTo } from '../../../shared/grouping.js';
import { memberLasts } from '../../guests/entry.js';
import type { Db } from '../../kernel/store/entry.js';

interface LotNow {
  lot_id: number;
  now: number;
}

/** The plates of members whose groups have a zone of the lot, whose time is not over, and who are not blocked. */
const membersOfLot = (db: Db, { lot_id, now }: LotNow) =>
  db
    .selectFrom('member_plates')
    .innerJoin('members', 'members.id', 'member_plates.member_id')
    .innerJoin('group_members', 'group_members.member_id', 'members.id')
    .innerJoin('group_zones', 'group_zones.group_id', 'group_members.group_id')
    .innerJoin('zones', 'zones.id', 'group_zones.zone_id')
    .where('zones.lot_id', '=', lot_id)
    .where(memberLasts(now));

/** Lists the plates that are whitelisted somewhere in a lot, normalised, each once. */
export async function platesOfLot(db: Db, lot: LotNow): Promise<string[]> {
  const { lot_id, now } = lot;
  const members = await membersOfLot(db, lot).select('member_plates.plate_normalised as plate').distinct().execute();
  const bound = await db
    .selectFrom('bound_licenses')
    .innerJoin('products', 'products.id', 'bound_licenses.product_id')
    .select('bound_licenses.plate_normalised as plate')
    .distinct()
    .where('products.lot_id', '=', lot_id)
    .where('bound_licenses.plate_normalised', '!=', '')
    .execute();
  const keys = await db
    .selectFrom('key_logs')
    .innerJoin('operation_tokens', 'operation_tokens.id', 'key_logs.operation_token_id')
    .innerJoin('products', 'products.id', 'key_logs.product_id')
    .select('key_logs.plate_normalised as plate')
    .distinct()
    .where('products.lot_id', '=', lot_id)
    .where('key_logs.plate_normalised', '!=', '')
    .where('key_logs.deleted_at', 'is', null)
    .where('operation_tokens.status', '=', 'active')
    .where((eb) => eb.or([eb('operation_tokens.end_time', 'is', null), eb('operation_tokens.end_time', '>', now)]))
    .$narrowType<{ plate: string }>()
    .execute();
  return [...new Set([...members, ...bound, ...keys].map(({ plate }) => plate))];
}

/** Finds the members of the lot that have these plates. */
export async function membersOfPlates(
  db: Db,
  lot: LotNow,
  plates: readonly string[],
): Promise<Map<string, { id: number; name: string }[]>> {
  if (plates.length === 0) return new Map();
  const rows = await membersOfLot(db, lot)
    .select(['members.id', 'members.name', 'member_plates.plate_normalised as plate'])
    .distinct()
    .where('member_plates.plate_normalised', 'in', plates)
    .orderBy('members.id')
    .execute();
  const found = new Map<string, { id: number; name: string }[]>();
  for (const { plate, id, name } of rows) pushTo(found, plate, { id, name });
  return found;
}
