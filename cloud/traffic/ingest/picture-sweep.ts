/** Removes pictures that no row names. A cloud that dies after it wrote a picture, and before its row, leaves such a picture. */
import { type Clock, every } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { ImageStore } from '../image/image-store.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import { acceptedPictures } from './keep-pictures.js';

const SWEEP_EVERY_MS = 3_600_000;
/** A picture that was written just now has no row yet. */
const WITHOUT_ROW_MS = 3_600_000;

/** Sweeps at once and then each hour. `close` resolves when no sweep is under way. */
export function startPictureSweep(deps: {
  store: Pick<CloudStore, 'reader'>;
  images: ImageStore;
  clock: Clock;
  logger: Logger;
}): { close(): Promise<void> } {
  const { store, images, clock, logger } = deps;
  let isClosed = false;

  async function sweep(): Promise<void> {
    const before = clock.now() - WITHOUT_ROW_MS;
    let removed = 0;
    for await (const uids of images.writtenBefore(before)) {
      if (isClosed) return;
      const accepted = await acceptedPictures(store.reader, uids);
      for (const uid of uids) {
        if (accepted.has(uid)) continue;
        await images.remove(uid, { writtenBefore: before });
        removed += 1;
      }
    }
    if (removed > 0) logger.info({ removed }, 'pictures that nothing names were removed');
  }

  const onError = (error: unknown) => logger.error({ err: error }, 'pictures that nothing names could not be removed');
  let sweeping = sweep().catch(onError);
  const timer = every({ clock, periodMs: SWEEP_EVERY_MS, work: () => (sweeping = sweep().catch(onError)), onError });
  return {
    async close() {
      isClosed = true;
      timer.cancel();
      await sweeping;
    },
  };
}
