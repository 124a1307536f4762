/** Pictures as announced; their bytes are in the image store. */
import type { ReadingImages } from '../../lpr/reading-images-payload.js';
import type { Db } from '../cloud-store.js';

/** owner uid -> its pictures; an owner without any is not there. */
export async function imagesOfOwners(db: Db, ownerUids: readonly string[]): Promise<Map<string, ReadingImages>> {
  if (ownerUids.length === 0) return new Map();
  const rows = await db
    .selectFrom('images')
    .select(['uid', 'owner_uid', 'role'])
    .where('owner_uid', 'in', ownerUids)
    .orderBy('uid')
    .execute();
  const images = new Map<string, ReadingImages>();
  for (const { uid, owner_uid, role } of rows) {
    const pair = images.get(owner_uid) ?? { full: null, cropped: null };
    pair[role] ??= uid;
    images.set(owner_uid, pair);
  }
  return images;
}
