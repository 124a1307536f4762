/** Pictures as announced and arrived; their bytes are in the image store. */
import type { Db } from '../cloud-store.js';

/** Null: never announced. `arrived_at` null: announced by a read, its bytes are still at the gateway. */
export async function findImage(db: Db, uid: string): Promise<{ arrived_at: number | null } | null> {
  const row = await db.selectFrom('images').select('arrived_at').where('uid', '=', uid).executeTakeFirst();
  return row ?? null;
}

/** owner uid -> the uids of its pictures. */
export async function imagesOfOwners(
  db: Db,
  ownerUids: readonly string[],
): Promise<Map<string, { full: string | null; cropped: string | null }>> {
  const images = new Map<string, { full: string | null; cropped: string | null }>();
  if (ownerUids.length === 0) return images;
  const rows = await db
    .selectFrom('images')
    .select(['uid', 'owner_uid', 'role'])
    .where('owner_uid', 'in', ownerUids)
    .execute();
  for (const row of rows) {
    const pair = images.get(row.owner_uid) ?? { full: null, cropped: null };
    pair[row.role] = row.uid;
    images.set(row.owner_uid, pair);
  }
  return images;
}
