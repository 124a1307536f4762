/** Listeners within the process. When one throws, that is logged, and the others are still called. */
import type { Logger } from '../../../shared/logger.js';

export interface Listeners<News> {
  /** @returns how to remove the listener */
  add(listener: (news: News) => void): () => void;
  notify(news: News): void;
}

export function createListeners<News>(logger: Logger): Listeners<News> {
  const listeners = new Set<{ hear(news: News): void }>();
  return {
    add(listener) {
      // The same function may be added twice.
      const entry = { hear: listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    notify(news) {
      for (const { hear } of listeners) {
        try {
          hear(news);
        } catch (error) {
          logger.error({ err: error }, 'A listener of the database failed');
        }
      }
    },
  };
}
