/** Removes pictures that are older than their account keeps them. Their readings stay, and say from then on that there is none. */
import { uidSchema } from '../../../shared/ids.js';
import { deleteImages, imageRetentions, oldImages } from '../image/image-queries.js';
import type { ImageStore } from '../image/image-store.js';
import type { CloudStore } from '../../kernel/entry.js';
import { DAY_MS } from '../../../shared/durations.js';

/**
 * How much longer the row of a picture that has not arrived is kept: its gateway may be cut off, and a picture whose row is gone would
 * wait for a read that is long there.
 */
const ON_ITS_WAY_MS = 30 * DAY_MS;
const IMAGES_PER_STEP = 200;

/** Removes the bytes before the rows that name them, so that an interrupted run is found and continued. */
export async function pruneImages(
  { store, images }: { store: CloudStore; images: Pick<ImageStore, 'remove'> },
  now: number,
): Promise<void> {
  for (const { account_id, days } of await imageRetentions(store.reader)) {
    const before = now - days * DAY_MS;
    for (;;) {
      const limits = { account_id, before, missingBefore: before - ON_ITS_WAY_MS, limit: IMAGES_PER_STEP };
      const uids = await oldImages(store.reader, limits);
      if (uids.length === 0) break;
      for (const uid of uids) await images.remove(uidSchema.parse(uid));
      await store.change((tx) => deleteImages(tx, uids));
    }
  }
}
