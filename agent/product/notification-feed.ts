import { createListeners } from './listeners.js';

/** Notifications that came before anybody listened; more than a product sends in one exchange. */
const EARLY_MAX = 64;

/** Keeps notifications until the first listener comes: whoever awaits a connection listens a moment after it is there. */
export interface NotificationFeed {
  push(fragment: Uint8Array): void;
  onNotification(listener: (fragment: Uint8Array) => void): () => void;
}

export function createNotificationFeed(): NotificationFeed {
  const listeners = createListeners<Uint8Array>();
  let early: Uint8Array[] | undefined = [];
  return {
    push(fragment) {
      if (early === undefined) listeners.tell(fragment);
      else if (early.length < EARLY_MAX) early.push(fragment);
    },
    onNotification(listener) {
      const stop = listeners.add(listener);
      const missed = early ?? [];
      early = undefined;
      for (const fragment of missed) listener(fragment);
      return stop;
    },
  };
}
